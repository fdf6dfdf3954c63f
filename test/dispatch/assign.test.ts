import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { acceptOffer, declineOffer } from '../../src/services/dispatch/offers.js';
import { setDispatchSettings } from '../../src/services/dispatch/workers.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  HERE,
  lookAtJob,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
  offerOf,
  takeToday,
} from '../support/dispatch.js';
import { expectRulesHold } from '../support/rules.js';

// Whom a job is offered to: hard filters first, then the score. Fixes and routes come from what runs where nothing is installed.
const t = useTestDb();

const box = (around: number) =>
  [
    [-1, -1],
    [-1, 1],
    [1, 1],
    [1, -1],
  ].map(([x = 0, y = 0]) => ({
    latitude: HERE.latitude + y * around,
    longitude: HERE.longitude + x * around,
  }));

test('of three who can come in 12, 18 and 25 minutes with 4, 0 and 1 jobs today, the idle one at 18 is asked', async () => {
  const depot = await makeDepot(t);
  const busy = await makeWorker(depot, { at: minutesAway(12) });
  const idle = await makeWorker(depot, { at: minutesAway(18) });
  const far = await makeWorker(depot, { at: minutesAway(25) });
  await makeWorker(depot, { at: minutesAway(10), ageSeconds: 45 });
  await makeWorker(depot, { at: minutesAway(8), skilled: false });
  await takeToday(depot, busy, 4);
  await takeToday(depot, far, 1);
  const jobId = await makeJob(depot, { dueInSeconds: 40 * 60 });
  const offer = await offerOf(depot, jobId);
  expect(offer).toMatchObject({ expertId: idle.expertId, jobsToday: 0, state: 'LIVE' });
  // 18 + 2 · 0 − 0.1 · (40 − 18): the formula by hand.
  expect(offer.score).toBeCloseTo(18 - 2.2, 1);
  await expectRulesHold(t.database);
});

test('without the weight of fairness the nearest is asked', async () => {
  const depot = await makeDepot(t);
  await setDispatchSettings(t.database, depot.operator, { fairnessWeight: 0 });
  const near = await makeWorker(depot, { at: minutesAway(12) });
  await makeWorker(depot, { at: minutesAway(18) });
  await takeToday(depot, near, 4);
  expect((await offerOf(depot, await makeJob(depot))).expertId).toBe(near.expertId);
});

test('nobody: the reason by filter, in words, and an alert', async () => {
  const depot = await makeDepot(t);
  await makeWorker(depot, { ageSeconds: 45 });
  await makeWorker(depot, { ageSeconds: 200 });
  await makeWorker(depot, { skilled: false });
  const overlapping = await makeWorker(depot);
  const other = await makeJob(depot);
  const offer = await offerOf(depot, other);
  await acceptOffer(t.database, overlapping.viewer, offer.id);
  const jobId = await makeJob(depot);
  const reason = '4 in range: 2 stale, 1 without the skill, 1 overlapping.';
  expect(await assignJob(depot.on, actorOf(depot), jobId)).toEqual({ offerId: null, reason });
  expect(await lookAtJob(depot, jobId)).toMatchObject({ state: 'UNASSIGNED_ALERT', reason });
  const { rows } = await t.admin.query(
    `select count(*)::int as n from alerts where tenant_id = $1 and kind = 'JOB_UNASSIGNED' and resolved_at is null`,
    [depot.tenantId],
  );
  expect(rows[0].n).toBe(1);
});

test.each([
  ['below the quality', { quality: 0.3 }, {}],
  [
    'outside their area',
    { serviceArea: box(0.00001).map((p) => ({ ...p, longitude: p.longitude + 1 })) },
    {},
  ],
  ['outside their shift', { shiftStart: '02:00', shiftEnd: '03:00' }, {}],
  ['not at work', { active: false }, {}],
  ['too far to be in time', {}, { dueInSeconds: 300 }],
])('who is %s is not asked', async (words, worker, job) => {
  const depot = await makeDepot(t);
  await makeWorker(depot, worker);
  const jobId = await makeJob(depot, { minQuality: 0.5, ...job });
  expect(await assignJob(depot.on, actorOf(depot), jobId)).toEqual({
    offerId: null,
    reason: `1 in range: 1 ${words}.`,
  });
});

test('nobody in range is said as that', async () => {
  const depot = await makeDepot(t);
  await makeWorker(depot, { at: null });
  const { reason } = await assignJob(depot.on, actorOf(depot), await makeJob(depot));
  expect(reason).toBe('Nobody is in range.');
});

test('who works in an area is asked inside it, at its very edge too', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { serviceArea: box(0.01) });
  const inside = { ...HERE, latitude: HERE.latitude + 0.01 };
  expect((await offerOf(depot, await makeJob(depot, { place: inside }))).expertId).toBe(worker.expertId);
});

test('assigned again, a job keeps its offer; accepted, too', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  expect((await offerOf(depot, jobId)).id).toBe(offer.id);
  await acceptOffer(t.database, worker.viewer, offer.id);
  expect((await offerOf(depot, jobId)).id).toBe(offer.id);
  const { rows } = await t.admin.query('select count(*)::int as n from offers where tenant_id = $1', [
    depot.tenantId,
  ]);
  expect(rows[0].n).toBe(1);
});

test('who declined is not asked for that job for ten minutes, for another they are', async () => {
  const depot = await makeDepot(t);
  const near = await makeWorker(depot, { at: minutesAway(5) });
  const next = await makeWorker(depot, { at: minutesAway(9) });
  const jobId = await makeJob(depot);
  const first = await offerOf(depot, jobId);
  expect(first.expertId).toBe(near.expertId);
  await declineOffer(t.database, near.viewer, first.id);
  expect((await offerOf(depot, jobId)).expertId).toBe(next.expertId);
  expect((await offerOf(depot, await makeJob(depot))).expertId).toBe(near.expertId);
});

test('a worker of another tenant in the same place is not seen', async () => {
  const depot = await makeDepot(t);
  const other = await makeDepot(t);
  await makeWorker(other, { at: HERE });
  const { reason } = await assignJob(depot.on, actorOf(depot), await makeJob(depot));
  expect(reason).toBe('Nobody is in range.');
});

test('a job for later goes out from home, unseen, and keeps nobody from a job for now', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { at: null, home: minutesAway(15) });
  const later = await makeJob(depot, { notBeforeInSeconds: 7_200, dueInSeconds: 9_000 });
  expect((await offerOf(depot, later)).expertId).toBe(worker.expertId);
  await t.admin.query(
    `insert into latest_fixes select tenant_id, expert_id, $2, $3, '88394461c7fffff', app.clock_now(), app.clock_now() from workers where tenant_id = $1`,
    [depot.tenantId, HERE.latitude, HERE.longitude],
  );
  expect((await offerOf(depot, await makeJob(depot))).expertId).toBe(worker.expertId);
  await expectRulesHold(t.database);
});
