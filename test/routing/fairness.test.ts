import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { at, makeBatch, makeExperts, makeProject, makeWorld, type World } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';
import {
  claimRequest,
  connectApp,
  restoreChance,
  serve,
  submitRequest,
  workThrough,
} from '../support/serving.js';

// The guarantees of docs/routing.md, each with its bound, where production draws at random.
type Parts = Pick<World, 'tenantId' | 'operator' | 'customer' | 'taskTypeId' | 'skillId'>;
const t = useTestDb();
let app: pg.Client;
beforeAll(async () => {
  await restoreChance(t.admin);
  app = await connectApp(t);
  await app.query('select setseed(0.42)');
});
afterAll(() => app.end());

/** A lane with a project for each weight, `tasks` tasks in each, and experts for it. */
async function lane(
  weights: readonly number[],
  { tasks, redundancy = 1 }: { tasks: number; redundancy?: number },
) {
  const world = await makeWorld(t.database, { experts: 20, tasks: 0 });
  const projects: number[] = [];
  for (const weight of weights) {
    projects.push(Number(await addProject(world, { weight, redundancy, tasks })));
  }
  return { world, projects };
}

async function addProject(
  world: Parts,
  { weight, tasks, redundancy = 1 }: { weight: number; tasks: number; redundancy?: number },
) {
  const projectId = await makeProject(t.database, world, { weight, redundancy });
  await makeBatch(t.database, world, { projectId, tasks });
  return projectId;
}

const share = (given: readonly number[], project: number) => given.filter((one) => one === project).length;

test.each([1, 3])(
  'each project gets its weight’s share of a lane within a twentieth over 700 claims, %i answers a task',
  async (redundancy) => {
    const { world, projects } = await lane([10, 20, 40], { tasks: 420, redundancy });
    const given = await workThrough(app, { tenantId: world.tenantId, experts: world.experts, count: 700 });
    expect(share(given, at(projects, 0))).toBeGreaterThanOrEqual(95);
    expect(share(given, at(projects, 0))).toBeLessThanOrEqual(105);
    expect(share(given, at(projects, 1))).toBeGreaterThanOrEqual(190);
    expect(share(given, at(projects, 1))).toBeLessThanOrEqual(210);
    expect(share(given, at(projects, 2))).toBeGreaterThanOrEqual(380);
    expect(share(given, at(projects, 2))).toBeLessThanOrEqual(420);
  },
);

test('a late project’s first task comes within the sum of the weights, however long the backlog before it', async () => {
  const { world } = await lane([10, 20, 40], { tasks: 500 });
  await workThrough(app, { tenantId: world.tenantId, experts: world.experts, count: 200 });
  const late = Number(await addProject(world, { weight: 1, tasks: 5 }));
  const given = await workThrough(app, { tenantId: world.tenantId, experts: world.experts, count: 71 });
  expect(share(given, late)).toBeGreaterThanOrEqual(1);
  expect(share(given, late)).toBeLessThanOrEqual(2);
});

test('a pile of tasks that one expert has begun does not stand before a late project', async () => {
  const { world } = await lane([10], { tasks: 300, redundancy: 2 });
  await workThrough(app, { tenantId: world.tenantId, experts: [world.ada], count: 100 });
  const late = Number(await addProject(world, { weight: 10, tasks: 50 }));
  const given = await workThrough(app, {
    tenantId: world.tenantId,
    experts: world.experts.slice(1),
    count: 60,
  });
  expect(share(given, late)).toBeGreaterThanOrEqual(10);
  await expectRulesHold(t.database);
});

test('what another has begun is found behind a pile that all who come have had, before any mark has moved', async () => {
  const { world } = await lane([10], { tasks: 300, redundancy: 3 });
  const { tenantId, ada, bob } = world;
  await workThrough(app, { tenantId, experts: [ada, bob], count: 80 });
  await workThrough(app, { tenantId, experts: [ada], count: 40 });
  await workThrough(app, { tenantId, experts: [bob], count: 100 });
  const shared = `select count(*)::int as n from (
      select task_id from assignments where tenant_id = $1 group by task_id having count(*) = 2) x`;
  const { rows } = await t.admin.query(shared, [tenantId]);
  expect(rows[0].n).toBeGreaterThan(42);
});

