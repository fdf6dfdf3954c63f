import { expect, test } from 'vitest';
import { scopeOf } from '../../../src/services/access/viewer.js';
import { withScope, withSystem } from '../../../src/services/platform/database.js';
import { flagTask, releaseAssignment } from '../../../src/services/routing/lease.js';
import { pauseExpert } from '../../../src/services/routing/pauses.js';
import { measurePools } from '../../../src/services/routing/pools.js';
import { suggestedExperts } from '../../../src/services/routing/suggestions.js';
import { useTestDb } from '../../support/db.js';
import { makeBatch, makeProject, makeWorld, type World } from '../../support/factories.js';
import { makeGolds, nextTick, setGoldRate } from '../../support/golds.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { claimRequest, connectApp, serve } from '../../support/serving.js';
import { answerNext, emptyReason, submit, take } from '../../support/work.js';

// The task in whose place gold was given is out of sight, and comes back. (Chance draws 0 always here.)
const t = useTestDb();

const hidden = ({ tenantId }: World) =>
  numberOf(t.admin, 'select count(*) from ready where tenant_id = $1 and phase = 3', [tenantId]);

test('where one task waits, who gives it back, and who asks next, see of gold what they see of work', async () => {
  const world = await makeWorld(t.database, { tasks: 1, experts: 3 });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  await setGoldRate(t.admin, { ...world, expertId: world.bob.expertId }, 0);
  const first = await take(t.database, world.ada);
  expect(await emptyReason(t.database, world.bob)).toBe('NO_OPEN_TASK');
  await releaseAssignment(t.database, world.ada.viewer, { assignmentId: first.id, leaseEpoch: first.epoch });
  const again = await take(t.database, world.ada);
  expect([first.taskId, again.taskId]).toEqual([gold, gold]);
  await submit(t.database, world.ada, again);
  expect(await emptyReason(t.database, world.bob)).toBe('NO_OPEN_TASK');
  expect(await nextTick(t, world)).toBe(1);
  expect(world.taskIds).toContain((await take(t.database, world.bob)).taskId);
  await expectRulesHold(t.database);
});

test('a task does not come back at an answer, nor at a tick before it', async () => {
  const world = await makeWorld(t.database, { tasks: 1, project: { leaseSeconds: 3600 } });
  await makeGolds(t.database, world, { keys: ['yes'] });
  const came = () => numberOf(t.admin, 'select app.bring_back($1, $2)', [world.tenantId, world.projectId]);
  // Ticks are 320 s apart.
  const held = await take(t.database, world.ada);
  await t.advance(321);
  expect(await came()).toBe(0);
  await submit(t.database, world.ada, held);
  // Nor where nothing says that anybody has looked since the last tick.
  await t.admin.query('update gold_pools set looked_at = null where tenant_id = $1', [world.tenantId]);
  expect(await came()).toBe(0);
  await t.advance(321);
  expect(await came()).toBe(1);
});

test('a task comes back while its gold is held only after the longest time that one can hold a task', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  await makeGolds(t.database, world, { keys: ['yes'] });
  await take(t.database, world.ada);
  expect(await nextTick(t, world)).toBe(0);
  await t.advance(121);
  expect(await nextTick(t, world)).toBe(1);
  await expectRulesHold(t.database);
});

test('a task comes back while its gold waits for nobody who comes, after an hour at most', async () => {
  const project = { redundancy: 2, leaseSeconds: 3600 };
  const world = await makeWorld(t.database, { tasks: 1, experts: 3, project });
  await makeGolds(t.database, world, { keys: ['yes'] });
  await answerNext(t.database, world.ada);
  await t.advance(3000);
  expect(await nextTick(t, world)).toBe(0);
  await t.advance(900);
  expect(await nextTick(t, world)).toBe(1);
  const { rows } = await t.admin.query(
    'select is_gold, phase, free_slots, hidings from ready where tenant_id = $1 order by is_gold',
    [world.tenantId],
  );
  expect(rows).toEqual([
    { is_gold: false, phase: 0, free_slots: [1, 2], hidings: 1 },
    { is_gold: true, phase: 1, free_slots: [2], hidings: 0 },
  ]);
  await expectRulesHold(t.database);
});

