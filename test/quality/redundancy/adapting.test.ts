import { expect, test } from 'vitest';
import { type RedundancyChange, setRedundancy } from '../../../src/services/projects/redundancy.js';
import { escalateTask } from '../../../src/services/quality/adjudication/escalate.js';
import { useTestDb } from '../../support/db.js';
import { at, type CHOICES, makeBatch, makeWorld, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { atOnce, emptyReason, outcome, submit, take } from '../../support/work.js';

// DESIGN 8.9, 8.10: what a task wants moves with its answers, in their transaction, and never below them.
const t = useTestDb();

type Choice = (typeof CHOICES)[number];
const TWO_OF_THREE = { kind: 'AGREE', agree: 2, max: 3 } as const;
const TILL_SURE = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 4, errorCostMinor: null } as const;

/** A world whose one task is under the policy; the experts are right four times in five by their record. */
async function judged(
  policy: RedundancyChange['policy'],
  { experts = 6, quality = 0.8, isCritical = false } = {},
): Promise<World & { taskId: bigint }> {
  const world = await makeWorld(t.database, { experts, tasks: 0, quality });
  const { projectId, operator } = world;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical });
  const { taskIds } = await makeBatch(t.database, world, { projectId, tasks: 1 });
  return { ...world, taskId: at(taskIds, 0) };
}

async function answers(world: World, choices: readonly Choice[], from = 0): Promise<void> {
  for (const [index, choice] of choices.entries()) {
    const expert = at(world.experts, from + index);
    await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
  }
}

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

const taskOf = async (id: bigint) =>
  at(await rows('select state, wanted, counted from tasks where id = $1', [id]), 0);

const decisionsOf = (id: bigint) =>
  rows('select answers, next, reason from task_decisions where task_id = $1 order by id', [id]);

const adjudicationOf = async (id: bigint) =>
  at(
    await rows(
      `select t.* from adjudications j join tasks t on t.tenant_id = j.tenant_id and t.id = j.task_id where j.parent_id = $1`,
      [id],
    ),
    0,
  );

test('two that agree are enough', async () => {
  const world = await judged(TWO_OF_THREE);
  await answers(world, ['yes', 'yes']);
  expect(await taskOf(world.taskId)).toEqual({ state: 'DONE', wanted: 2, counted: 2 });
  expect(await decisionsOf(world.taskId)).toEqual([{ answers: 2, next: 'STOP', reason: null }]);
  expect(await emptyReason(t.database, at(world.experts, 2))).toBe('NO_OPEN_TASK');
  await expectRulesHold(t.database);
});

test('two that differ get a third, and never one of the two again', async () => {
  const world = await judged(TWO_OF_THREE);
  await answers(world, ['yes', 'no']);
  expect(await taskOf(world.taskId)).toEqual({ state: 'OPEN', wanted: 3, counted: 2 });
  expect(await emptyReason(t.database, world.ada)).toBe('ALL_ANSWERED_BY_YOU');
  await expectRulesHold(t.database);
  await answers(world, ['no'], 2);
  expect(await taskOf(world.taskId)).toEqual({ state: 'DONE', wanted: 3, counted: 3 });
  expect(await decisionsOf(world.taskId)).toEqual([
    { answers: 2, next: 'MORE', reason: null },
    { answers: 3, next: 'STOP', reason: null },
  ]);
});

test('three that all differ are adjudicated: a task of its own, for none who has seen the item', async () => {
  const world = await judged(TWO_OF_THREE, { quality: 0.85 });
  await answers(world, ['yes', 'no', 'unsure']);
  expect(await taskOf(world.taskId)).toMatchObject({ state: 'DONE', wanted: 3 });
  const other = await adjudicationOf(world.taskId);
  expect(other).toMatchObject({ state: 'OPEN', wanted: 1, content_type: 'application/json' });
  for (const expert of world.experts.slice(0, 3)) {
    expect(await emptyReason(t.database, expert)).not.toBe('GIVEN');
  }
  await expectRulesHold(t.database);
  const held = await take(t.database, at(world.experts, 3));
  expect(String(held.taskId)).toBe(other.id);
  await submit(t.database, at(world.experts, 3), { ...held, choice: 'no' });
  expect(await adjudicationOf(world.taskId)).toMatchObject({ state: 'DONE', wanted: 1, counted: 1 });
  expect(await taskOf(world.taskId)).toMatchObject({ wanted: 3, counted: 3 });
  expect(await decisionsOf(BigInt(other.id))).toEqual([]);
  await expectRulesHold(t.database);
});

test('an adjudication is for stronger experts than the project asks for', async () => {
  const world = await judged(TWO_OF_THREE, { quality: 0.79 });
  await answers(world, ['yes', 'no', 'unsure']);
  expect(await emptyReason(t.database, at(world.experts, 3))).toBe('QUALITY_BELOW_MINIMUM');
});

