import { expect, test } from 'vitest';
import { createJob, reassignJob, requestJob } from '../../src/services/dispatch/jobs.js';
import { acceptOffer } from '../../src/services/dispatch/offers.js';
import { assignDue } from '../../src/services/dispatch/upkeep.js';
import { dispatchSettings, setDispatchSettings, setWorker } from '../../src/services/dispatch/workers.js';
import { useTestDb } from '../support/db.js';
import {
  type Depot,
  HERE,
  lookAtJob,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
  offerOf,
  see,
  takeToday,
} from '../support/dispatch.js';
import type { Expert } from '../support/factories.js';

// How jobs are asked for, and how workers and tenants say what holds for them.
const t = useTestDb();

/** A job that a worker has accepted. */
async function accepted(depot: Depot, worker: Expert, options: Parameters<typeof makeJob>[1] = {}) {
  const jobId = await makeJob(depot, options);
  const offer = await offerOf(depot, jobId);
  expect(offer.expertId).toBe(worker.expertId);
  await acceptOffer(t.database, worker.viewer, offer.id);
  return { jobId, offer };
}

test('jobs of today are counted from the tenant’s midnight, and not those that were taken away', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  await takeToday(depot, worker, 2);
  const { jobId } = await accepted(depot, worker);
  await reassignJob(t.database, depot.dispatcher, { jobId, reason: 'Given to another.' });
  expect((await offerOf(depot, await makeJob(depot))).jobsToday).toBe(2);
  // It is about ten in the morning there, so that midnight is within fifteen hours and was ten ago.
  await t.advance(15 * 3_600);
  await see(depot, worker, { at: HERE });
  expect((await offerOf(depot, await makeJob(depot))).jobsToday).toBe(0);
  await t.advance(-15 * 3_600);
});

test('the same key is the same job, with other content a conflict; a window that has passed is none', async () => {
  const depot = await makeDepot(t);
  const key = { idempotencyKey: 'k' };
  const made = await makeJob(depot, key);
  const { rows } = await t.admin.query('select due_by from jobs where id = $1', [made]);
  const job = {
    ...{
      customerId: depot.customer.customerId,
      kind: 'ON_DEMAND' as const,
      type: 'Check of a meter',
      skillIds: [depot.skillId],
    },
    ...{
      minQuality: 0,
      place: HERE,
      notBefore: null,
      dueBy: rows[0].due_by,
      durationSeconds: 1_800,
      priority: 5,
      ...key,
    },
  };
  const create = (change: object) => createJob(t.database, depot.customer.viewer, { ...job, ...change });
  expect(await create({})).toMatchObject({ jobId: made, isNew: false });
  await expect(create({ priority: 6 })).rejects.toMatchObject({ code: 'IDEMPOTENCY_CONFLICT' });
  await t.advance(3_000);
  expect(await create({})).toMatchObject({ jobId: made, isNew: false });
  await expect(create({ idempotencyKey: 'l' })).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  await t.advance(-3_000);
});

test('shifts follow the clocks of the time zone, past midnight too', async () => {
  const depot = await makeDepot(t);
  await setDispatchSettings(t.database, depot.operator, { timeZone: 'Europe/Berlin' });
  const { expertId } = await makeWorker(depot, {
    at: null,
    shiftDays: [6],
    shiftStart: '22:00',
    shiftEnd: '06:00',
  });
  const inShift = async (at: string) =>
    (await t.admin.query('select app.is_on_shift($1, $2, $3) as yes', [depot.tenantId, expertId, at])).rows[0]
      .yes;
  // The night from Saturday to Sunday on which summer time ends: it is nine hours long.
  expect(await inShift('2026-10-24T20:01:00Z')).toBe(true);
  expect(await inShift('2026-10-25T04:59:00Z')).toBe(true);
  expect(await inShift('2026-10-25T05:01:00Z')).toBe(false);
  expect(await inShift('2026-10-24T19:59:00Z')).toBe(false);
  expect(await inShift('2026-10-25T21:00:00Z')).toBe(false);
});

test('who is on shift all day works past midnight, on the nights between their days', async () => {
  const depot = await makeDepot(t);
  await setDispatchSettings(t.database, depot.operator, { timeZone: 'Europe/Berlin' });
  const { expertId } = await makeWorker(depot, {
    ...{ at: null, shiftDays: [6, 7], shiftStart: '00:00', shiftEnd: '00:00' },
  });
  const inShift = async (from: string, to: string) =>
    (
      await t.admin.query(
        'select app.is_in_shift(w, $2, $3, $4) as yes from workers w where w.expert_id = $1',
        [expertId, 'Europe/Berlin', from, to],
      )
    ).rows[0].yes;
  // From Saturday to Sunday, on which an hour comes twice; not from Friday, nor into Monday.
  expect(await inShift('2026-10-24T21:30:00Z', '2026-10-24T22:30:00Z')).toBe(true);
  expect(await inShift('2026-10-24T22:30:00Z', '2026-10-25T22:59:00Z')).toBe(true);
  expect(await inShift('2026-10-25T22:30:00Z', '2026-10-25T23:30:00Z')).toBe(false);
  expect(await inShift('2026-10-23T21:30:00Z', '2026-10-23T22:30:00Z')).toBe(false);
  expect(await inShift('2026-10-25T22:59:00Z', '2026-10-25T23:00:00Z')).toBe(true);
});