test('gold takes the place of a task twice, and no more', async () => {
  const world = await makeWorld(t.database, { tasks: 1, experts: 3 });
  const golds = await makeGolds(t.database, world, { keys: ['yes', 'yes', 'yes'] });
  for (const expert of [world.ada, world.bob]) {
    expect(golds).toContain((await answerNext(t.database, expert)).taskId);
    expect(await nextTick(t, world)).toBe(1);
  }
  const held = await take(t.database, world.cyd);
  expect(world.taskIds).toContain(held.taskId);
  // What is given back is not new to the queue either.
  await releaseAssignment(t.database, world.cyd.viewer, { assignmentId: held.id, leaseEpoch: held.epoch });
  expect((await take(t.database, world.cyd)).taskId).toBe(held.taskId);
  await expectRulesHold(t.database);
});

test('near a deadline a task is back sooner', async () => {
  const world = await makeWorld(t.database, { tasks: 1, experts: 1 });
  await makeGolds(t.database, world, { keys: ['yes'] });
  await t.admin.query(`update projects set deadline = app.clock_now() + interval '2 minutes' where id = $1`, [
    world.projectId,
  ]);
  await answerNext(t.database, world.ada);
  await t.advance(6);
  const { rows } = await t.admin.query('select app.bring_back($1, $2) as came', [
    world.tenantId,
    world.projectId,
  ]);
  expect(rows).toEqual([{ came: 1 }]);
});

test('the task of a gold that was ended comes back, and a cancelled project has none', async () => {
  const world = await makeWorld(t.database, { tasks: 1, experts: 2 });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  const held = await take(t.database, world.ada);
  const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
  await flagTask(t.database, world.ada.viewer, { ...lease, reason: 'OTHER' });
  await t.admin.query(
    `update golds set state = 'RETIRED', ended_at = app.clock_now(), reason = 'worn' where task_id = $1`,
    [gold],
  );
  expect(await emptyReason(t.database, world.bob)).toBe('NO_OPEN_TASK');
  expect(await nextTick(t, world)).toBe(1);
  await expectRulesHold(t.database);
});

test('a task that keeps somebody out is begun with gold as any, and so is what comes of the gold', async () => {
  const world = await makeWorld(t.database, { tasks: 0, experts: 3, project: { redundancy: 2 } });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  const tasks = [{ block: [world.bob.expertId] }];
  await makeBatch(t.database, world, { projectId: world.projectId, tasks });
  const held = await take(t.database, world.ada);
  expect(held.taskId).toBe(gold);
  expect(await emptyReason(t.database, world.bob)).toBe('RESERVED_FOR_OTHERS');
  await releaseAssignment(t.database, world.ada.viewer, { assignmentId: held.id, leaseEpoch: held.epoch });
  expect(await emptyReason(t.database, world.bob)).toBe('RESERVED_FOR_OTHERS');
  expect((await answerNext(t.database, world.cyd)).taskId).toBe(gold);
  await expectRulesHold(t.database);
});

test.each([3, 2])(
  'of %i answers, what others began is no gold for who is on probation where it wants more than one, or they had it',
  async (redundancy) => {
    const world = await makeWorld(t.database, { tasks: 1, experts: 2, project: { redundancy } });
    const { ada, bob } = world;
    const first = await take(t.database, ada);
    const giveBack = async () => {
      const { id, epoch, taskId } = await take(t.database, bob);
      expect(taskId).toBe(first.taskId);
      await releaseAssignment(t.database, bob.viewer, { assignmentId: id, leaseEpoch: epoch });
    };
    if (redundancy === 2) {
      await giveBack();
    }
    await t.admin.query(
      `update expert_skills set status = 'PROBATION' where tenant_id = $1 and expert_id = $2`,
      [world.tenantId, bob.expertId],
    );
    await makeGolds(t.database, world, { keys: ['yes'] });
    await giveBack();
  },
);

test('a begun task that is out of sight for its last answer is seen again when another gives it back', async () => {
  const world = await makeWorld(t.database, { tasks: 1, experts: 3, project: { redundancy: 2 } });
  const { ada, bob, cyd } = world;
  const held = await take(t.database, ada);
  await t.admin.query(
    `update expert_skills set status = 'PROBATION' where tenant_id = $1 and expert_id = $2`,
    [world.tenantId, bob.expertId],
  );
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  await setGoldRate(t.admin, { ...world, expertId: cyd.expertId }, 0);
  expect((await take(t.database, bob)).taskId).toBe(gold);
  expect(await emptyReason(t.database, cyd)).toBe('NO_OPEN_TASK');
  await releaseAssignment(t.database, ada.viewer, { assignmentId: held.id, leaseEpoch: held.epoch });
  expect((await take(t.database, cyd)).taskId).toBe(held.taskId);
  await expectRulesHold(t.database);
});

