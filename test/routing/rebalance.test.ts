import { expect, test } from 'vitest';
import { withSystem } from '../../src/services/platform/database.js';
import type { Queryable } from '../../src/services/platform/rows.js';
import { updateProject } from '../../src/services/projects/projects.js';
import { NO_REQUIREMENT } from '../../src/services/projects/requirement.js';
import { LIFT_MAX, liftsOf } from '../../src/services/routing/lifts.js';
import { pauseExpert } from '../../src/services/routing/pauses.js';
import { measurePools } from '../../src/services/routing/pools.js';
import { rebalanceDue, rebalanceSkill } from '../../src/services/routing/rebalance.js';
import { useTestDb } from '../support/db.js';
import { makeBatch, makeProject, makeSkill, makeWorld, type World } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { answerNext, atOnce, claim, outcome, take } from '../support/work.js';

const t = useTestDb();

const inTransaction = <T>(work: (tx: Queryable) => Promise<T>) => withSystem(t.database, work);

/** What the job does in one round, for one tenant. Answers how many skills were due. */
async function round({ tenantId }: World): Promise<number> {
  const { skills } = await inTransaction(measurePools);
  return rebalanceDue(
    inTransaction,
    skills.filter((skill) => skill.tenantId === tenantId),
  );
}

const hoursAhead = async (hours: number): Promise<Date> => {
  const { rows } = await t.admin.query(`select app.clock_now() + make_interval(secs => $1) as at`, [
    hours * 3600,
  ]);
  return rows[0].at;
};

/** Two projects in one lane, 100 tasks each; the first has the world's, the second its own. */
async function twoProjects(): Promise<{ world: World; late: bigint }> {
  const world = await makeWorld(t.database, { experts: 3, tasks: 100 });
  const late = await makeProject(t.database, world);
  await makeBatch(t.database, world, { projectId: late, tasks: 100 });
  return { world, late };
}

/** How many of the next rows in the lane are a project's. */
const amongNext = ({ tenantId }: World, projectId: bigint, n: number) =>
  numberOf(
    t.admin,
    `select count(*) from (select project_id from ready where tenant_id = $1 and phase = 0 order by tag, task_id limit $3) r
     where r.project_id = $2`,
    [tenantId, projectId, n],
  );

const liftOf = async ({ tenantId }: World, projectId: bigint) =>
  (
    await t.admin.query('select lift from flows where tenant_id = $1 and project_id = $2', [
      tenantId,
      projectId,
    ])
  ).rows[0].lift;

const even = { weight: 10, openAnswers: 100, hoursLeft: null };

test.each([
  { what: 'no deadline', projects: [even, even], lifts: [1, 1] },
  { what: 'enough with its own weight', projects: [even, { ...even, hoursLeft: 20 }], lifts: [1, 1] },
  { what: 'three quarters needed', projects: [even, { ...even, hoursLeft: 100 / 7.5 }], lifts: [1, 3] },
  { what: 'more than there is', projects: [even, { ...even, hoursLeft: 1 }], lifts: [1, LIFT_MAX] },
  { what: 'late', projects: [even, { ...even, hoursLeft: -3 }], lifts: [1, LIFT_MAX] },
  { what: 'nobody is there', projects: [even, { ...even, hoursLeft: 1 }], lifts: [1, 1], capacity: 0 },
  { what: 'alone', projects: [{ ...even, hoursLeft: 11 }], lifts: [1] },
])('a deadline lifts as much as it needs: $what', ({ projects, lifts, capacity = 10 }) => {
  expect(liftsOf(projects, capacity)).toEqual(lifts.map((lift) => expect.closeTo(lift, 1)));
});

test('the next tasks of a project that would be late come forward, and its share is what it needs', async () => {
  const { world, late } = await twoProjects();
  expect(await amongNext(world, late, 40)).toBe(20);
  // Three experts at 300 s an answer: 36 an hour. 100 answers in 100 / 27 hours take three quarters of that.
  const deadline = await hoursAhead(100 / 27);
  await updateProject(t.database, world.operator, { projectId: late, deadline });
  await round(world);
  expect(await liftOf(world, late)).toBeCloseTo(3, 1);
  expect(await amongNext(world, late, 40)).toBeGreaterThanOrEqual(29);
  expect(await amongNext(world, late, 40)).toBeLessThanOrEqual(31);
  expect(await liftOf(world, world.projectId)).toBe(1);
  await expectRulesHold(t.database);
});

