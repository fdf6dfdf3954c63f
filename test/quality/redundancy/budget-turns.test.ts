import { expect, test } from 'vitest';
import { connect } from '../../../src/runtime/connect.js';
import { withSystem } from '../../../src/services/platform/database.js';
import { resumeStopped } from '../../../src/services/projects/budget.js';
import { resumeStopped as resumeProject } from '../../../src/services/projects/budget-stops.sql.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { escalateTask } from '../../../src/services/quality/adjudication/escalate.js';
import { mintGolds } from '../../../src/services/quality/gold/mint.js';
import { useTestDb } from '../../support/db.js';
import { at, makeBatch, makeWorld, type World } from '../../support/factories.js';
import { untilBlocked } from '../../support/interleave.js';
import { expectRulesHold } from '../../support/rules.js';
import { submit, take } from '../../support/work.js';
import {
  answersIn,
  budgetedIn,
  type Choice,
  committedIn,
  decisionsIn,
  setIn,
  taskIn,
} from './support/budgeted.js';

// What stopped for want of budget goes on in turns (decision 66). An answer costs 25 here.
const t = useTestDb();
const [budgeted, set, answers, committed, decisionsOf, taskOf] = [
  budgetedIn(t),
  setIn(t),
  answersIn(t),
  committedIn(t),
  decisionsIn(t),
  taskIn(t),
];
const THREE_OF_FIVE = { kind: 'AGREE', agree: 3, max: 5 } as const;

/** Each expert answers one task; what is said of a task is said in this order. */
async function answerEach(world: World, said: ReadonlyMap<bigint, readonly Choice[]>): Promise<void> {
  const given = new Map<bigint, number>();
  for (const expert of world.experts.slice(0, [...said.values()].flat().length)) {
    const held = await take(t.database, expert);
    const index = given.get(held.taskId) ?? 0;
    given.set(held.taskId, index + 1);
    await submit(t.database, expert, { ...held, choice: at(said.get(held.taskId) ?? [], index) });
  }
}

/** Two tasks that stopped: the first wants two answers more, the second one. */
async function twoStopped(): Promise<World> {
  const world = await budgeted(6n, { tasks: 2, policy: THREE_OF_FIVE, experts: 9 });
  const [first, second] = world.taskIds;
  await answerEach(
    world,
    new Map([
      [first ?? 0n, ['yes', 'no', 'unsure']],
      [second ?? 0n, ['yes', 'yes', 'no']],
    ]),
  );
  return world;
}

/** A task on which three disagreed, without budget for the adjudication, and then with it. */
async function adjudicable(): Promise<World & { readonly taskId: bigint }> {
  const world = await budgeted(3n, { tasks: 1 });
  await answers(world, ['yes', 'no', 'unsure']);
  await set(world, 9n);
  return { ...world, taskId: at(world.taskIds, 0) };
}

const stopsOf = async ({ projectId }: World) =>
  (await t.admin.query('select task_id from budget_stops where project_id = $1', [projectId])).rowCount;

test('a task that wants more than is left lets others by', async () => {
  const world = await twoStopped();
  await set(world, 7n);
  expect(await resumeStopped(t.database, 10)).toBe(1);
  expect(await taskOf(at(world.taskIds, 0))).toMatchObject({ state: 'DONE', wanted: 3 });
  expect(await taskOf(at(world.taskIds, 1))).toMatchObject({ state: 'OPEN', wanted: 4 });
  expect(await committed(world)).toBe(7n);
  expect(await resumeStopped(t.database, 10)).toBe(0);
  await set(world, 9n);
  expect(await resumeStopped(t.database, 10)).toBe(1);
  expect(await taskOf(at(world.taskIds, 0))).toMatchObject({ state: 'OPEN', wanted: 5 });
  await expectRulesHold(t.database);
});

test('projects take turns: one whose task wants more than is left keeps no other waiting', async () => {
  const stuck = await budgeted(3n, { tasks: 1, policy: THREE_OF_FIVE });
  await answers(stuck, ['yes', 'no', 'unsure']);
  await set(stuck, 4n);
  const other = await budgeted(2n, { tasks: 1 });
  await answers(other, ['yes', 'no']);
  await set(other, 3n);
  // One project a call.
  expect(await resumeStopped(t.database, 1)).toBe(0);
  expect(await resumeStopped(t.database, 1)).toBe(1);
  expect(await taskOf(at(other.taskIds, 0))).toMatchObject({ state: 'OPEN', wanted: 3 });
  expect(await resumeStopped(t.database, 1)).toBe(0);
  expect(await stopsOf(stuck)).toBe(1);
  await set(stuck, null);
  expect(await resumeStopped(t.database, 1)).toBe(1);
  await expectRulesHold(t.database);
});

