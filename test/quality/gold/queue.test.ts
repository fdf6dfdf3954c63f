import { expect, test } from 'vitest';
import { flagTask, reclaimAssignment, releaseAssignment } from '../../../src/services/routing/lease.js';
import { useTestDb } from '../../support/db.js';
import { makeBatch, makeWorld, type World } from '../../support/factories.js';
import { makeGolds, setGoldRate } from '../../support/golds.js';
import { expectRulesHold } from '../../support/rules.js';
import { claimRequest, connectApp, serve } from '../../support/serving.js';
import { answerNext, emptyReason, take } from '../../support/work.js';

// Gold that was begun, or came back, waits in the queue like any task. (Chance draws 0 always here.)
const t = useTestDb();

const goldQueue = async ({ tenantId }: World) =>
  (
    await t.admin.query(
      'select phase, free_slots, excl, passed from ready where tenant_id = $1 and is_gold order by task_id',
      [tenantId],
    )
  ).rows;

const drawsOf = async ({ tenantId }: World) =>
  (
    await t.admin.query('select reason, drawn from gold_draws where tenant_id = $1 order by assignment_id', [
      tenantId,
    ])
  ).rows;

test('what was begun with gold is begun for as many as the task wanted, and then the gold waits no more', async () => {
  const world = await makeWorld(t.database, { tasks: 2, experts: 3, project: { redundancy: 2 } });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  await setGoldRate(t.admin, { ...world, expertId: world.cyd.expertId }, 0);
  expect((await answerNext(t.database, world.ada)).taskId).toBe(gold);
  expect(await goldQueue(world)).toEqual([
    { phase: 1, free_slots: [2], excl: [String(world.ada.expertId)], passed: [] },
  ]);
  expect((await answerNext(t.database, world.bob)).taskId).toBe(gold);
  expect(await goldQueue(world)).toEqual([]);
  expect(world.taskIds).toContain((await take(t.database, world.cyd)).taskId);
  expect(await drawsOf(world)).toEqual([
    { reason: 'EVIDENCE', drawn: 0 },
    { reason: 'QUEUE', drawn: null },
  ]);
  await expectRulesHold(t.database);
});

test('two who claim at once, and would have been given one task, are given one gold', async () => {
  const world = await makeWorld(t.database, { tasks: 2, experts: 3, project: { redundancy: 2 } });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  const client = await connectApp(t);
  const { claims } = await serve(client, world.tenantId, {
    claims: [world.ada, world.bob].map((expert) => claimRequest(expert)),
  });
  await client.end();
  expect(claims.map(({ assignment }) => BigInt(assignment?.taskId ?? 0))).toEqual([gold, gold]);
  expect(await goldQueue(world)).toEqual([]);
  await expectRulesHold(t.database);
});

test('somebody on probation draws for what others have begun too, but begins no gold that waits', async () => {
  const world = await makeWorld(t.database, { tasks: 2, experts: 2, project: { redundancy: 2 } });
  const golds = await makeGolds(t.database, world, { keys: ['yes'] });
  await t.admin.query(
    `update expert_skills set status = 'PROBATION' where tenant_id = $1 and expert_id = $2`,
    [world.tenantId, world.bob.expertId],
  );
  expect(golds).toContain((await answerNext(t.database, world.ada)).taskId);
  expect(golds).toContain((await answerNext(t.database, world.bob)).taskId);
  expect(await goldQueue(world)).toEqual([]);
  expect((await drawsOf(world)).map(({ reason }) => reason)).toEqual(['EVIDENCE', 'QUEUE']);
  await answerNext(t.database, world.ada);
  const [more] = await makeGolds(t.database, world, { keys: ['no'] });
  expect((await take(t.database, world.bob)).taskId).toBe(more);
});

test('gold that ends leaves the queue, and what was had of it cannot be taken back', async () => {
  const world = await makeWorld(t.database, { tasks: 2, experts: 3 });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  await setGoldRate(t.admin, { ...world, expertId: world.bob.expertId }, 0);
  const held = await take(t.database, world.ada);
  expect(held.taskId).toBe(gold);
  await answerNext(t.database, world.bob);
  await t.advance(61);
  const again = await reclaimAssignment(t.database, world.ada.viewer, { assignmentId: held.id });
  await releaseAssignment(t.database, world.ada.viewer, { assignmentId: again.id, leaseEpoch: again.epoch });
  expect(await goldQueue(world)).toMatchObject([{ free_slots: [1], passed: [String(world.ada.expertId)] }]);
  await t.admin.query(
    `update golds set state = 'RETIRED', ended_at = app.clock_now(), reason = 'worn' where task_id = $1`,
    [gold],
  );
  expect(await goldQueue(world)).toEqual([]);
  expect(await emptyReason(t.database, world.bob)).toBe('NO_OPEN_TASK');
  await expectRulesHold(t.database);
});

test('a claim does not wait for who is just ending the gold that it would be given', async () => {
  const world = await makeWorld(t.database, { tasks: 2, experts: 3 });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  await setGoldRate(t.admin, { ...world, expertId: world.bob.expertId }, 0);
  const held = await take(t.database, world.ada);
  await flagTask(t.database, world.ada.viewer, {
    assignmentId: held.id,
    leaseEpoch: held.epoch,
    reason: 'OTHER',
  });
  await t.admin.query('begin');
  await t.admin.query('select from golds where task_id = $1 for update', [gold]);
  const other = await take(t.database, world.bob);
  await t.admin.query('rollback');
  expect(world.taskIds).toContain(other.taskId);
});

test('gold in the place of a reserved task comes back to who had it reserved, and to nobody else', async () => {
  const world = await makeWorld(t.database, { tasks: 0, experts: 3 });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  await setGoldRate(t.admin, { ...world, expertId: world.bob.expertId }, 0);
  const tasks = [{ allow: [world.ada.expertId] }];
  await makeBatch(t.database, world, { projectId: world.projectId, tasks });
  const held = await take(t.database, world.ada);
  expect(held.taskId).toBe(gold);
  await releaseAssignment(t.database, world.ada.viewer, { assignmentId: held.id, leaseEpoch: held.epoch });
  expect(await emptyReason(t.database, world.bob)).toBe('RESERVED_FOR_OTHERS');
  expect((await answerNext(t.database, world.ada)).taskId).toBe(gold);
  expect(await emptyReason(t.database, world.ada)).toBe('NO_OPEN_TASK');
  await expectRulesHold(t.database);
});
