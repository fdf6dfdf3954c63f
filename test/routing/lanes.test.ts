import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import {
  at,
  type Expert,
  makeBatch,
  makeExperts,
  makeProject,
  makeWorld,
  type World,
} from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';
import { connectApp, restoreChance, workThrough } from '../support/serving.js';

// Between the lanes of a skill: whoever may work in several serves their projects as if they were one lane.
const t = useTestDb();
let app: pg.Client;
beforeAll(async () => {
  await restoreChance(t.admin);
  app = await connectApp(t);
  await app.query('select setseed(0.27)');
});
afterAll(() => app.end());

const WEIGHTS = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100] as const;
const WINDOW = 1_000;

/** A project for each weight; each lane asks for a little more than the one before. */
async function projectsIn(
  world: World,
  {
    lanes,
    weights = WEIGHTS,
    tasks,
    redundancy = 1,
  }: { lanes: number; weights?: readonly number[]; tasks: number; redundancy?: number },
): Promise<number[]> {
  const projects: number[] = [];
  for (const [n, weight] of weights.entries()) {
    const minQuality = 0.5 + 0.01 * (n % lanes);
    const projectId = await makeProject(t.database, world, { weight, redundancy, minQuality });
    await makeBatch(t.database, world, { projectId, tasks });
    projects.push(Number(projectId));
  }
  return projects;
}

const share = (given: readonly number[], project: number) => given.filter((one) => one === project).length;
const refresh = () => t.admin.query('select app.refresh_lanes(false)');
const sumOf = (weights: readonly number[]) => weights.reduce((a, b) => a + b, 0);

/** Claims and answers by turns, the marks moving meanwhile. */
async function work(world: World, experts: readonly Expert[], count: number): Promise<number[]> {
  const given: number[] = [];
  while (given.length < count) {
    const part = Math.min(count - given.length, 5 * experts.length);
    given.push(...(await workThrough(app, { tenantId: world.tenantId, experts, count: part })));
    await refresh();
  }
  return given;
}

/** Most off its weight's share that any project was in any window of consecutive claims, as a part of the share. */
function worstError(
  given: readonly number[],
  projects: readonly number[],
  weights: readonly number[],
): number {
  let worst = 0;
  for (const [n, project] of projects.entries()) {
    const ideal = (WINDOW * at(weights, n)) / sumOf(weights);
    let count = share(given.slice(0, WINDOW), project);
    for (let end = WINDOW; end <= given.length; end++) {
      worst = Math.max(worst, Math.abs(count - ideal) / ideal);
      count += Number(given[end] === project) - Number(given[end - WINDOW] === project);
    }
  }
  return worst;
}

test.each([1, 10])(
  'ten projects get their weights’ shares of every thousand claims within a twentieth, in %i lane(s)',
  async (lanes) => {
    const world = await makeWorld(t.database, { experts: 20, tasks: 0 });
    const weights = WEIGHTS.map((weight) => 5 * weight);
    const projects = await projectsIn(world, { lanes, weights, tasks: 500 });
    const given = await work(world, world.experts, 2_400);
    expect(worstError(given, projects, weights)).toBeLessThanOrEqual(0.05);
  },
);

test('a late project’s first task comes within the sum of the weights, whichever lane it comes into', async () => {
  const world = await makeWorld(t.database, { experts: 20, tasks: 0 });
  const projects = await projectsIn(world, { lanes: 9, weights: [10, 20, 40], tasks: 300 });
  await work(world, world.experts, 200);
  const late = await projectsIn(world, { lanes: 9, weights: [10, 10, 10, 10], tasks: 20 });
  const given = await work(world, world.experts, 110);
  for (const project of [...projects, ...late]) {
    expect(share(given, project)).toBeGreaterThanOrEqual(8);
  }
  for (const project of late) {
    expect(share(given, project)).toBeLessThanOrEqual(12);
  }
});

test('a lane that had nothing for long does not catch up on what it did not ask for', async () => {
  const world = await makeWorld(t.database, { experts: 20, tasks: 0 });
  const [first, second] = await projectsIn(world, { lanes: 2, weights: [10, 10], tasks: 5 });
  const busy = await makeProject(t.database, world, { weight: 10, minQuality: 0.5 });
  await makeBatch(t.database, world, { projectId: busy, tasks: 400 });
  await work(world, world.experts, 300);
  await makeBatch(t.database, world, { projectId: BigInt(second ?? 0), tasks: 100 });
  const given = await work(world, world.experts, 80);
  expect(share(given, second ?? 0)).toBeGreaterThanOrEqual(36);
  expect(share(given, second ?? 0)).toBeLessThanOrEqual(44);
  expect(share(given, first ?? 0)).toBe(0);
});

/** A hard lane that few can do beside an easy one, and who they are. */
async function juniorsAndSeniors() {
  const world = await makeWorld(t.database, { experts: 4, tasks: 0, quality: 0.9 });
  const juniors = await makeExperts(t.database, world, { count: 12, skillId: world.skillId, quality: 0.4 });
  const easy = await makeProject(t.database, world, { weight: 10, minQuality: 0.2 });
  const hard = await makeProject(t.database, world, { weight: 10, minQuality: 0.8 });
  await makeBatch(t.database, world, { projectId: easy, tasks: 900 });
  await makeBatch(t.database, world, { projectId: hard, tasks: 400 });
  return { world, juniors, seniors: world.experts, easy: Number(easy), hard: Number(hard) };
}

test('who alone can do a lane’s work does it while others do the rest; it gets what its weight says as far as they can', async () => {
  const { world, juniors, seniors, hard } = await juniorsAndSeniors();
  const given = await work(world, [...juniors, ...seniors], 320);
  // A quarter of the claims are theirs, half is the lane's by weight.
  expect(share(given, hard)).toBeGreaterThanOrEqual(76);
});

test('a lane whose own experts have left waits for no more than a few turns of the others', async () => {
  const { world, juniors, seniors, easy, hard } = await juniorsAndSeniors();
  await work(world, [...juniors, ...seniors], 480);
  const given = await work(world, seniors, 200);
  expect(share(given.slice(0, 60), easy)).toBeGreaterThanOrEqual(1);
  expect(share(given.slice(100), easy)).toBeGreaterThanOrEqual(45);
  expect(share(given.slice(100), hard)).toBeGreaterThanOrEqual(45);
  await expectRulesHold(t.database);
});

test('a lane that nobody could do takes no more than a few turns from the others when somebody comes', async () => {
  const { world, juniors, seniors, easy } = await juniorsAndSeniors();
  await work(world, juniors, 360);
  const given = await work(world, seniors, 160);
  expect(share(given.slice(0, 80), easy)).toBeGreaterThanOrEqual(15);
  expect(share(given.slice(80), easy)).toBeGreaterThanOrEqual(36);
});

test('a deadline lifts a project across the lanes of its skill', async () => {
  const world = await makeWorld(t.database, { experts: 20, tasks: 0 });
  const projects = await projectsIn(world, { lanes: 3, weights: [10, 10, 10], tasks: 250 });
  await work(world, world.experts, 60);
  const { rows } = await t.admin.query('select lane_id from projects where id = $1', [at(projects, 2)]);
  await t.admin.query(
    `select app.enter_service($1, null), app.lift_flow($1, $2, $3, 4, app.clock_now() + interval '1 hour', 200)`,
    [world.tenantId, rows[0]?.lane_id, at(projects, 2)],
  );
  const given = await work(world, world.experts, 180);
  expect(share(given, at(projects, 2))).toBeGreaterThanOrEqual(114);
  expect(share(given, at(projects, 2))).toBeLessThanOrEqual(126);
});
