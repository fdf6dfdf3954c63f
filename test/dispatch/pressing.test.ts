import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { takeDueJobs } from '../../src/services/dispatch/jobs.sql.js';
import { assignDue } from '../../src/services/dispatch/upkeep.js';
import { withSystem } from '../../src/services/platform/database.js';
import { useTestDb } from '../support/db.js';
import { type Depot, HERE, lookAtJob, makeDepot, makeJob, makeWorker, see } from '../support/dispatch.js';

// In which order a tenant's jobs are decided that wait: by what is left until they are due, and by their priority.
const t = useTestDb();

/** The jobs that are taken next of a tenant, in their order. Nobody else has any that are due. */
async function taken(limit = 20): Promise<bigint[]> {
  const due = await withSystem(t.database, (tx) => takeDueJobs(tx, { limit, forSeconds: 15, after: 0n }));
  return due.toSorted((a, b) => a.place - b.place).map(({ jobId }) => jobId);
}

/** Nothing of this tenant waits any more. */
const forget = ({ tenantId }: Depot) =>
  t.admin.query('update jobs set assign_at = null where tenant_id = $1', [tenantId]);

test('what is due sooner goes first, and of priority 10 twice as soon as of 5', async () => {
  const depot = await makeDepot(t);
  const hours = (n: number) => ({ dueInSeconds: n * 3_600 });
  const a = await makeJob(depot, { ...hours(3), priority: 5 });
  const b = await makeJob(depot, { ...hours(5), priority: 10 });
  const c = await makeJob(depot, { ...hours(2), priority: 5 });
  const d = await makeJob(depot, { ...hours(1), priority: 1 });
  const e = await makeJob(depot, { ...hours(48), priority: 10 });
  await t.advance(6);
  expect(await taken()).toEqual([c, b, a, d, e]);
  await forget(depot);
});

test('what cannot be begun in time any more is told of at once', async () => {
  const depot = await makeDepot(t);
  await makeJob(depot, { dueInSeconds: 60, priority: 10 });
  const late = await makeJob(depot, { dueInSeconds: 10, priority: 1 });
  await t.advance(11);
  expect((await taken())[0]).toBe(late);
  await forget(depot);
});

test.each([
  ['nobody was looked for yet', 'OPEN'],
  ['it was in vain', 'UNASSIGNED_ALERT'],
])(
  'behind more than a batch that waits longer the pressing one is taken first, of those that %s',
  async (_what, state) => {
    const depot = await makeDepot(t);
    const old: bigint[] = [];
    for (let n = 0; n < 45; n++) {
      old.push(await makeJob(depot, { dueInSeconds: 20_000, priority: 1 + (n % 3) }));
    }
    await t.advance(30);
    const urgent = await makeJob(depot, { dueInSeconds: 20_000, priority: 10 });
    const soon = await makeJob(depot, { dueInSeconds: 900, priority: 5 });
    await t.advance(6);
    if (state === 'UNASSIGNED_ALERT') {
      for (const jobId of [...old, urgent, soon]) {
        await assignJob(depot.on, { tenantId: depot.tenantId, actorId: null }, jobId);
      }
      await t.advance(61);
    }
    const first = await taken();
    expect(first.slice(0, 2)).toEqual([soon, urgent]);
    expect(first).toHaveLength(20);
    // The others by priority, and of one priority nobody twice.
    const rest = [...first.slice(2), ...(await taken()), ...(await taken())];
    expect(rest.toSorted()).toEqual(old.toSorted());
    const { rows } = await t.admin.query(
      'select array_agg(j.priority order by r.n) as order from unnest($1::bigint[]) with ordinality as r(id, n) join jobs j on j.id = r.id',
      [rest.map(String)],
    );
    expect(rows[0].order).toEqual(rows[0].order.toSorted((x: number, y: number) => y - x));
    await forget(depot);
  },
);

test('of two jobs and one worker the pressing one is offered, however long the other has waited', async () => {
  const depot = await makeDepot(t);
  const waiting: bigint[] = [];
  for (let n = 0; n < 30; n++) {
    waiting.push(await makeJob(depot, { dueInSeconds: 20_000, priority: 1, minQuality: 1 }));
  }
  await t.advance(30);
  const soon = await makeJob(depot, { dueInSeconds: 1_500, priority: 9 });
  await t.advance(6);
  const worker = await makeWorker(depot, { at: null });
  await see(depot, worker, { at: HERE });
  await assignDue(depot.on);
  expect((await lookAtJob(depot, soon)).state).toBe('OFFERED');
  await forget(depot);
});
