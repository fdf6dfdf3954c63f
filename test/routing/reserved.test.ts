import { expect, test } from 'vitest';
import { flagTask, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { at, makeBatch, makeWorld, type World } from '../support/factories.js';
import { behind, taskRow } from '../support/interleave.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import type { TaskRow } from '../support/tasks.js';
import { answerNext, emptyReason, submit, take } from '../support/work.js';

// Allow and block lists: who may have a task, and what becomes of it when they cannot all answer it.
const t = useTestDb();

async function reserved(row: (world: World) => TaskRow): Promise<World & { readonly taskId: bigint }> {
  const world = await makeWorld(t.database, { experts: 3, tasks: 0 });
  const tasks = [row(world)];
  const { taskIds } = await makeBatch(t.database, world, { projectId: world.projectId, tasks });
  return Object.assign(world, { taskId: at(taskIds, 0) });
}

const allowed = (world: World, count: number) => world.experts.slice(0, count).map((one) => one.expertId);
const leaseOf = (held: { id: bigint; epoch: number }) => ({ assignmentId: held.id, leaseEpoch: held.epoch });
const stateOf = async (taskId: bigint) =>
  (await t.admin.query('select state, counted from tasks where id = $1', [taskId])).rows[0];

test('a reserved task is given to those it names, once each, and to nobody else', async () => {
  const world = await reserved((w) => ({ allow: allowed(w, 2), wanted: 2 }));
  await answerNext(t.database, world.ada);
  expect(await emptyReason(t.database, world.ada)).toBe('ALL_ANSWERED_BY_YOU');
  expect(await emptyReason(t.database, world.cyd)).toBe('RESERVED_FOR_OTHERS');
  await answerNext(t.database, world.bob);
  expect(await stateOf(world.taskId)).toEqual({ state: 'DONE', counted: 2 });
  const left = 'select count(*) from ready_directed where tenant_id = $1';
  expect(await numberOf(t.admin, left, [world.tenantId])).toBe(0);
  await expectRulesHold(t.database);
});

test('a reserved task that lapses or is given back is again for those it names', async () => {
  const world = await reserved((w) => ({ allow: allowed(w, 2) }));
  const first = await take(t.database, world.ada);
  await t.advance(61);
  const second = await take(t.database, world.bob);
  await releaseAssignment(t.database, world.bob.viewer, leaseOf(second));
  expect(await emptyReason(t.database, world.cyd)).toBe('RESERVED_FOR_OTHERS');
  expect((await take(t.database, world.ada)).id).toBe(first.id);
  await expectRulesHold(t.database);
});

test('who is barred is not given the task, even where it names them', async () => {
  const world = await reserved((w) => ({ allow: allowed(w, 2), block: allowed(w, 1) }));
  expect(await emptyReason(t.database, world.ada)).toBe('RESERVED_FOR_OTHERS');
  const held = await take(t.database, world.bob);
  await releaseAssignment(t.database, world.bob.viewer, leaseOf(held));
  expect(await emptyReason(t.database, world.ada)).toBe('RESERVED_FOR_OTHERS');
  await expectRulesHold(t.database);
});

test('one flag closes a task that is reserved for one', async () => {
  const world = await reserved((w) => ({ allow: allowed(w, 1) }));
  const held = await take(t.database, world.ada);
  const flag = { ...leaseOf(held), reason: 'OTHER' } as const;
  expect(await flagTask(t.database, world.ada.viewer, flag)).toEqual({ taskClosed: true });
  expect(await stateOf(world.taskId)).toEqual({ state: 'FLAGGED', counted: 0 });
});

test('two flags that make the quorum at the same moment close the task', async () => {
  const world = await makeWorld(t.database, { experts: 2, project: { redundancy: 2 } });
  const held = [await take(t.database, world.ada), await take(t.database, world.bob)];
  const taskId = at(world.taskIds, 0);
  const ends = await behind(
    t,
    taskRow(world.tenantId, taskId),
    [world.ada, world.bob].map((expert, n) => () => {
      const lease = leaseOf(at(held, n));
      return flagTask(t.database, expert.viewer, { ...lease, reason: 'OTHER' });
    }),
  );
  expect(ends).toMatchObject([{ value: { taskClosed: false } }, { value: { taskClosed: true } }]);
  expect((await stateOf(taskId)).state).toBe('FLAGGED');
  await expectRulesHold(t.database);
});

test.each(['answered first', 'answers last'])(
  'a reserved task that one answers and the other flags is closed, not left waiting for nobody: %s',
  async (order) => {
    const world = await reserved((w) => ({ allow: allowed(w, 2), wanted: 2 }));
    const [mine, theirs] = [await take(t.database, world.ada), await take(t.database, world.bob)];
    const flag = { ...leaseOf(theirs), reason: 'OTHER' } as const;
    if (order === 'answered first') {
      await submit(t.database, world.ada, mine);
    }
    const { taskClosed } = await flagTask(t.database, world.bob.viewer, flag);
    expect(taskClosed).toBe(order === 'answered first');
    if (order === 'answers last') {
      await submit(t.database, world.ada, mine);
    }
    expect(await stateOf(world.taskId)).toEqual({ state: 'FLAGGED', counted: 1 });
    expect(await emptyReason(t.database, world.ada)).toBe('NO_OPEN_TASK');
    await expectRulesHold(t.database);
  },
);