test('answers are asked for until the posterior is reached', async () => {
  const world = await judged(TILL_SURE);
  await answers(world, ['yes', 'yes']);
  // Two at .9 of three classes: .81 against .0025 for each of the others.
  expect(await decisionsOf(world.taskId)).toEqual([{ answers: 2, next: 'STOP', reason: null }]);
  const torn = await judged({ ...TILL_SURE, posterior: 0.85 });
  await answers(torn, ['yes', 'no', 'unsure']);
  expect(await taskOf(torn.taskId)).toEqual({ state: 'OPEN', wanted: 4, counted: 3 });
  await answers(torn, ['yes'], 3);
  // .9^2 x .05^2 against .9 x .05^3 twice: .9.
  expect((await decisionsOf(torn.taskId)).at(-1)).toEqual({ answers: 4, next: 'STOP', reason: null });
  const split = await judged({ ...TILL_SURE, max: 2 });
  await answers(split, ['yes', 'no']);
  expect(await decisionsOf(split.taskId)).toEqual([
    { answers: 2, next: 'ADJUDICATE', reason: 'MAXIMUM_REACHED' },
  ]);
});

/** Puts the first so many experts on probation. */
const beginners = (world: World, count: number) =>
  t.admin.query(`update expert_skills set status = 'PROBATION' where expert_id = any ($1::bigint[])`, [
    world.experts.slice(0, count).map(({ expertId }) => String(expertId)),
  ]);

test('no task is done on the word of experts on probation alone: one more, up to the maximum, then a stronger expert', async () => {
  const world = await judged(TWO_OF_THREE, { quality: 0.85 });
  await beginners(world, 3);
  await answers(world, ['yes', 'yes']);
  expect(await taskOf(world.taskId)).toEqual({ state: 'OPEN', wanted: 3, counted: 2 });
  await answers(world, ['yes'], 2);
  expect(await taskOf(world.taskId)).toEqual({ state: 'DONE', wanted: 3, counted: 3 });
  expect(await decisionsOf(world.taskId)).toEqual([
    { answers: 2, next: 'MORE', reason: 'PROBATION_ALONE' },
    { answers: 3, next: 'ADJUDICATE', reason: 'PROBATION_ALONE' },
  ]);
  const { taskId } = await take(t.database, at(world.experts, 3));
  expect(String(taskId)).toBe((await adjudicationOf(world.taskId)).id);
  await expectRulesHold(t.database);
});

test('one proven expert among them is enough', async () => {
  const world = await judged(TWO_OF_THREE);
  await beginners(world, 2);
  await answers(world, ['yes', 'yes']);
  await answers(world, ['yes'], 2);
  expect((await decisionsOf(world.taskId)).at(-1)).toEqual({ answers: 3, next: 'STOP', reason: null });
  const mixed = await judged(TWO_OF_THREE);
  await beginners(mixed, 1);
  await answers(mixed, ['yes', 'yes']);
  expect(await decisionsOf(mixed.taskId)).toEqual([{ answers: 2, next: 'STOP', reason: null }]);
});

test('an answer that costs more than it can save is not bought', async () => {
  // One more answer raises .486 by about .4 at best: at 25 cents that is worth it above some 60 cents an error.
  const dear = await judged({ ...TILL_SURE, errorCostMinor: 20 });
  await answers(dear, ['yes', 'no']);
  expect(await decisionsOf(dear.taskId)).toEqual([
    { answers: 2, next: 'ADJUDICATE', reason: 'NOT_WORTH_ITS_PRICE' },
  ]);
  const cheap = await judged({ ...TILL_SURE, errorCostMinor: 1000 });
  await answers(cheap, ['yes', 'no']);
  expect(await decisionsOf(cheap.taskId)).toEqual([{ answers: 2, next: 'MORE', reason: null }]);
});

test('a critical project’s tasks are opened with three answers, whatever the policy says', async () => {
  const world = await judged(TWO_OF_THREE, { isCritical: true });
  expect(await taskOf(world.taskId)).toEqual({ state: 'OPEN', wanted: 3, counted: 0 });
});

test('the last answers of a task that come at once are decided about once', async () => {
  const world = await judged(TWO_OF_THREE);
  const mine = await take(t.database, world.ada);
  const theirs = await take(t.database, world.bob);
  await Promise.all([
    submit(t.database, world.ada, { ...mine, choice: 'yes' }),
    submit(t.database, world.bob, { ...theirs, choice: 'no' }),
  ]);
  expect(await taskOf(world.taskId)).toEqual({ state: 'OPEN', wanted: 3, counted: 2 });
  await atOnce(4, () => submit(t.database, world.ada, { ...mine, choice: 'yes' }));
  expect(await taskOf(world.taskId)).toEqual({ state: 'OPEN', wanted: 3, counted: 2 });
  expect(await decisionsOf(world.taskId)).toHaveLength(1);
  await expectRulesHold(t.database);
});