test('a project whose stopped tasks cannot be looked at keeps no other waiting, and goes on once it can be', async () => {
  const bad = await budgeted(2n, { tasks: 1 });
  await answers(bad, ['yes', 'no']);
  await set(bad, 3n);
  const good = await budgeted(2n, { tasks: 1 });
  await answers(good, ['yes', 'no']);
  await set(good, 3n);
  await t.admin.query(
    `create function app.break_stop() returns trigger language plpgsql as 'begin raise exception using errcode = ''XX123''; end';
     create trigger broken before update on budget_stops for each row when (new.project_id = ${bad.projectId})
       execute function app.break_stop()`,
  );
  const left: unknown[] = [];
  expect(await resumeStopped(t.database, 10, ({ subject }) => left.push(subject))).toBe(1);
  expect(await taskOf(at(good.taskIds, 0))).toMatchObject({ state: 'OPEN', wanted: 3 });
  expect(left).toEqual([{ job: 'budget', tenantId: bad.tenantId, subjectId: bad.projectId, skillId: 0n }]);
  const failures = async () =>
    (await t.admin.query('select job, error from work_failures where subject_id = $1', [bad.projectId])).rows;
  expect(await failures()).toEqual([{ job: 'budget', error: 'XX123' }]);
  await t.admin.query('drop trigger broken on budget_stops; drop function app.break_stop()');
  // It waits ten seconds before it is looked at again.
  expect(await resumeStopped(t.database, 10)).toBe(0);
  await t.advance(11);
  expect(await resumeStopped(t.database, 10)).toBe(1);
  expect(await failures()).toEqual([]);
});

test('tasks of which nothing more is wanted wait no longer, though there is no budget', async () => {
  const world = await budgeted(2n, { tasks: 1 });
  await answers(world, ['yes', 'no']);
  expect(await resumeStopped(t.database, 10)).toBe(0);
  expect(await stopsOf(world)).toBe(1);
  await setRedundancy(t.database, world.operator, {
    projectId: world.projectId,
    policy: { kind: 'PLAIN', answers: 2 },
    isCritical: false,
  });
  expect(await resumeStopped(t.database, 10)).toBe(1);
  expect(await stopsOf(world)).toBe(0);
  expect(await resumeStopped(t.database, 10)).toBe(0);
});

test('an escalation that comes while a task goes on waits, and is told that it is adjudicated', async () => {
  const world = await adjudicable();
  const { taskId } = world;
  const escalating = await withSystem(t.database, async (tx) => {
    expect(await resumeProject(tx, world, 10)).toBe(1);
    const done = escalateTask(t.database, world.operator, { taskId, reason: 'Looks odd.' }).catch((e) => e);
    await untilBlocked(t.admin, 1);
    return { done };
  });
  expect(await escalating.done).toMatchObject({ code: 'NOT_ESCALATABLE' });
  expect(await committed(world)).toBe(4n);
  await expectRulesHold(t.database);
});

test('a task that somebody is escalating is left alone, and waits no longer once they have', async () => {
  const world = await adjudicable();
  const { tenantId, operator, taskId } = world;
  const escalating = await connect(t.url, 'touchstone test escalating');
  await escalating.query('begin');
  await escalating.query('select app.escalate_task($1, $2, $3, null, $4)', [
    tenantId,
    operator.identityId,
    taskId,
    'Looks odd.',
  ]);
  const resuming = resumeStopped(t.database, 10);
  await Promise.race([resuming, untilBlocked(t.admin, 1)]);
  await escalating.query('commit');
  await escalating.end();
  expect(await resuming).toBe(0);
  expect(await resumeStopped(t.database, 10)).toBe(1);
  expect(await stopsOf(world)).toBe(0);
  expect((await decisionsOf(taskId)).filter(({ next }) => next === 'ADJUDICATE')).toHaveLength(1);
  expect(await committed(world)).toBe(4n);
  await expectRulesHold(t.database);
});

test('who opens tasks waits for another that takes the rest of the budget, and is told that it does not pay for them', async () => {
  const world = await budgeted(4n, { tasks: 1 });
  const opening = await withSystem(t.database, async (tx) => {
    await tx.$executeRaw`update project_budgets set committed_minor = budget_minor where project_id = ${world.projectId}`;
    const opened = makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 }).catch(String);
    await untilBlocked(t.admin, 1);
    return { opened };
  });
  expect(await opening.opened).toContain('The budget of the project does not pay for these tasks.');
});

test('a first budget waits for a task that is being closed by flags, and does not count it', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  const flagging = await connect(t.url, 'touchstone test flagging');
  await flagging.query('begin');
  await flagging.query(`update tasks set state = 'FLAGGED' where id = $1`, [at(world.taskIds, 0)]);
  const setting = set(world, 100n);
  await Promise.race([setting, untilBlocked(t.admin, 1)]);
  await flagging.query('commit');
  await flagging.end();
  await setting;
  expect(await committed(world)).toBe(0n);
});

test('first gold waits for whoever takes the rest of the budget, and asks for none then', async () => {
  const world = await budgeted(9n, { tasks: 3, experts: 6 });
  for (const _task of world.taskIds) {
    await answers(world, ['yes', 'yes']);
  }
  const taking = await connect(t.url, 'touchstone test taking');
  await taking.query('begin');
  await taking.query('update project_budgets set committed_minor = budget_minor where project_id = $1', [
    world.projectId,
  ]);
  const minting = mintGolds(t.database, 20);
  await Promise.race([minting, untilBlocked(t.admin, 1)]);
  await taking.query('commit');
  await taking.end();
  expect((await minting).failures).toEqual([]);
  expect(await committed(world)).toBe(9n);
  const asked = await t.admin.query(
    `select 1 from task_decisions where reason = 'FIRST_GOLD' and project_id = $1`,
    [world.projectId],
  );
  expect(asked.rowCount).toBe(0);
});
