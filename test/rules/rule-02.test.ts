import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../src/services/platform/database.js';
import { flagTask, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';
import { behind, taskRow } from '../support/interleave.js';
import { fireAlarms, numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { answerNext, atOnce, claim, outcome, submit, take, tally } from '../support/work.js';

// Rule 2: live plus counted answers of a task never exceed the number it wants.
const t = useTestDb();
let crowd: Database;
beforeAll(() => {
  crowd = openDatabase({ url: t.url, appConnections: 40 });
});
afterAll(() => crowd.close());

test('200 clients on 100 open answers at once: exactly 100 are given one, and the rest are told the truth', async () => {
  const { experts, tenantId, taskIds } = await makeWorld(crowd, {
    experts: 200,
    tasks: 25,
    project: { redundancy: 4 },
  });
  const results = await Promise.all(experts.map((expert) => claim(crowd, expert)));
  const said = results.map((result) => ('held' in result ? 'GIVEN' : result.empty.reason));
  expect(tally(said)).toEqual({ GIVEN: 100, NO_OPEN_TASK: 100 });
  await expectRulesHold(crowd);

  await Promise.all(
    results.map((result, index) => {
      const expert = experts[index];
      return 'held' in result && expert ? submit(crowd, expert, result.held) : null;
    }),
  );
  const full = `select count(*) from tasks where tenant_id = $1 and state = 'DONE' and counted = 4`;
  expect(await numberOf(t.admin, full, [tenantId])).toBe(taskIds.length);
  await expectRulesHold(crowd);
});

test('claims, releases, flags and expiries at once never overfill a task and never lose a slot', async () => {
  const { experts } = await makeWorld(crowd, {
    experts: 24,
    tasks: 6,
    project: { redundancy: 5, leaseSeconds: 1 },
  });
  for (let round = 0; round < 8; round++) {
    // A third of the leases of the round before have been left to lapse; everybody meets them at once.
    await t.advance(1.1);
    await Promise.all([
      fireAlarms(crowd),
      fireAlarms(crowd),
      ...experts.map(async (expert, index) => {
        const result = await claim(crowd, expert);
        if ('empty' in result) {
          return;
        }
        const lease = { assignmentId: result.held.id, leaseEpoch: result.held.epoch };
        const turn = (index + round) % 6;
        if (turn < 2) {
          await outcome(releaseAssignment(crowd, expert.viewer, lease));
        } else if (turn === 2 && index % 4 === 0) {
          await outcome(flagTask(crowd, expert.viewer, { ...lease, reason: 'OTHER' }));
        } else if (turn < 4) {
          await outcome(submit(crowd, expert, result.held));
        }
      }),
    ]);
    await expectRulesHold(crowd);
  }
});

test('two slots of one task that come back at once both come back', async () => {
  const { ada, bob, cyd, tenantId, taskIds } = await makeWorld(crowd, {
    experts: 3,
    project: { redundancy: 2 },
  });
  const [first, second] = [await take(crowd, ada), await take(crowd, bob)];
  const ends = await behind<unknown>(t, taskRow(tenantId, first.taskId), [
    () =>
      releaseAssignment(crowd, ada.viewer, {
        assignmentId: first.id,
        leaseEpoch: first.epoch,
      }),
    () =>
      releaseAssignment(crowd, bob.viewer, {
        assignmentId: second.id,
        leaseEpoch: second.epoch,
      }),
  ]);
  expect(ends.map((end) => end.status)).toEqual(['fulfilled', 'fulfilled']);
  const free = 'select need from ready where tenant_id = $1 and task_id = $2';
  expect(await numberOf(t.admin, free, [tenantId, taskIds[0]])).toBe(2);
  await expectRulesHold(crowd);
  expect((await take(crowd, cyd)).taskId).toBe(taskIds[0]);
});

test('the last slot of a task is given once, whoever asks for it at the same moment', async () => {
  const { experts, tenantId } = await makeWorld(crowd, { experts: 20, tasks: 3 });
  const results = await atOnce(20, (n) => claim(crowd, experts[n] as never));
  expect(results.filter((result) => 'held' in result)).toHaveLength(3);
  expect(await numberOf(t.admin, 'select count(*) from assignments where tenant_id = $1', [tenantId])).toBe(
    3,
  );
  await expectRulesHold(crowd);
});

test.each([
  ['a slot that is taken', 'slot', 'assignments_slot'],
  ['a slot beyond what is wanted', '(wanted + 1)::smallint', 'assignments_check'],
])('the database itself refuses %s', async (_what, slot, constraint) => {
  const { ada, bob, tenantId } = await makeWorld(crowd, { experts: 2, project: { redundancy: 2 } });
  await answerNext(crowd, ada);
  await expect(
    t.admin.query(
      `insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag,
         state, epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency)
       select tenant_id, task_id, $2, project_id, batch_id, customer_id, lane_id, ${slot}, wanted, tag,
         'LEASED', epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency
       from assignments where tenant_id = $1`,
      [tenantId, bob.expertId],
    ),
  ).rejects.toMatchObject({ constraint: expect.stringContaining(constraint) });
});
