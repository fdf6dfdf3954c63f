import { describe, expect, test } from 'vitest';
import { ForbiddenError, InputInvalidError, NotFoundError } from '../../src/services/access/errors.js';
import { wantedFor } from '../../src/services/forecast/lift.js';
import {
  onTrackFrom,
  policiesOf,
  type RiskPolicy,
  setRiskPolicy,
  shownPolicies,
} from '../../src/services/forecast/policy.js';
import { isAtRisk, judgeProjects } from '../../src/services/forecast/risk.js';
import { type Tx, withService, withSystem } from '../../src/services/platform/database.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { liftsOf } from '../../src/services/routing/lifts.js';
import { measurePools } from '../../src/services/routing/pools.js';
import { rebalanceDue } from '../../src/services/routing/rebalance.js';
import { endLapsed } from '../../src/services/tasks/project-lifts.js';
import { useTestDb } from '../support/db.js';
import { at, makeBatch, makeProject, makeWorld, type World } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { brokenRules, expectRulesHold } from '../support/rules.js';
import { answerNext } from '../support/work.js';

// From which chance on a deadline is at risk, and what follows for the queue.
const t = useTestDb();

const inTransaction = <T>(work: (tx: Tx) => Promise<T>) => withSystem(t.database, work);

/** What the job of pools does in one round, for one tenant. */
async function round({ tenantId }: World): Promise<number> {
  const { skills } = await inTransaction(measurePools);
  const ours = skills.filter((skill) => skill.tenantId === tenantId);
  return rebalanceDue(inTransaction, ours);
}

