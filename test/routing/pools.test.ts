import { expect, test } from 'vitest';
import { withSystem } from '../../src/services/platform/database.js';
import { NO_REQUIREMENT } from '../../src/services/projects/requirement.js';
import { pauseExpert } from '../../src/services/routing/pauses.js';
import { judgePools, measurePools } from '../../src/services/routing/pools.js';
import { useTestDb } from '../support/db.js';
import {
  makeBatch,
  makeExpert,
  makeProject,
  makeSkill,
  makeTaskType,
  makeWorld,
  type World,
} from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { answerNext } from '../support/work.js';

const t = useTestDb();

/** What projects are made of, without the experts by name, which not every world has. */
const partsOf = ({ tenantId, operator, customer, taskTypeId, skillId }: World) => ({
  tenantId,
  operator,
  customer,
  taskTypeId,
  skillId,
});

const measure = () => withSystem(t.database, (tx) => measurePools(tx));

/** One skill of a tenant, as just measured. */
async function measured(tenantId: bigint, skillId: bigint) {
  const { skills } = await measure();
  const found = skills.find((one) => one.tenantId === tenantId && one.pool.skillId === skillId);
  if (found === undefined) {
    throw new Error('The skill was not measured.');
  }
  return found.pool;
}

const told = (tenantId: bigint) =>
  numberOf(t.admin, `select count(*) from stream_events where tenant_id = $1 and stream like 'pool/%'`, [
    tenantId,
  ]);

test('a pool is what waits of one task type, and a skill is all of its pools', async () => {
  const world = await makeWorld(t.database, { tasks: 4, project: { redundancy: 3 } });
  const { tenantId, skillId } = world;
  await t.advance(90);
  const other = { ...partsOf(world), taskTypeId: await makeTaskType(t.database, world) };
  const projectId = await makeProject(t.database, other);
  await makeBatch(t.database, other, { projectId, tasks: 2 });
  await answerNext(t.database, world.ada);
  const pool = await measured(tenantId, skillId);
  expect(pool).toMatchObject({ queueDepth: 6, openAnswers: 13, available: 1, qualified: 1 });
  const { rows } = await t.admin.query(
    `select task_type_id, queue_depth, open_answers::int, extract(epoch from computed_at - oldest_open_at)::float8 as age
     from pools where tenant_id = $1 order by id`,
    [tenantId],
  );
  expect(rows).toEqual([
    { task_type_id: `${world.taskTypeId}`, queue_depth: 4, open_answers: 11, age: expect.closeTo(90, -1) },
    { task_type_id: `${other.taskTypeId}`, queue_depth: 2, open_answers: 2, age: expect.closeTo(0, -1) },
  ]);
});

test('who was at work lately is there; where nobody was, everybody who could be', async () => {
  const world = await makeWorld(t.database, { experts: 3, tasks: 30 });
  const { tenantId, skillId, operator } = world;
  const capacityOf = async () => {
    const { available, qualified, capacityPerHour } = await measured(tenantId, skillId);
    return { available, qualified, capacityPerHour: Math.round(capacityPerHour) };
  };
  expect(await capacityOf()).toEqual({ available: 0, qualified: 3, capacityPerHour: 36 });
  await answerNext(t.database, world.ada);
  expect(await capacityOf()).toMatchObject({ available: 1, qualified: 3 });
  await pauseExpert(t.database, operator, {
    expertId: world.bob.expertId,
    skillId: null,
    reason: 'r',
    withdraw: false,
  });
  expect(await capacityOf()).toMatchObject({ available: 1, qualified: 2 });
  await t.advance(31 * 60);
  expect(await capacityOf()).toMatchObject({ available: 0, qualified: 2 });
});

test('an expert with work in two skills counts half in each; work that none can do presses most', async () => {
  const world = await makeWorld(t.database, { tasks: 12 });
  const { tenantId, skillId } = world;
  const rare = await makeSkill(t.database, world);
  const both = await makeExpert(t.database, world, [{ skillId }, { skillId: rare }]);
  const projectId = await makeProject(t.database, { ...partsOf(world), skillId: rare });
  await makeBatch(t.database, world, { projectId, tasks: 12 });
  expect(both.expertId).toBeGreaterThan(0n);
  // 12 answers of 300 s are an hour: for one and a half experts, and for half a one.
  expect((await measured(tenantId, skillId)).pressure).toBeCloseTo(1 / 1.5, 5);
  expect((await measured(tenantId, rare)).pressure).toBeCloseTo(2, 5);
  const lanes = await t.admin.query(
    'select skill_id::int8, pressure from lanes where tenant_id = $1 order by id',
    [tenantId],
  );
  expect(lanes.rows.map(({ pressure }) => pressure)).toEqual([
    expect.closeTo(2 / 3, 5),
    expect.closeTo(2, 5),
  ]);
});

