import { expect, test } from 'vitest';
import { reclaimAssignment, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { behind, expertRow, uncommitted } from '../support/interleave.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import {
  answerNext,
  atOnce,
  claimStatement,
  emptyReason,
  outcome,
  submit,
  take,
  takeAlone,
} from '../support/work.js';

// Rule 3: the same expert never answers the same task twice, whatever became of the first answer.
const t = useTestDb();

const rowsOf = (tenantId: bigint) =>
  numberOf(t.admin, 'select count(*) from assignments where tenant_id = $1', [tenantId]);

test('who has answered a task that wants more is not given it again', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { project: { redundancy: 3 } });
  await answerNext(t.database, ada);
  expect(await emptyReason(t.database, ada)).toBe('ALL_ANSWERED_BY_YOU');
  expect(await rowsOf(tenantId)).toBe(1);
  await expectRulesHold(t.database);
});

test('a task that lapsed comes back to its expert as the same assignment at the next epoch', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const first = await take(t.database, ada);
  await t.advance(61);
  const second = await take(t.database, ada);
  expect(second).toMatchObject({ id: first.id, epoch: first.epoch + 1 });
  expect(await outcome(submit(t.database, ada, first))).toBe('STALE_LEASE');
  expect(await outcome(submit(t.database, ada, second))).toBe('OK');
  expect(await rowsOf(tenantId)).toBe(1);
  await expectRulesHold(t.database);
});

test('an expert who loses, takes back and claims the same tasks at once answers each once', async () => {
  const { ada, tenantId, taskIds } = await makeWorld(t.database, { tasks: 3, project: { redundancy: 5 } });
  for (let round = 0; round < 4; round++) {
    const lost = await take(t.database, ada);
    await t.advance(61);
    await atOnce(6, (n) =>
      n % 2 === 0
        ? outcome(reclaimAssignment(t.database, ada.viewer, { assignmentId: lost.id }))
        : outcome(take(t.database, ada)),
    );
    const held = await take(t.database, ada);
    await atOnce(4, () => outcome(submit(t.database, ada, held)));
    if (round === 2) {
      break;
    }
  }
  expect(await emptyReason(t.database, ada)).toBe('ALL_ANSWERED_BY_YOU');
  expect(await rowsOf(tenantId)).toBe(taskIds.length);
  expect(await numberOf(t.admin, 'select count(*) from answers where tenant_id = $1', [tenantId])).toBe(3);
  await expectRulesHold(t.database);
});

test('two claims of an expert who gave the only task back take it once', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  await releaseAssignment(t.database, ada.viewer, { assignmentId: held.id, leaseEpoch: held.epoch });
  const ends = await behind(t, expertRow(tenantId, ada.expertId), [
    () => takeAlone(t.database, ada),
    () => takeAlone(t.database, ada),
  ]);
  expect(ends).toMatchObject([
    { status: 'fulfilled', value: { id: held.id, epoch: 2 } },
    { status: 'fulfilled', value: { id: held.id, epoch: 2 } },
  ]);
  await expectRulesHold(t.database);
});

test('a slot that comes back while the last free one is being taken does not make the taker answer twice', async () => {
  const { ada, bob, cyd, tenantId } = await makeWorld(t.database, {
    experts: 3,
    project: { redundancy: 2 },
  });
  const given = await take(t.database, bob);
  // The queue row is written again by the release before it can see that ada holds the task: it does not list her.
  const lease = { assignmentId: given.id, leaseEpoch: given.epoch };
  const released = await uncommitted(t, claimStatement(tenantId, ada), () => [
    outcome(releaseAssignment(t.database, bob.viewer, lease)),
  ]);
  expect(await Promise.all(released)).toEqual(['OK']);
  const held = await take(t.database, ada);
  await submit(t.database, ada, held);
  expect(await emptyReason(t.database, ada)).toBe('ALL_ANSWERED_BY_YOU');
  await answerNext(t.database, cyd);
  await expectRulesHold(t.database);
});

test('the database itself refuses a second assignment of a task to the same expert', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { project: { redundancy: 2 } });
  await answerNext(t.database, ada);
  await expect(
    t.admin.query(
      `insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
         state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency)
       select tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, 2, wanted, tag,
         'LEASED', epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency
       from assignments where tenant_id = $1`,
      [tenantId],
    ),
  ).rejects.toMatchObject({ constraint: 'assignments_task_expert' });
});