test('among the first four near equals the pick is random, and never beyond them', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 6, project: { weight: 1000 } });
  const firsts = new Set<number>();
  for (let n = 0; n < 60; n++) {
    await app.query('begin');
    const { claims } = await serve(app, world.tenantId, { claims: [claimRequest(world.ada)] });
    firsts.add(at(claims, 0).assignment?.taskId ?? 0);
    await app.query('rollback');
  }
  expect([...firsts].sort()).toEqual(world.taskIds.slice(0, 4).map(Number));
});

test('a rare skill’s only expert is spared the common work that others can do, but does some', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 400 });
  const { skillId } = await addSkill(world, { tasks: 400 });
  await t.admin.query(
    'update lanes set pressure = case when skill_id = $2 then 4 else 0.5 end where tenant_id = $1',
    [world.tenantId, skillId],
  );
  const reasons = await reasonsOf(world, 200);
  expect(reasons.SCARCE_SKILL ?? 0).toBeGreaterThan(170);
  expect((reasons.NEXT ?? 0) + (reasons.BEGUN ?? 0)).toBeGreaterThan(0);
});

test('whoever has but one skill with work is told of no choice between skills', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 20 });
  const hard = await makeProject(t.database, world, { minQuality: 0.5 });
  await makeBatch(t.database, world, { projectId: hard, tasks: 20 });
  await t.admin.query(
    'update lanes set pressure = case when min_quality > 0 then 9 else 0.1 end where tenant_id = $1',
    [world.tenantId],
  );
  expect(await reasonsOf(world, 30)).toEqual({ NEXT: 30 });
});

test('a preference weighs where the skills are pressed alike, and refuses nothing', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 400 });
  await addSkill(world, { tasks: 400, preference: 1 });
  const { PREFERRED = 0, NEXT = 0 } = await reasonsOf(world, 100);
  expect(PREFERRED).toBeGreaterThan(60);
  expect(NEXT).toBeGreaterThan(0);
});

test('reserved work goes first three times in four, and open work meanwhile', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 100 });
  const allow = [world.ada.expertId];
  const tasks = Array.from({ length: 100 }, () => ({ allow }));
  await makeBatch(t.database, world, { projectId: world.projectId, tasks });
  const { RESERVED = 0, NEXT = 0 } = await reasonsOf(world, 100);
  expect(RESERVED).toBeGreaterThanOrEqual(60);
  expect(RESERVED).toBeLessThanOrEqual(90);
  expect(NEXT).toBe(100 - RESERVED);
});

/** A second skill of the world's first expert, with a project of its own. */
async function addSkill(world: World, { tasks, preference = 0 }: { tasks: number; preference?: number }) {
  const { rows } = await t.admin.query<{ id: string }>(
    `insert into skills (tenant_id, name) values ($1, 'another') returning id`,
    [world.tenantId],
  );
  const skillId = BigInt(rows[0]?.id ?? 0);
  await t.admin.query(
    `insert into expert_skills (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower, preference)
     values ($1, $2, $3, 'ACTIVE', 0.9, 0.8, $4)`,
    [world.tenantId, world.ada.expertId, skillId, preference],
  );
  const { operator, customer, taskTypeId, tenantId } = world;
  await addProject({ operator, customer, taskTypeId, tenantId, skillId }, { weight: 10, tasks });
  return { skillId };
}

/** Why the world's first expert was given what they were given, over some claims. */
async function reasonsOf(world: World, count: number): Promise<Record<string, number>> {
  await workThrough(app, { tenantId: world.tenantId, experts: [world.ada], count });
  const { rows } = await t.admin.query<{ reason: string; n: number }>(
    'select routing_reason as reason, count(*)::int as n from assignments where tenant_id = $1 group by 1',
    [world.tenantId],
  );
  return Object.fromEntries(rows.map(({ reason, n }) => [reason, n]));
}