test('an operator’s rebalance says what it lifted; again it moves nothing more', async () => {
  const { world, late } = await twoProjects();
  await updateProject(t.database, world.operator, { projectId: late, deadline: await hoursAhead(2) });
  await inTransaction(measurePools);
  const call = () => rebalanceSkill(t.database, world.operator, { skillId: world.skillId });
  // The first row stands at the head already; the lift takes its next ones up to the bound.
  expect(await call()).toEqual([{ projectId: late, lift: LIFT_MAX, moved: 49 }]);
  expect(await call()).toMatchObject([{ moved: 0 }]);
  const nobody = await makeWorld(t.database, { tasks: 0 });
  expect(await outcome(rebalanceSkill(t.database, world.operator, { skillId: nobody.skillId }))).toBe(
    'NOT_FOUND',
  );
});

test('a skill that is only asked for beside another has nothing to weigh, and is not called unknown', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const further = await makeSkill(t.database, world);
  await makeProject(t.database, world, { requirement: { ...NO_REQUIREMENT, allOf: [further] } });
  expect(await outcome(rebalanceSkill(t.database, world.operator, { skillId: further }))).toBe(
    'INPUT_INVALID',
  );
});

test('deadlines are weighed anew when capacity changes by more than a tenth, and each minute', async () => {
  const { world, late } = await twoProjects();
  await updateProject(t.database, world.operator, { projectId: late, deadline: await hoursAhead(5) });
  expect(await round(world)).toBe(1);
  const before = await liftOf(world, late);
  expect(await round(world)).toBe(0);
  await pauseExpert(t.database, world.operator, {
    expertId: world.ada.expertId,
    skillId: null,
    reason: 'r',
    withdraw: false,
  });
  expect(await round(world)).toBe(1);
  expect(await liftOf(world, late)).toBeGreaterThan(before);
  expect(await round(world)).toBe(0);
  await t.advance(61);
  expect(await round(world)).toBe(1);
});

test('when a lift has ended the project goes on with its own share, without a gap', async () => {
  const { world, late } = await twoProjects();
  await updateProject(t.database, world.operator, { projectId: late, deadline: await hoursAhead(1) });
  await round(world);
  for (let n = 0; n < 60; n++) {
    await answerNext(t.database, world.ada);
  }
  await updateProject(t.database, world.operator, { projectId: late, deadline: null });
  await t.advance(61);
  await round(world);
  expect(await liftOf(world, late)).toBe(1);
  expect(await amongNext(world, late, 20)).toBeGreaterThanOrEqual(9);
  for (let rounds = 0; rounds < 3; rounds++) {
    await t.advance(61);
    await round(world);
  }
  const marked = 'select count(*) from flows where tenant_id = $1 and lifted_until is not null';
  expect(await numberOf(t.admin, marked, [world.tenantId])).toBe(0);
});

test('a greater weight holds for what waits, from the next round on', async () => {
  const { world, late } = await twoProjects();
  await updateProject(t.database, world.operator, { projectId: late, weight: 30 });
  await round(world);
  expect(await amongNext(world, late, 40)).toBeGreaterThanOrEqual(29);
  expect(await amongNext(world, late, 40)).toBeLessThanOrEqual(31);
});

test('a lift and claims at once lose nothing and break no rule', async () => {
  const { world, late } = await twoProjects();
  await updateProject(t.database, world.operator, { projectId: late, deadline: await hoursAhead(1) });
  await inTransaction(measurePools);
  const lifts = atOnce(4, () => rebalanceSkill(t.database, world.operator, { skillId: world.skillId }));
  const claims = await Promise.all(world.experts.map((expert) => claim(t.database, expert)));
  await lifts;
  expect(claims.every((result) => 'held' in result)).toBe(true);
  const open = await numberOf(t.admin, 'select sum(need) from ready where tenant_id = $1', [world.tenantId]);
  expect(open).toBe(197);
  expect((await take(t.database, world.ada)).id).toBeGreaterThan(0n);
  await expectRulesHold(t.database);
});
