import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { acceptOffer, declineOffer } from '../../src/services/dispatch/offers.js';
import type { Etas } from '../../src/services/dispatch/ports.js';
import { setWorker } from '../../src/services/dispatch/workers.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  HERE,
  lookAtJob,
  makeCrowd,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
  offerOf,
} from '../support/dispatch.js';
import { expectRulesHold } from '../support/rules.js';

// Who is found: whoever may have the job, however many who may not stand nearer; and what is said where nobody may.
const t = useTestDb();

const assign = (depot: Depot, jobId: bigint) => assignJob(depot.on, actorOf(depot), jobId);

test('who alone has the skill is found behind a crowd that has not, for now and for later', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 1_100, minutesAway(1));
  const able = await makeWorker(depot, { at: minutesAway(14), home: minutesAway(14) });
  expect((await offerOf(depot, await makeJob(depot))).expertId).toBe(able.expertId);
  const later = await makeJob(depot, { notBeforeInSeconds: 7_200, dueInSeconds: 9_000 });
  expect((await offerOf(depot, later)).expertId).toBe(able.expertId);
  await expectRulesHold(t.database);
});

test('behind a crowd the best of those who have the skill is asked, and after them the next', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 100, minutesAway(1));
  const next = await makeWorker(depot, { at: minutesAway(9) });
  const best = await makeWorker(depot, { at: minutesAway(5) });
  const jobId = await makeJob(depot);
  const first = await offerOf(depot, jobId);
  expect(first.expertId).toBe(best.expertId);
  await declineOffer(t.database, best.viewer, first.id);
  expect((await offerOf(depot, jobId)).expertId).toBe(next.expertId);
});

test('the reason counts everybody in range, those beyond the nearest sixty too', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 80, minutesAway(1));
  await makeWorker(depot, { at: minutesAway(8), ageSeconds: 45 });
  await makeWorker(depot, { at: minutesAway(8), ageSeconds: 200 });
  const busy = await makeWorker(depot, { at: minutesAway(8) });
  await acceptOffer(t.database, busy.viewer, (await offerOf(depot, await makeJob(depot))).id);
  expect((await assign(depot, await makeJob(depot))).reason).toBe(
    '83 in range: 2 stale, 80 without the skill, 1 overlapping.',
  );
  const later = await makeJob(depot, {
    ...{ notBeforeInSeconds: 60, dueInSeconds: 900, minQuality: 1 },
  });
  expect((await assign(depot, later)).reason).toBe('83 at work: 80 without the skill, 3 below the quality.');
});

test('of more than can be looked at the reason says that there are more', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 1_005, minutesAway(1));
  expect((await assign(depot, await makeJob(depot))).reason).toBe(
    '1000 and more in range: 1000 without the skill.',
  );
});

test('who is farther than those who were asked is counted, too: nobody is left out of the sum', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 200, minutesAway(39));
  const jobId = await makeJob(depot, { skillIds: [], dueInSeconds: 2_400 });
  // At 39 minutes, or 58 at worst: where nobody knows the road the worst has to be in time.
  expect((await assign(depot, jobId)).reason).toBe(
    '200 in range: 160 too far to be in time, 40 farther than those who were asked.',
  );
});

test('nobody is looked for when the time has passed', async () => {
  const depot = await makeDepot(t);
  await makeWorker(depot);
  const jobId = await makeJob(depot, { dueInSeconds: 10 });
  await t.advance(11);
  expect((await assign(depot, jobId)).reason).toBe('The time by which somebody was to be there has passed.');
  await t.advance(-11);
});

/** A router that takes its time: the clock goes on while it thinks. */
const slow = (etas: Etas, seconds: number): Etas => ({
  async etas(tenantId, way) {
    await t.advance(seconds);
    return etas.etas(tenantId, way);
  },
});