/** Two projects in one lane, some of each answered; the second has hardly a chance to make its deadline, which is its batch's alone. */
async function twoProjects(): Promise<{ world: World; late: bigint; batchId: bigint }> {
  const world = await makeWorld(t.database, { experts: 3, tasks: 100 });
  const late = await makeProject(t.database, world);
  const { batchId } = await makeBatch(t.database, world, { projectId: late, tasks: 22 });
  for (let n = 0; n < 8; n++) {
    await answerNext(t.database, at(world.experts, n % 3));
  }
  await t.admin.query(`update batches set stored_at = app.clock_now() - interval '2 hours' where id = $1`, [
    batchId,
  ]);
  await deadline(batchId, 3_600);
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
    'select threshold, lift, lift_below as below, set_by as by from risk_policies where project_id = $1 order by id',
    [projectId],
  );
  expect(kept.rows).toEqual([
    { threshold: 0.6, lift: null, below: 0.6, by: String(operator.identityId) },
    { threshold: 0.6, lift: 4, below: 0.6, by: String(operator.identityId) },
    { threshold: 0.9, lift: 4, below: 0.6, by: String(customer.viewer.identityId) },
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

describe('how a project is to be lifted', () => {
  const HOURS = Array.from({ length: 19 }, (_, place) => 3_600 * (place + 1));
  const batch = { batchId: 1n, probability: 0.7, seconds: HOURS, secondsLeft: 4 * 3_600 };
  const policy = { threshold: 0.8, lift: 4, liftBelow: 0.8 };
  const wanted = (of: Partial<typeof batch> & object, by: Partial<RiskPolicy> = {}, isLifted = false) => {
    const one = wantedFor(
      { tenantId: 1n, projectId: 2n, customerId: 3n, isLifted, atRisk: [{ ...batch, ...of }] },
      { ...policy, ...by },
    );
    return 'wanted' in one ? one.wanted.lift : one.ends;
  };

  test('is by the chance below which an operator allowed it, whatever threshold a customer has set since', () => {
    expect(wanted({})).toBe(4);
    expect(wanted({ probability: 0.85 }, { threshold: 0.99 })).toBe('ON_TRACK');
    // What is lifted is so until half of the way to certainty.
    expect(wanted({ probability: 0.85 }, { threshold: 0.99 }, true)).toBe(4);
    expect(wanted({ probability: 0.95 }, { threshold: 0.99 }, true)).toBe('ON_TRACK');
  });

  test('is not where its deadline is past, or is not made however much it is lifted', () => {
    expect(wanted({ probability: 0, secondsLeft: -1 }, {}, true)).toBe('LATE');
    expect(wanted({ probability: 0.01, secondsLeft: 1_200 })).toBe(4);
    expect(wanted({ probability: 0.01, secondsLeft: 60 })).toBe('LATE');
  });

  test('is not where nothing can be said, nor how fast it goes, nor by a policy that says nothing of it', () => {
    expect(wanted({ probability: null as unknown as number })).toBe('ON_TRACK');
    expect(wanted({ probability: 0.0025, seconds: null as unknown as number[] })).toBe('LATE');
    expect(wanted({}, { lift: null }, true)).toBe('POLICY');
  });
});

test('however many are lifted at once, the others keep two ninths of what their weights give them', () => {
  const one = { weight: 10, openAnswers: 10, hoursLeft: null };
  for (const count of [1, 3, 10, 50]) {
    const lifts = liftsOf([one, ...Array.from({ length: count }, () => ({ ...one, atLeast: 8 }))], 10);
    const share = 1 / lifts.reduce((sum, lift) => sum + lift, 0);
    expect(share * (count + 1)).toBeGreaterThan(0.22);
  }
});

test('a lift that no judging renews lapses, and what has ended is not changed', async () => {
  const { world, late } = await twoProjects();
  await setRiskPolicy(t.database, world.operator, { projectId: late, lift: 8 });
  await judge(world, late);
  await round(world);
  expect(await amongNext(world, late)).toBe(16);
  await t.advance(601);
  await round(world);
  expect(await numberOf(t.admin, 'select lift from flows where project_id = $1', [late])).toBe(1);
  await setRiskPolicy(t.database, world.operator, { projectId: late, lift: null });
  await judge(world, late);
  await expect(
    t.admin.query('update project_lifts set lift = 2 where project_id = $1', [late]),
  ).rejects.toMatchObject({ code: 'XR001' });
});

test('a lift that has lapsed is none, and begins anew where it is wanted again', async () => {
  const { world, late } = await twoProjects();
  await setRiskPolicy(t.database, world.operator, { projectId: late, lift: 8 });
  await judge(world, late);
  await round(world);
  await t.advance(601);
  const shown = () =>
    withService(t.database, { tenantId: world.tenantId, actorId: null }, (tx) => shownPolicies(tx, [late]));
  expect((await shown())[0]?.liftedSince).toBeNull();
  await judge(world, late);
  expect((await lifts(late)).map(({ ended }) => ended)).toEqual(['LAPSED', null]);
  expect((await shown())[0]?.liftedSince).toBeInstanceOf(Date);
  expect(await round(world)).toBe(1);
  expect(await amongNext(world, late)).toBe(16);
  await t.advance(601);
  await inTransaction(endLapsed);
  expect((await lifts(late)).map(({ ended }) => ended)).toEqual(['LAPSED', 'LAPSED']);
});

test('of policies that do not say it a lift counts below the threshold that it was allowed with', async () => {
  const { tenantId, projectId, customer, operator } = await makeWorld(t.database);
  for (const [threshold, lift] of [
    [0.9, null],
    [0.7, 4],
    [0.99, 4],
  ]) {
    await t.admin.query(
      'insert into risk_policies (tenant_id, project_id, customer_id, threshold, lift, set_by) values ($1, $2, $3, $4, $5, $6)',
      [tenantId, projectId, customer.viewer.customerId, threshold, lift, operator.identityId],
    );
  }
  const policies = await inTransaction((tx) => policiesOf(tx, [{ tenantId, projectId }]));
  expect(policies.get(projectId)).toEqual({ threshold: 0.99, lift: 4, liftBelow: 0.7 });
});

test('verify finds a lift that no policy allowed', async () => {
  const { world, late, batchId } = await twoProjects();
  const lift = (times: number) =>
    t.admin.query(
      `insert into project_lifts (tenant_id, project_id, customer_id, lift, batch_id, probability, ended_at, end_reason)
       values ($1, $2, $3, $4, $5, .1, app.clock_now(), 'ON_TRACK')`,
      [world.tenantId, late, world.customer.viewer.customerId, times, batchId],
    );
  const broken = async () => (await brokenRules(t.database)).filter((one) => one.includes('Every lift'));
  await setRiskPolicy(t.database, world.operator, { projectId: late, lift: 2 });
  await lift(2);
  expect(await broken()).toEqual([]);
  await lift(3);
  expect(await broken()).toHaveLength(1);
  // (Nobody else is to find it.)
  await t.admin.query('alter table project_lifts disable trigger ended');
  await t.admin.query('delete from project_lifts where project_id = $1', [late]);
  await t.admin.query('alter table project_lifts enable trigger ended');
});