test('jobs of today end at the tenant’s midnight, on the day of 25 hours and on that of 23 too', async () => {
  const depot = await makeDepot(t);
  await setDispatchSettings(t.database, depot.operator, { timeZone: 'Europe/Berlin' });
  const worker = await makeWorker(depot, { at: null, capacity: 10 });
  let moved = 0;
  /** At an instant, how many jobs of the day they have; they take one more. */
  const takeAt = async (instant: string) => {
    const { rows } = await t.admin.query(
      'select extract(epoch from $1::timestamptz - app.clock_now())::float8 as seconds',
      [instant],
    );
    await t.advance(rows[0].seconds);
    moved += rows[0].seconds;
    await t.admin.query('delete from latest_fixes where expert_id = $1', [worker.expertId]);
    await see(depot, worker, { at: HERE });
    const offer = await offerOf(depot, await makeJob(depot, { durationSeconds: 60 }));
    await acceptOffer(t.database, worker.viewer, offer.id);
    return offer.jobsToday;
  };
  // From 24 to 25 October 2026 by midnight, and to 26 October 25 hours later.
  expect(await takeAt('2026-10-24T21:50:00Z')).toBe(0);
  expect(await takeAt('2026-10-24T21:58:00Z')).toBe(1);
  expect(await takeAt('2026-10-24T22:01:00Z')).toBe(0);
  expect(await takeAt('2026-10-25T22:59:00Z')).toBe(1);
  expect(await takeAt('2026-10-25T23:01:00Z')).toBe(0);
  // 28 March 2027 has 23.
  expect(await takeAt('2027-03-27T23:01:00Z')).toBe(0);
  expect(await takeAt('2027-03-28T21:59:00Z')).toBe(1);
  expect(await takeAt('2027-03-28T22:01:00Z')).toBe(0);
  await t.advance(-moved);
});

test('a job for now is offered as it is asked for, one for later when its time comes', async () => {
  const depot = await makeDepot(t);
  await makeWorker(depot);
  const { rows } = await t.admin.query(
    `select app.clock_now() + interval '2 d' as later, app.clock_now() + interval '1 h' as due`,
  );
  const { later, due } = rows[0];
  const job = {
    ...{
      customerId: depot.customer.customerId,
      type: 'Check',
      skillIds: [depot.skillId],
      minQuality: 0,
      place: HERE,
    },
    ...{ durationSeconds: 600, priority: 5 },
  };
  const request = (
    change: Pick<Parameters<typeof createJob>[2], 'kind' | 'notBefore' | 'dueBy' | 'idempotencyKey'>,
  ) => requestJob(depot.on, depot.customer.viewer, { ...job, ...change });
  const atOnce = await request({ kind: 'ON_DEMAND', notBefore: null, dueBy: due, idempotencyKey: 'now' });
  const planned = await request({
    kind: 'SCHEDULED',
    notBefore: later,
    dueBy: later,
    idempotencyKey: 'later',
  });
  expect((await lookAtJob(depot, atOnce.jobId)).state).toBe('OFFERED');
  await assignDue(depot.on);
  expect((await lookAtJob(depot, planned.jobId)).state).toBe('OPEN');
  await t.advance(25 * 3_600);
  await assignDue(depot.on);
  expect((await lookAtJob(depot, planned.jobId)).state).toBe('OFFERED');
  await t.advance(-25 * 3_600);
});

test('the same key again looks for nobody, however often, and delays no try', async () => {
  const depot = await makeDepot(t);
  const { rows } = await t.admin.query(`select app.clock_now() + interval '1 h' as due`);
  const request = () =>
    requestJob(depot.on, depot.customer.viewer, {
      ...{ customerId: depot.customer.customerId, kind: 'ON_DEMAND', type: 'Check', skillIds: [] },
      ...{
        minQuality: 0,
        place: HERE,
        notBefore: null,
        dueBy: rows[0].due,
        durationSeconds: 600,
        priority: 5,
      },
      idempotencyKey: 'again',
    });
  const { jobId } = await request();
  const LOOK = 'select state, attempts, assign_at from jobs where id = $1';
  const before = (await t.admin.query(LOOK, [jobId])).rows[0];
  expect(before).toMatchObject({ state: 'UNASSIGNED_ALERT', attempts: 1 });
  await makeWorker(depot);
  for (let n = 0; n < 3; n++) {
    expect(await request()).toMatchObject({ jobId, isNew: false });
  }
  expect((await t.admin.query(LOOK, [jobId])).rows[0]).toEqual(before);
});

test('what makes no sense is refused, each fault by its place', async () => {
  const depot = await makeDepot(t);
  const { expertId } = await makeWorker(depot, { at: null });
  await expect(
    setWorker(t.database, depot.operator, {
      ...{ expertId, active: true, shiftDays: [0], shiftStart: '25:00', shiftEnd: '10:00', capacity: 11 },
      ...{ home: { latitude: 91, longitude: 0 }, serviceArea: [HERE, HERE, HERE, minutesAway(5)] },
    }),
  ).rejects.toMatchObject({
    issues: ['/shiftDays', '/shiftStart', '/capacity', '/home', '/serviceArea'].map((path) =>
      expect.objectContaining({ path }),
    ),
  });
  const crossing = [
    [0, 0],
    [1, 1],
    [1, 0],
    [0, 1],
  ].map(([latitude = 0, longitude = 0]) => ({ latitude, longitude }));
  await expect(
    setWorker(t.database, depot.operator, {
      ...{ expertId, active: true, shiftDays: [1], shiftStart: '08:00', shiftEnd: '10:00', capacity: 1 },
      ...{ home: HERE, serviceArea: crossing },
    }),
  ).rejects.toMatchObject({ issues: [expect.objectContaining({ path: '/serviceArea' })] });
  for (const change of [{ timeZone: 'Mars/Base' }, { offerSeconds: 1 }, { fairnessWeight: -1 }]) {
    await expect(setDispatchSettings(t.database, depot.operator, change)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
    });
  }
  expect(await dispatchSettings(t.database, depot.operator)).toMatchObject({
    offerSeconds: 20,
    cooldownSeconds: 600,
  });
});