test('gold in the place of a task that is reserved for several goes to all of them, and comes back to all', async () => {
  const world = await makeWorld(t.database, { tasks: 0, experts: 3 });
  const { ada, bob, cyd } = world;
  const [old, gold] = await makeGolds(t.database, world, { keys: ['yes', 'yes'] });
  await t.admin.query('update golds set barred = array[$2::bigint] where task_id = $1', [old, bob.expertId]);
  const tasks = [{ allow: [ada.expertId, bob.expertId], wanted: 2 }];
  const { taskIds } = await makeBatch(t.database, world, { projectId: world.projectId, tasks });
  const held = await take(t.database, ada);
  expect(held.taskId).toBe(gold);
  await releaseAssignment(t.database, ada.viewer, { assignmentId: held.id, leaseEpoch: held.epoch });
  expect(await emptyReason(t.database, cyd)).toBe('RESERVED_FOR_OTHERS');
  expect((await answerNext(t.database, bob)).taskId).toBe(gold);
  expect((await answerNext(t.database, ada)).taskId).toBe(gold);
  expect(await nextTick(t, world)).toBe(1);
  await setGoldRate(t.admin, { ...world, expertId: ada.expertId }, 0);
  expect((await take(t.database, ada)).taskId).toBe(taskIds[0]);
  expect((await take(t.database, bob)).taskId).toBe(taskIds[0]);
  await expectRulesHold(t.database);
});

test('what is out of sight waits, and nobody can be given it: pools and suggestions know', async () => {
  const world = await makeWorld(t.database, { tasks: 1, experts: 2 });
  const { tenantId, skillId, operator, bob } = world;
  await pauseExpert(t.database, operator, { expertId: bob.expertId, skillId, reason: 'r', withdraw: false });
  const suggested = () =>
    withScope(t.database, scopeOf(operator), (tx) => suggestedExperts(tx, { tenantId, skillId }));
  expect(await suggested()).toHaveLength(1);
  await makeGolds(t.database, world, { keys: ['yes'] });
  await take(t.database, world.ada);
  expect(await suggested()).toEqual([]);
  const { skills } = await withSystem(t.database, (tx) => measurePools(tx));
  const pool = skills.find((one) => one.pool.skillId === skillId)?.pool;
  expect(pool).toMatchObject({ queueDepth: 1, openAnswers: 0 });
});

test('two projects that take turns take them with gold too', async () => {
  const world = await makeWorld(t.database, { tasks: 4 });
  await makeGolds(t.database, world, { keys: ['yes', 'yes', 'yes', 'yes'] });
  const another = await makeProject(t.database, world);
  await makeBatch(t.database, world, { projectId: another, tasks: 4 });
  const given: bigint[] = [];
  for (let n = 0; n < 8; n++) {
    const { id } = await answerNext(t.database, world.ada);
    given.push(BigInt(await numberOf(t.admin, 'select project_id from assignments where id = $1', [id])));
  }
  expect(new Set(given.slice(0, 2)).size).toBe(2);
  expect(given.slice(2)).toEqual(given.slice(0, 6));
  expect(await hidden(world)).toBe(4);
});

test('of a batch who choose one task, who cannot have the gold that takes its place chooses again', async () => {
  const world = await makeWorld(t.database, { tasks: 2, experts: 2, project: { redundancy: 2 } });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'], barred: [world.bob.expertId] });
  const client = await connectApp(t);
  const { claims } = await serve(client, world.tenantId, {
    claims: [world.ada, world.bob].map((expert) => claimRequest(expert)),
  });
  await client.end();
  const [ada, bob] = claims.map(({ assignment }) => BigInt(assignment?.taskId ?? 0));
  expect(ada).toBe(gold);
  const rows = await t.admin.query('select task_id from ready where tenant_id = $1 and phase = 3', [
    world.tenantId,
  ]);
  expect(rows.rows).toEqual([{ task_id: String(world.taskIds.find((id) => id !== bob)) }]);
  await expectRulesHold(t.database);
});
