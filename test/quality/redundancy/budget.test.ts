import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { BudgetTooLowError } from '../../../src/services/payouts/budget-errors.js';
import { withSystem } from '../../../src/services/platform/database.js';
import { createBatch, type InlineTask } from '../../../src/services/projects/batches.js';
import { resumeStopped } from '../../../src/services/projects/budget.js';
import { openLocalPayloadStore } from '../../../src/services/projects/payload-store-local.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { escalateTask } from '../../../src/services/quality/adjudication/escalate.js';
import { mintGolds } from '../../../src/services/quality/gold/mint.js';
import { flagTask } from '../../../src/services/routing/lease.js';
import { useTestDb } from '../../support/db.js';
import { at, makeBatch, makeCustomer, makeWorld, type World } from '../../support/factories.js';
import { makeGolds } from '../../support/golds.js';
import { untilBlocked } from '../../support/interleave.js';
import { brokenRules, expectRulesHold } from '../../support/rules.js';
import { enqueue } from '../../support/tasks.js';
import { submit, take } from '../../support/work.js';
import { answersIn, budgetedIn, committedIn, decisionsIn, PRICE, setIn, taskIn } from './support/budgeted.js';

// DESIGN 8.6: a budget is reserved when a slot opens. An answer costs 25 here.
const t = useTestDb();

const [budgeted, set, answers, committed, decisionsOf, taskOf] = [
  budgetedIn(t),
  setIn(t),
  answersIn(t),
  committedIn(t),
  decisionsIn(t),
  taskIn(t),
];

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

const wantedOf = async ({ projectId }: World) =>
  BigInt(
    at(
      await rows(`select sum(wanted) as n from tasks where project_id = $1 and kind <> 'GOLD'`, [projectId]),
      0,
    ).n,
  );

test('tasks are counted when they are opened, further answers and adjudications when they are asked for', async () => {
  const world = await budgeted(10n, { tasks: 1 });
  expect(await committed(world)).toBe(2n);
  await answers(world, ['yes', 'no']);
  expect(await committed(world)).toBe(3n);
  await answers(world, ['unsure'], 2);
  expect(await committed(world)).toBe(4n);
  await expectRulesHold(t.database);
});

test('a task that would want more than is left stops with what it has, and goes on when the customer raises the budget', async () => {
  const world = await budgeted(2n, { tasks: 1 });
  const taskId = at(world.taskIds, 0);
  await answers(world, ['yes', 'no']);
  expect(await taskOf(taskId)).toEqual({ state: 'DONE', wanted: 2, counted: 2 });
  const stopped = { answers: 2, next: 'STOP', reason: 'BUDGET' };
  expect(await decisionsOf(taskId)).toEqual([stopped]);
  expect(await resumeStopped(t.database, 10)).toBe(0);
  await set(world, 3n, world.customer.viewer);
  expect(await resumeStopped(t.database, 10)).toBe(1);
  expect(await taskOf(taskId)).toEqual({ state: 'OPEN', wanted: 3, counted: 2 });
  expect(await decisionsOf(taskId)).toEqual([stopped, { answers: 2, next: 'MORE', reason: null }]);
  await answers(world, ['unsure'], 2);
  // The adjudication is beyond it again.
  expect((await decisionsOf(taskId)).at(-1)).toEqual({ answers: 3, next: 'STOP', reason: 'BUDGET' });
  await expectRulesHold(t.database);
  await set(world, null);
  expect(await resumeStopped(t.database, 10)).toBe(1);
  expect((await decisionsOf(taskId)).at(-1)).toMatchObject({ next: 'ADJUDICATE' });
  expect(await resumeStopped(t.database, 10)).toBe(0);
  await expectRulesHold(t.database);
});

test('what is decided of tasks that waited for budget is decided by the policy of then', async () => {
  const world = await budgeted(2n, { tasks: 1 });
  await answers(world, ['yes', 'no']);
  const policy = { kind: 'FIXED', answers: 1 } as const;
  await setRedundancy(t.database, world.operator, { projectId: world.projectId, policy, isCritical: false });
  await set(world, 9n);
  expect(await resumeStopped(t.database, 10)).toBe(1);
  expect((await decisionsOf(at(world.taskIds, 0))).at(-1)).toEqual({
    answers: 2,
    next: 'ADJUDICATE',
    reason: 'TIE',
  });
  expect(await committed(world)).toBe(3n);
});