test('a lane’s pressure is written when it moved by a tenth, and then only', async () => {
  const world = await makeWorld(t.database, { tasks: 100 });
  const version = async () =>
    (await t.admin.query('select xmin::text as v from lanes where tenant_id = $1', [world.tenantId])).rows[0]
      .v;
  await measure();
  const first = await version();
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 5 });
  const enqueued = await version();
  await measure();
  expect(await version()).toBe(enqueued);
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 20 });
  await measure();
  expect(await version()).not.toBe(first);
  const lane = await t.admin.query('select pressure from lanes where tenant_id = $1', [world.tenantId]);
  expect(lane.rows[0].pressure).toBeCloseTo((125 * 300) / 3600, 5);
});

test('subscribers hear of what changed much, once', async () => {
  const world = await makeWorld(t.database, { tasks: 20 });
  await measure();
  expect(await told(world.tenantId)).toBe(1);
  await measure();
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 2 });
  await measure();
  expect(await told(world.tenantId)).toBe(1);
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 20 });
  await measure();
  expect(await told(world.tenantId)).toBe(2);
});

test('a pool whose last project has ended is empty, and said to be', async () => {
  const world = await makeWorld(t.database, { tasks: 5 });
  await measure();
  await t.admin.query(`delete from ready where tenant_id = $1`, [world.tenantId]);
  await t.admin.query(
    `update projects set state = 'CANCELLED', cancel_policy = 'STOP', cancelled_at = now() where tenant_id = $1`,
    [world.tenantId],
  );
  expect(await measured(world.tenantId, world.skillId)).toMatchObject({ queueDepth: 0, pressure: 0 });
  expect(await told(world.tenantId)).toBe(2);
});

test('how long answers take is learnt from those that were given', async () => {
  const world = await makeWorld(t.database, { tasks: 10 });
  for (let n = 0; n < 5; n++) {
    await answerNext(t.database, world.ada);
  }
  // Five answers in no time, and five that were believed to take 300 s.
  const { secondsPerAnswer } = await measured(world.tenantId, world.skillId);
  expect(secondsPerAnswer).toBeGreaterThanOrEqual(150);
  expect(secondsPerAnswer).toBeLessThan(155);
  // The same answers say the same, however often it is measured.
  expect((await measured(world.tenantId, world.skillId)).secondsPerAnswer).toBe(secondsPerAnswer);
});

test('experts who qualify for a lane of a skill do not make those who do not', () => {
  const depth = { tenantId: 1n, skillId: 1n, taskTypeId: 1n, oldestOpenAt: new Date(0) };
  const share = { skillId: 1n, available: 1, availableShare: 1, qualified: 1, qualifiedShare: 1 };
  const { lanes, skills } = judgePools(
    [
      { ...depth, laneId: 1n, queueDepth: 12, openAnswers: 12 },
      { ...depth, laneId: 2n, queueDepth: 12, openAnswers: 12 },
    ],
    {
      paces: [],
      before: [],
      shares: [
        { ...share, laneId: null },
        { ...share, laneId: 1n },
      ],
    },
  );
  expect(lanes).toEqual([
    { laneId: 1n, pressure: 1 },
    { laneId: 2n, pressure: 10 },
  ]);
  expect(skills[0]).toMatchObject({ queueDepth: 24, pressure: 2 });
});

test('what an answer takes is remembered while nobody answers', () => {
  const depth = { tenantId: 1n, skillId: 1n, taskTypeId: 1n, laneId: 1n, oldestOpenAt: new Date(0) };
  const judged = (before: readonly { skillId: bigint; secondsPerAnswer: number }[]) =>
    judgePools([{ ...depth, queueDepth: 1, openAnswers: 1 }], { paces: [], shares: [], before }).skills[0]
      ?.secondsPerAnswer;
  expect(judged([])).toBe(300);
  expect(judged([{ skillId: 1n, secondsPerAnswer: 12 }])).toBe(12);
  expect(judged([{ skillId: 2n, secondsPerAnswer: 12 }])).toBe(300);
});

test('experts who can do nothing of what waits in a skill are not counted for it', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 0 });
  const latin = await makeSkill(t.database, world);
  const requirement = { ...NO_REQUIREMENT, allOf: [latin] };
  const projectId = await makeProject(t.database, world, { requirement });
  await makeBatch(t.database, world, { projectId, tasks: 5 });
  expect(await measured(world.tenantId, world.skillId)).toMatchObject({
    queueDepth: 5,
    qualified: 0,
    capacityPerHour: 0,
  });
});
