import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { assignDue, JOBS_A_STEP } from '../../src/services/dispatch/upkeep.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  HERE,
  lookAtJob,
  makeDepot,
  makeJob,
  makeWorker,
  see,
} from '../support/dispatch.js';

// Jobs that wait to be assigned: tenants take turns, and what is hopeless waits longer each time.
const t = useTestDb();

const many = (depot: Depot, count: number) =>
  Promise.all(Array.from({ length: count }, () => makeJob(depot)));

/** In how many seconds it is tried again; null: not by itself. */
async function waitOf(jobId: bigint): Promise<number | null> {
  const { rows } = await t.admin.query(
    'select round(extract(epoch from assign_at - app.clock_now()))::int as wait from jobs where id = $1',
    [jobId],
  );
  return rows[0].wait;
}

const byItself = ({ tenantId }: Depot) => ({ tenantId, actorId: null });

/** Until nothing is due any more. */
async function assignAll(depot: Depot): Promise<void> {
  while ((await assignDue(depot.on)).length > 0) {
    // Some at a time.
  }
}

test('a tenant with thousands of jobs that nobody can have holds up no other: its one job is assigned in the first step', async () => {
  const crowded = await makeDepot(t);
  await many(crowded, 3 * JOBS_A_STEP);
  await t.advance(6);
  const small = await makeDepot(t);
  const worker = await makeWorker(small);
  const jobId = await makeJob(small);
  await t.advance(6);
  await see(small, worker, { at: HERE });
  expect(await assignDue(small.on)).toHaveLength(JOBS_A_STEP);
  expect((await lookAtJob(small, jobId)).state).toBe('OFFERED');
  await assignAll(crowded);
});

test('many tenants with a backlog hold up no other either: each is served before one of them is again', async () => {
  const crowded: Depot[] = [];
  for (let n = 0; n < JOBS_A_STEP + 5; n++) {
    const depot = await makeDepot(t);
    await many(depot, 4);
    crowded.push(depot);
  }
  const small = await makeDepot(t);
  const worker = await makeWorker(small);
  const jobId = await makeJob(small);
  await t.advance(6);
  await see(small, worker, { at: HERE });
  const turns = { after: 0n };
  for (let n = 0; n < 2; n++) {
    expect(await assignDue(small.on, turns)).toHaveLength(JOBS_A_STEP);
  }
  expect((await lookAtJob(small, jobId)).state).toBe('OFFERED');
  const { rows } = await t.admin.query(
    `select min(n)::int as least from (
       select count(*) filter (where state = 'UNASSIGNED_ALERT') as n from jobs where tenant_id = any ($1) group by tenant_id) served`,
    [crowded.map(({ tenantId }) => String(tenantId))],
  );
  expect(rows).toEqual([{ least: 1 }]);
  await assignAll(small);
});

test('inside a tenant what nobody was looked for yet does not wait behind what it was in vain', async () => {
  const depot = await makeDepot(t);
  const old = await many(depot, 2 * JOBS_A_STEP);
  await t.advance(6);
  await assignAll(depot);
  await t.advance(61);
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot, { minQuality: 0 });
  await t.advance(6);
  await see(depot, worker, { at: HERE });
  await t.admin.query('update jobs set min_quality = 1 where id = any ($1)', [old.map(String)]);
  await assignDue(depot.on);
  expect((await lookAtJob(depot, jobId)).state).toBe('OFFERED');
  await assignAll(depot);
});

test('two nodes that look at once take different jobs', async () => {
  const depot = await makeDepot(t);
  await many(depot, JOBS_A_STEP);
  await t.advance(6);
  const [one, two] = await Promise.all([assignDue(depot.on), assignDue(depot.on)]);
  expect(one.length + two.length).toBeLessThanOrEqual(JOBS_A_STEP);
  await assignAll(depot);
  const { rows } = await t.admin.query('select distinct attempts from jobs where tenant_id = $1', [
    depot.tenantId,
  ]);
  expect(rows).toEqual([{ attempts: 1 }]);
});

test('what nobody can have is tried again after one, two and four minutes, then five, and more often as its time runs out', async () => {
  const depot = await makeDepot(t);
  const jobId = await makeJob(depot, { dueInSeconds: 7_200 });
  const waits: (number | null)[] = [];
  for (let n = 0; n < 5; n++) {
    await assignJob(depot.on, byItself(depot), jobId);
    waits.push(await waitOf(jobId));
  }
  expect(waits).toEqual([60, 120, 240, 300, 300]);
  const at = async (leftSeconds: number) => {
    await t.admin.query(
      `update jobs set due_by = app.clock_now() + make_interval(secs => $2), not_before = app.clock_now() - interval '1 hour' where id = $1`,
      [jobId, leftSeconds],
    );
    await assignJob(depot.on, byItself(depot), jobId);
    return waitOf(jobId);
  };
  expect(await at(600)).toBe(150);
  expect(await at(120)).toBe(30);
  expect(await at(30)).toBe(20);
  expect(await at(-1)).toBe(null);
});

test('who asks again and again, in vain, neither delays the next try nor lengthens the waits after it', async () => {
  const depot = await makeDepot(t);
  const jobId = await makeJob(depot, { dueInSeconds: 7_200 });
  await assignJob(depot.on, actorOf(depot), jobId);
  await t.advance(30);
  for (let n = 0; n < 3; n++) {
    await assignJob(depot.on, actorOf(depot), jobId);
  }
  expect(await waitOf(jobId)).toBe(30);
  await t.advance(30);
  await assignJob(depot.on, byItself(depot), jobId);
  expect(await waitOf(jobId)).toBe(120);
});

test('an offer ends the waits: whoever is lost after it is looked for anew from the beginning', async () => {
  const depot = await makeDepot(t);
  const jobId = await makeJob(depot, { dueInSeconds: 7_200 });
  for (let n = 0; n < 3; n++) {
    await assignJob(depot.on, byItself(depot), jobId);
  }
  const worker = await makeWorker(depot);
  expect((await assignJob(depot.on, actorOf(depot), jobId)).reason).toBeNull();
  await t.advance(21);
  await see(depot, worker, { at: HERE });
  expect((await assignJob(depot.on, actorOf(depot), jobId)).reason).toBe('1 in range: 1 resting after a no.');
  expect(await waitOf(jobId)).toBe(60);
});