test('whose fix turns old between the choice and the lease is passed over, and the next is asked', async () => {
  const depot = await makeDepot(t);
  await makeWorker(depot, { at: minutesAway(5), ageSeconds: 25 });
  const next = await makeWorker(depot, { at: minutesAway(9) });
  const { on } = depot;
  const slowly = { ...on, dispatch: { ...on.dispatch, etas: slow(on.dispatch.etas, 8) } };
  const { offerId } = await assignJob(slowly, actorOf(depot), await makeJob(depot));
  const { rows } = await t.admin.query('select expert_id from offers where id = $1', [offerId]);
  expect(rows[0].expert_id).toBe(String(next.expertId));
  const alone = await makeDepot(t);
  await makeWorker(alone, { ageSeconds: 25 });
  const jobId = await makeJob(alone);
  expect(await assignJob({ ...slowly, db: alone.on.db }, actorOf(alone), jobId)).toEqual({
    offerId: null,
    reason: '1 in range: 1 stale.',
  });
  expect((await lookAtJob(alone, jobId)).state).toBe('UNASSIGNED_ALERT');
  await t.advance(-16);
  await expectRulesHold(t.database);
});

const corners = (...places: [latitude: number, longitude: number][]) =>
  places.map(([latitude, longitude]) => ({ latitude, longitude }));

test('an area reaches over the 180th meridian, seen from either side, and not around the rest of the earth', async () => {
  const depot = await makeDepot(t);
  const serviceArea = corners([-20, 178], [-20, -178], [-15, -178], [-15, 178]);
  for (const [longitude, isIn] of [
    [179.95, true],
    [-179.95, true],
    [177.9, false],
    [-177.9, false],
  ] as const) {
    const place = { latitude: -17, longitude };
    const at = { latitude: -17, longitude: longitude > 0 ? -179.99 : 179.99 };
    const worker = await makeWorker(depot, { at: isIn ? at : place, serviceArea });
    const { reason } = await assign(depot, await makeJob(depot, { place }));
    expect(reason === null, String(longitude)).toBe(isIn);
    await setWorker(t.database, depot.operator, {
      ...{ expertId: worker.expertId, active: false, shiftDays: [1], shiftStart: '00:00', shiftEnd: '00:00' },
      ...{ capacity: 1, home: place, serviceArea },
    });
  }
  await expectRulesHold(t.database);
});

test('an area that could be meant either way, or goes around a pole, is refused with how to draw it', async () => {
  const depot = await makeDepot(t);
  const { expertId } = await makeWorker(depot, { at: null });
  const draw = (serviceArea: ReturnType<typeof corners>) =>
    setWorker(t.database, depot.operator, {
      ...{ expertId, active: true, shiftDays: [1], shiftStart: '08:00', shiftEnd: '10:00', capacity: 1 },
      ...{ home: HERE, serviceArea },
    });
  const refused = (message: RegExp) => ({
    code: 'INPUT_INVALID',
    issues: [{ path: '/serviceArea', message: expect.stringMatching(message) }],
  });
  await expect(draw(corners([0, -90], [0, 90], [10, 0]))).rejects.toMatchObject(
    refused(/put a corner between/),
  );
  await expect(draw(corners([80, 0], [80, 120], [80, -120]))).rejects.toMatchObject(
    refused(/cut it along a meridian/),
  );
  await expect(draw(corners([0, 0], [0, 1], [0, 2]))).rejects.toMatchObject(refused(/one line/));
  await expect(draw(corners([0, 179], [1, -179], [1, 179], [0, -179]))).rejects.toMatchObject(
    refused(/cross/),
  );
  await draw(corners([60, -170], [60, 0], [60, 170], [0, 170], [0, 0], [0, -170]));
});

test('homes are near each other across the 180th meridian', async () => {
  const depot = await makeDepot(t);
  const home = { latitude: -17, longitude: -179.95 };
  const worker = await makeWorker(depot, { at: null, home });
  await makeWorker(depot, { at: null, home: { latitude: -17, longitude: 175 } });
  const place = { latitude: -17, longitude: 179.95 };
  const jobId = await makeJob(depot, { place, notBeforeInSeconds: 7_200, dueInSeconds: 9_000 });
  expect((await offerOf(depot, jobId)).expertId).toBe(worker.expertId);
});