test('many submits at once that all would want more never take more than there is', async () => {
  const world = await budgeted(27n, { tasks: 10, experts: 20 });
  const held = await Promise.all(
    world.experts.map(async (expert) => ({ expert, held: await take(t.database, expert) })),
  );
  const seen = new Set<bigint>();
  await Promise.all(
    held.map(({ expert, held: one }) => {
      const choice = seen.has(one.taskId) ? 'no' : 'yes';
      seen.add(one.taskId);
      return submit(t.database, expert, { ...one, choice });
    }),
  );
  expect(await committed(world)).toBe(27n);
  expect(await wantedOf(world)).toBe(27n);
  const decisions = await rows(
    'select next, count(*)::int as n from task_decisions where project_id = $1 group by next order by next',
    [world.projectId],
  );
  expect(decisions).toEqual([
    { next: 'MORE', n: 7 },
    { next: 'STOP', n: 3 },
  ]);
  await expectRulesHold(t.database);
});

test('tasks beyond the budget are refused, whoever else opens some at the same moment', async () => {
  const world = await budgeted(11n, { tasks: 0 });
  const made = await Promise.allSettled(
    Array.from({ length: 8 }, () => makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 })),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
  expect(await committed(world)).toBe(10n);
  await expectRulesHold(t.database);
});

/** Sends a batch to the project, with a store of its own. */
async function send(world: World, key: string, tasks: readonly InlineTask[]): Promise<unknown> {
  const directory = await mkdtemp(join(tmpdir(), 'touchstone-budget-'));
  const parts = { db: t.database, store: await openLocalPayloadStore(directory) };
  const { projectId, customer } = world;
  const batch = { projectId, name: 'batch', deadline: null, idempotencyKey: key, tasks };
  return await createBatch(parts, customer.viewer, batch).finally(() => rm(directory, { recursive: true }));
}

const task = { payload: 'text' };

test('createBatch refuses what the budget does not pay for, and takes nothing', async () => {
  const world = await budgeted(5n, { tasks: 1 });
  await expect(send(world, 'two', [task, task])).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  expect(await send(world, 'one', [task])).toMatchObject({});
  expect(await rows('select 1 from batches where project_id = $1', [world.projectId])).toHaveLength(3);
});

test('rows that will be refused as faulty count for nothing before the budget, neither up nor down', async () => {
  const world = await budgeted(5n, { tasks: 1 });
  const faulty = [
    { ...task, redundancy: 100_000 },
    { ...task, redundancy: 3, allow: ['somebody'] },
    { ...task, redundancy: 3, contentType: 'nonsense' },
  ];
  expect(await send(world, 'typos', [task, ...faulty])).toMatchObject({});
  const lowered = [task, task, { ...task, redundancy: -100 }];
  // (What is wrong with the rows is told first: it is theirs to mend, whatever the budget.)
  await expect(send(world, 'lowered', lowered)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});

test('an escalation beyond the budget is refused, and the task stays as it is', async () => {
  const world = await budgeted(2n, { tasks: 1 });
  const taskId = at(world.taskIds, 0);
  await answers(world, ['yes', 'yes']);
  const escalate = () => escalateTask(t.database, world.customer.viewer, { taskId, reason: 'Looks odd.' });
  await expect(escalate()).rejects.toMatchObject({ code: 'BUDGET_EXCEEDED' });
  expect(await decisionsOf(taskId)).toHaveLength(1);
  await set(world, 3n);
  await escalate();
  expect(await committed(world)).toBe(3n);
  await expectRulesHold(t.database);
});

test('no stronger expert is asked about first gold beyond the budget', async () => {
  const world = await budgeted(8n, { tasks: 3, experts: 3 });
  for (const _task of world.taskIds) {
    await answers(world, ['yes', 'yes']);
  }
  const { failures } = await mintGolds(t.database, 20);
  expect(failures).toEqual([]);
  expect(await committed(world)).toBe(8n);
  await expectRulesHold(t.database);
});

test('a budget is at least what is spent and reserved, and only the project’s customer and operators set it', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 3 });
  await answers(world, ['yes', 'no']);
  const low = await set(world, 2n).catch((error: BudgetTooLowError) => error);
  expect(low).toMatchObject({ code: 'BUDGET_TOO_LOW', committedMinor: 3n * PRICE });
  await set(world, 3n);
  expect(await committed(world)).toBe(3n);
  await expect(set(world, 2n)).rejects.toMatchObject({ code: 'BUDGET_TOO_LOW' });
  const other = await makeCustomer(t.database, world);
  await expect(set(world, 9n, other.viewer)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(set(world, -1n)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
});

