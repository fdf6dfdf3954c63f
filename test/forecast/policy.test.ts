import { expect, test } from 'vitest';
import { ForbiddenError, InputInvalidError, NotFoundError } from '../../src/services/access/errors.js';
import { onTrackFrom, setRiskPolicy } from '../../src/services/forecast/policy.js';
import { isAtRisk, judgeProjects } from '../../src/services/forecast/risk.js';
import { withSystem } from '../../src/services/platform/database.js';
import type { Queryable } from '../../src/services/platform/rows.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { liftsOf } from '../../src/services/routing/lifts.js';
import { measurePools } from '../../src/services/routing/pools.js';
import { rebalanceDue } from '../../src/services/routing/rebalance.js';
import { useTestDb } from '../support/db.js';
import { makeBatch, makeProject, makeWorld, type World } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';

// From which chance on a deadline is at risk, and what follows for the queue.
const t = useTestDb();

const inTransaction = <T>(work: (tx: Queryable) => Promise<T>) => withSystem(t.database, work);

/** What the job of pools does in one round, for one tenant. */
async function round({ tenantId }: World): Promise<number> {
  const { skills } = await inTransaction(measurePools);
  const ours = skills.filter((skill) => skill.tenantId === tenantId);
  return rebalanceDue(inTransaction, ours);
}

/** Two projects of 100 tasks in one lane; the second is late for its deadline, which is its batch's alone. */
async function twoProjects(): Promise<{ world: World; late: bigint; batchId: bigint }> {
  const world = await makeWorld(t.database, { experts: 3, tasks: 100 });
  const late = await makeProject(t.database, world);
  const { batchId } = await makeBatch(t.database, world, { projectId: late, tasks: 100 });
  await deadline(batchId, -60);
  return { world, late, batchId };
}

const deadline = (batchId: bigint, seconds: number) =>
  t.admin.query('update batches set deadline = app.clock_now() + make_interval(secs => $2) where id = $1', [
    batchId,
    seconds,
  ]);

const judge = ({ tenantId }: World, projectId: bigint) =>
  judgeProjects(t.database, [{ tenantId, projectId }]);

const lifts = async (projectId: bigint) =>
  (
    await t.admin.query(
      'select lift, batch_id as "batchId", end_reason as ended from project_lifts where project_id = $1 order by id',
      [projectId],
    )
  ).rows;

/** How many of the next 18 rows of the lane are a project's. */
const amongNext = ({ tenantId }: World, projectId: bigint) =>
  numberOf(
    t.admin,
    `select count(*) from (select project_id from ready where tenant_id = $1 and phase = 0 order by tag, task_id limit 18) r
     where r.project_id = $2`,
    [tenantId, projectId],
  );

test('at risk is what is below the threshold, until it is half of the way from there to certain', () => {
  const by = (probabilityOnTime: number | null) => ({
    remainingAnswers: 5,
    deadline: new Date(),
    probabilityOnTime,
  });
  expect(onTrackFrom(0.8)).toBeCloseTo(0.9);
  expect([0.59, 0.6, 0.79].map((chance) => isAtRisk(false, by(chance), 0.6))).toEqual([true, false, false]);
  expect([0.79, 0.81].map((chance) => isAtRisk(true, by(chance), 0.6))).toEqual([true, false]);
  expect([true, false].map((was) => isAtRisk(was, by(null), 0.6))).toEqual([true, false]);
});

test('a lift is the least that a project gets, and never more than eight times its weight', () => {
  const even = { weight: 10, openAnswers: 10, hoursLeft: null };
  expect(liftsOf([even, { ...even, atLeast: 4 }], 10)).toEqual([1, 4]);
  expect(liftsOf([even, { ...even, hoursLeft: 0.1, atLeast: 2 }], 10)).toEqual([1, 8]);
});

test('a policy says what it may, is kept with who set it, and a part that is left out stays', async () => {
  const world = await makeWorld(t.database);
  const { operator, projectId, customer } = world;
  const set = (change: object, viewer = operator) =>
    setRiskPolicy(t.database, viewer, { projectId, ...change });
  await set({ threshold: 0.6 });
  await set({ lift: 4 });
  await set({ threshold: 0.9 }, customer.viewer);
  const kept = await t.admin.query(
    'select threshold, lift, set_by as by from risk_policies where project_id = $1 order by id',
    [projectId],
  );
  expect(kept.rows).toEqual([
    { threshold: 0.6, lift: null, by: String(operator.identityId) },
    { threshold: 0.6, lift: 4, by: String(operator.identityId) },
    { threshold: 0.9, lift: 4, by: String(customer.viewer.identityId) },
  ]);
  await expect(set({ lift: 2 }, customer.viewer)).rejects.toBeInstanceOf(ForbiddenError);
  for (const wrong of [
    { threshold: 0.4 },
    { threshold: 1 },
    { lift: 1 },
    { lift: 9 },
    { lift: Number.NaN },
  ]) {
    await expect(set(wrong)).rejects.toBeInstanceOf(InputInvalidError);
  }
  const stranger = (await makeWorld(t.database)).operator;
  await expect(set({ threshold: 0.6 }, stranger)).rejects.toBeInstanceOf(NotFoundError);
  await expect(t.admin.query('delete from risk_policies')).rejects.toMatchObject({ code: 'XR001' });
});

test('without a policy a deadline at risk lifts nothing', async () => {
  const { world, late } = await twoProjects();
  await judge(world, late);
  await round(world);
  expect(await lifts(late)).toEqual([]);
  expect(await amongNext(world, late)).toBe(9);
});

test('by policy a project is lifted while it is at risk; others keep their part, and all is undone after', async () => {
  const { world, late, batchId } = await twoProjects();
  await setRiskPolicy(t.database, world.operator, { projectId: late, lift: 8 });
  await round(world);
  await judge(world, late);
  await judge(world, late);
  expect(await lifts(late)).toEqual([{ lift: 8, batchId: String(batchId), ended: null }]);
  // Due at once, though the last round was just now; and never more than eight parts of nine.
  expect(await round(world)).toBe(1);
  expect(await amongNext(world, late)).toBe(16);
  expect(await amongNext(world, world.projectId)).toBe(2);

  await t.admin.query('update batches set deadline = null where id = $1', [batchId]);
  await judge(world, late);
  expect(await lifts(late)).toEqual([{ lift: 8, batchId: String(batchId), ended: 'ON_TRACK' }]);
  expect(await round(world)).toBe(1);
  expect(await numberOf(t.admin, 'select lift from flows where project_id = $1', [late])).toBe(1);
  await expectRulesHold(t.database);
});

test('another policy ends a lift and begins another; a cancelled project is lifted no more', async () => {
  const { world, late } = await twoProjects();
  for (const lift of [8, 2, null, 3]) {
    await setRiskPolicy(t.database, world.operator, { projectId: late, lift });
    await judge(world, late);
  }
  const ended = (await lifts(late)).map(({ lift, ended }) => [lift, ended]);
  expect(ended).toEqual([
    [8, 'POLICY'],
    [2, 'POLICY'],
    [3, null],
  ]);
  await cancelProject(t.database, world.operator, { projectId: late, policy: 'STOP' });
  await judge(world, late);
  expect((await lifts(late)).map((one) => one.ended)).toEqual(['POLICY', 'POLICY', 'ON_TRACK']);
});
