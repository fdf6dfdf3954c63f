import { expect, test } from 'vitest';
import { reclaimAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { behind, expertRow } from '../support/interleave.js';
import { expectRulesHold } from '../support/rules.js';
import { answerNext, atOnce, claim, claimAlone, outcome, take, takeAlone } from '../support/work.js';

// Rule 1: an expert holds at most one live claim; a second claimTask returns the same one.
const t = useTestDb();

test('twenty claims of one expert at once are one lease, the same for each', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { tasks: 30 });
  const results = await atOnce(20, () => take(t.database, ada));
  expect(new Set(results.map((held) => `${held.id} at ${held.epoch}`)).size).toBe(1);
  const { rows } = await t.admin.query('select count(*)::int as n from assignments where tenant_id = $1', [
    tenantId,
  ]);
  expect(rows[0].n).toBe(1);
  await expectRulesHold(t.database);
});

test('two claims that waited for the same expert row take turns, and the second is given what the first took', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { tasks: 5 });
  const [first, second] = await behind(t, expertRow(tenantId, ada.expertId), [
    () => takeAlone(t.database, ada),
    () => takeAlone(t.database, ada),
  ]);
  expect(first).toMatchObject({ status: 'fulfilled' });
  expect(second).toMatchObject({ status: 'fulfilled' });
  expect(value(second).id).toBe(value(first).id);
  await expectRulesHold(t.database);
});

test('whoever claims, answers and claims again at once still never holds two', async () => {
  const { experts } = await makeWorld(t.database, { experts: 4, tasks: 40 });
  await Promise.all(
    experts.flatMap((expert) =>
      Array.from({ length: 3 }, async () => {
        for (let n = 0; n < 4; n++) {
          await outcome(answerNext(t.database, expert));
          await claim(t.database, expert);
        }
      }),
    ),
  );
  await expectRulesHold(t.database);
});

test('reclaiming an old task and claiming a new one at once leaves one lease', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { tasks: 5 });
  const lapsed = await take(t.database, ada);
  await t.advance(61);
  const ends = await behind<unknown>(t, expertRow(tenantId, ada.expertId), [
    () => reclaimAssignment(t.database, ada.viewer, { assignmentId: lapsed.id }),
    () => claimAlone(t.database, ada),
  ]);
  expect(ends.map((end) => end.status)).toEqual(['fulfilled', 'fulfilled']);
  const { rows } = await t.admin.query(
    `select count(*)::int as n from assignments where tenant_id = $1 and state = 'LEASED'`,
    [tenantId],
  );
  expect(rows[0].n).toBe(1);
  await expectRulesHold(t.database);
});

test('the database itself refuses a second live claim', async () => {
  const { ada, tenantId, taskIds } = await makeWorld(t.database, { tasks: 2 });
  const held = await take(t.database, ada);
  const other = taskIds.find((id) => id !== held.taskId);
  await expect(
    t.admin.query(
      `insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
         state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency)
       select tenant_id, $2, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
         state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency
       from assignments where tenant_id = $1`,
      [tenantId, other],
    ),
  ).rejects.toMatchObject({ constraint: 'assignments_one_live' });
});

function value<T>(end: PromiseSettledResult<T> | undefined): T {
  if (end?.status !== 'fulfilled') {
    throw new Error(String(end?.reason));
  }
  return end.value;
}