test('each budget that is set or taken away is kept for good, with who did it and what was committed', async () => {
  const world = await budgeted(4n, { tasks: 1 });
  const { projectId, operator, customer } = world;
  await set(world, 9n, customer.viewer);
  await expect(set(world, 1n)).rejects.toMatchObject({ code: 'BUDGET_TOO_LOW' });
  await set(world, null);
  await set(world, null);
  const changes = 'select budget_minor, committed_minor, set_by from budget_changes where project_id = $1';
  expect(await rows(`${changes} order by id`, [projectId])).toEqual([
    { budget_minor: '100', committed_minor: '0', set_by: String(operator.identityId) },
    { budget_minor: '225', committed_minor: '50', set_by: String(customer.viewer.identityId) },
    { budget_minor: null, committed_minor: '50', set_by: String(operator.identityId) },
  ]);
  const remove = rows('delete from budget_changes where project_id = $1', [projectId]);
  await expect(remove).rejects.toMatchObject({ code: 'XR001' });
});

test('a first budget waits for tasks that are being opened, and counts them in', async () => {
  const world = await makeWorld(t.database, { tasks: 5 });
  const { tenantId, batchId } = world;
  const setting = await withSystem(t.database, async (tx) => {
    await enqueue(tx, { tenantId, batchId, rows: [{}, {}], firstLine: 100 });
    const setting = set(world, 100n);
    await untilBlocked(t.admin, 1);
    return { done: setting };
  });
  await setting.done;
  expect(await committed(world)).toBe(7n);
  await expectRulesHold(t.database);
});

test('a submit that would want more waits for another that takes the rest, and stops then', async () => {
  const world = await budgeted(3n, { tasks: 1 });
  await answers(world, ['yes']);
  const held = await take(t.database, world.bob);
  const submitting = await withSystem(t.database, async (tx) => {
    await tx.$executeRaw`update project_budgets set committed_minor = budget_minor where project_id = ${world.projectId}`;
    const submitting = submit(t.database, world.bob, { ...held, choice: 'no' });
    await untilBlocked(t.admin, 1);
    return { done: submitting };
  });
  await submitting.done;
  expect(await decisionsOf(held.taskId)).toEqual([{ answers: 2, next: 'STOP', reason: 'BUDGET' }]);
  // What the other took was not for a task that there is.
  await t.admin.query('update project_budgets set committed_minor = $2 where project_id = $1', [
    world.projectId,
    2n * PRICE,
  ]);
  await expectRulesHold(t.database);
});

test('a task that is closed by flags frees what nobody has answered', async () => {
  const world = await budgeted(4n, { tasks: 1 });
  for (const expert of world.experts.slice(0, 2)) {
    const held = await take(t.database, expert);
    await flagTask(t.database, expert.viewer, {
      assignmentId: held.id,
      leaseEpoch: held.epoch,
      reason: 'OTHER',
    });
  }
  expect(await committed(world)).toBe(0n);
  await expectRulesHold(t.database);
});

test('gold is the tenant’s: it takes nothing of the budget, and answers of it neither', async () => {
  const world = await budgeted(1n, { tasks: 1, policy: { kind: 'FIXED', answers: 1 } });
  await makeGolds(t.database, world, { keys: ['yes'] });
  await answers(world, ['yes']);
  expect(await taskOf(at(world.taskIds, 0))).toMatchObject({ counted: 0 });
  expect(await committed(world)).toBe(1n);
  await expectRulesHold(t.database);
});

test('verify finds a budget that says less than what is wanted', async () => {
  const world = await budgeted(9n, { tasks: 2 });
  await t.admin.query('update project_budgets set committed_minor = 0 where project_id = $1', [
    world.projectId,
  ]);
  expect(await brokenRules(t.database)).toEqual([expect.stringContaining('a project with a budget')]);
  await t.admin.query('update project_budgets set committed_minor = 100 where project_id = $1', [
    world.projectId,
  ]);
  await expectRulesHold(t.database);
});

test('a budget that is set while it is taken away is there or is not, and fails for nobody', async () => {
  const world = await budgeted(20n, { tasks: 1 });
  for (let n = 0; n < 8; n += 1) {
    const results = await Promise.allSettled([
      set(world, 30n),
      set(world, null),
      set(world, 40n),
      set(world, null),
    ]);
    expect(results.map(({ status }) => status)).toEqual(Array.from(results, () => 'fulfilled'));
  }
  await expectRulesHold(t.database);
});