test('a lift brings a flow’s next rows forward in their order, and leaves the others their share', async () => {
  const { world, projects } = await lane([10, 10], { tasks: 200 });
  const { rows } = await t.admin.query<{ lane_id: string }>('select lane_id from projects where id = $1', [
    at(projects, 1),
  ]);
  await t.admin.query(
    `select app.enter_service($1, null), app.lift_flow($1, $2, $3, 4, app.clock_now() + interval '1 hour', 100)`,
    [world.tenantId, rows[0]?.lane_id, at(projects, 1)],
  );
  const given = await workThrough(app, { tenantId: world.tenantId, experts: world.experts, count: 100 });
  expect(share(given, at(projects, 1))).toBeGreaterThanOrEqual(76);
  expect(share(given, at(projects, 1))).toBeLessThanOrEqual(84);
  const lifted = await t.admin.query(
    `select count(*)::int as n from assignments where tenant_id = $1 and routing_reason = 'DEADLINE'`,
    [world.tenantId],
  );
  expect(lifted.rows[0].n).toBe(share(given, at(projects, 1)));
});

test('a lift moves as many rows as it may and no more, whatever plan is chosen', async () => {
  const { world, projects } = await lane([10, 10], { tasks: 40 });
  const { rows } = await t.admin.query('select lane_id from projects where id = $1', [at(projects, 1)]);
  await t.admin.query(
    'set enable_hashjoin = off; set enable_mergejoin = off; set enable_hashagg = off; set enable_sort = off; set enable_material = off',
  );
  const lift = `select app.lift_flow($1, $2, $3, 8, app.clock_now() + interval '1 hour', 5) as moved`;
  const moved = await t.admin.query(lift, [world.tenantId, rows[0].lane_id, at(projects, 1)]);
  await t.admin.query('reset all');
  // The first of the five begins where the lane stands and is there already.
  expect(moved.rows[0].moved).toBe(4);
});

test('experts of a large crowd are each given their own', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 300 });
  const crowd = await makeExperts(t.database, world, { count: 200, skillId: world.skillId });
  const { claims } = await serve(app, world.tenantId, {
    claims: crowd.map((expert) => claimRequest(expert)),
  });
  expect(new Set(claims.map(({ assignment }) => assignment?.taskId)).size).toBe(200);
  const submits = crowd.map((expert, index) =>
    submitRequest(expert, at(claims, index).assignment ?? { id: 0, epoch: 0 }),
  );
  await serve(app, world.tenantId, { submits });
  await expectRulesHold(t.database);
});

test('tasks that want different numbers of answers are each given as often as they want, whichever is drawn', async () => {
  const world = await makeWorld(t.database, { experts: 8, tasks: 0, project: { weight: 1000 } });
  const tasks = [3, 1, 1, 2, 1].map((wanted) => ({ wanted }));
  await makeBatch(t.database, world, { projectId: world.projectId, tasks });
  for (let n = 0; n < 20; n++) {
    await app.query('begin');
    const claims = world.experts.map((expert) => claimRequest(expert));
    const served = await serve(app, world.tenantId, { claims });
    expect(new Set(served.claims.map(({ outcome }) => outcome))).toEqual(new Set(['LEASED']));
    await app.query('rollback');
  }
});

test('a block list does not bring its project’s tasks forward', async () => {
  const { world, projects } = await lane([10], { tasks: 100 });
  const blocking = await makeProject(t.database, world, { weight: 10 });
  const tasks = Array.from({ length: 100 }, () => ({ block: [world.ada.expertId] }));
  await makeBatch(t.database, world, { projectId: blocking, tasks });
  const experts = world.experts.slice(1);
  const given = await workThrough(app, { tenantId: world.tenantId, experts, count: 120 });
  expect(share(given, at(projects, 0))).toBeGreaterThanOrEqual(48);
  expect(share(given, Number(blocking))).toBeGreaterThanOrEqual(48);
});

test('a project behind one that the expert is barred from is not left out while another lane has work', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 0 });
  const barred = await makeProject(t.database, world, { weight: 1000, maxPerExpert: 1 });
  await makeBatch(t.database, world, { projectId: barred, tasks: 100 });
  const small = await addProject(world, { weight: 10, tasks: 5 });
  await addSkill(world, { tasks: 200 });
  const given = await workThrough(app, { tenantId: world.tenantId, experts: [world.ada], count: 80 });
  expect(share(given, Number(barred))).toBe(1);
  expect(share(given, Number(small))).toBe(5);
});