test('a receipt that is asked for again decides nothing again', async () => {
  const world = await judged(TWO_OF_THREE);
  await answers(world, ['yes']);
  const held = await take(t.database, world.bob);
  await submit(t.database, world.bob, { ...held, choice: 'yes' });
  await submit(t.database, world.bob, { ...held, choice: 'yes' });
  expect(await decisionsOf(world.taskId)).toHaveLength(1);
});

test('a task that is done is escalated once, with a reason', async () => {
  const world = await judged(TWO_OF_THREE, { quality: 0.85 });
  const escalate = (reason = 'The customer doubts it.') =>
    outcome(escalateTask(t.database, world.operator, { taskId: world.taskId, reason }));
  expect(await escalate()).toBe('NOT_ESCALATABLE');
  await answers(world, ['yes', 'yes']);
  expect(await escalate(' ')).toBe('INPUT_INVALID');
  expect((await atOnce(3, () => escalate())).sort()).toEqual(['NOT_ESCALATABLE', 'NOT_ESCALATABLE', 'OK']);
  expect((await decisionsOf(world.taskId)).at(-1)).toEqual({
    answers: 2,
    next: 'ADJUDICATE',
    reason: 'The customer doubts it.',
  });
  const held = await take(t.database, at(world.experts, 4));
  expect(String(held.taskId)).toBe((await adjudicationOf(world.taskId)).id);
  const stranger = await makeWorld(t.database);
  const theirs = escalateTask(t.database, stranger.operator, { taskId: world.taskId, reason: 'r' });
  expect(await outcome(theirs)).toBe('NOT_FOUND');
  await expectRulesHold(t.database);
});

test('a project that is being cancelled gets no more slots, and holds up no answer', async () => {
  const world = await judged(TWO_OF_THREE);
  await answers(world, ['yes']);
  const held = await take(t.database, world.bob);
  const cancel = `select app.cancel_project(${world.tenantId}, null, ${world.projectId}, null, 'FINISH')`;
  await t.admin.query('begin');
  await t.admin.query(cancel);
  await submit(t.database, world.bob, { ...held, choice: 'no' });
  await t.admin.query('commit');
  expect(await taskOf(world.taskId)).toEqual({ state: 'DONE', wanted: 2, counted: 2 });
  await expectRulesHold(t.database);
});

/** A task that is reserved for so many experts, of whom the first `wanted` are asked at once. */
async function reserved(world: World, { experts, wanted }: { experts: number; wanted: number }) {
  const allow = world.experts.slice(0, experts).map(({ expertId }) => expertId);
  const tasks = [{ allow, wanted }];
  const { taskIds } = await makeBatch(t.database, world, { projectId: world.projectId, tasks });
  return at(taskIds, 0);
}

const EMPTY = { experts: 8, tasks: 0, quality: 0.85 };

test('a task that is reserved for named experts goes on as far as its list reaches', async () => {
  const world = await makeWorld(t.database, EMPTY);
  const { projectId, operator } = world;
  await setRedundancy(t.database, operator, { projectId, policy: TWO_OF_THREE, isCritical: false });
  const enough = await reserved(world, { experts: 3, wanted: 2 });
  await answers(world, ['yes', 'yes']);
  expect(await taskOf(enough)).toEqual({ state: 'DONE', wanted: 2, counted: 2 });
  const third = await reserved(world, { experts: 3, wanted: 2 });
  await answers(world, ['yes', 'no']);
  expect(await taskOf(third)).toEqual({ state: 'OPEN', wanted: 3, counted: 2 });
  expect(await emptyReason(t.database, at(world.experts, 5))).not.toBe('GIVEN');
  await expectRulesHold(t.database);
  await answers(world, ['no'], 2);
  expect(await taskOf(third)).toEqual({ state: 'DONE', wanted: 3, counted: 3 });
  await expectRulesHold(t.database);
});

test('where the list of a reserved task is used up somebody stronger decides', async () => {
  const world = await makeWorld(t.database, EMPTY);
  const { projectId, operator } = world;
  await setRedundancy(t.database, operator, { projectId, policy: TWO_OF_THREE, isCritical: false });
  const task = await reserved(world, { experts: 2, wanted: 2 });
  await answers(world, ['yes', 'no']);
  expect(await taskOf(task)).toEqual({ state: 'DONE', wanted: 2, counted: 2 });
  expect(await decisionsOf(task)).toEqual([{ answers: 2, next: 'ADJUDICATE', reason: 'TIE' }]);
  const held = await take(t.database, at(world.experts, 4));
  expect(String(held.taskId)).toBe((await adjudicationOf(task)).id);
  await expectRulesHold(t.database);
});
