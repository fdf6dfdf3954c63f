import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { withScope } from '../../../src/services/platform/database.js';
import { pauseExpert, resumeExpert } from '../../../src/services/routing/pauses.js';
import { useTestDb } from '../../support/db.js';
import { at, makeExpert, makeWorld, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { emptyReason, outcome, submit, take } from '../../support/work.js';
import { foldScores, mixed, type PlantedGrading, plantGradings, settle } from '../support/graded.js';

// Rule 11: scores and standings are folds over gradings, and nothing else moves them.
const t = useTestDb();
const DAY_SECONDS = 86_400;

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

async function grade(world: World, gradings: readonly PlantedGrading[], expert = world.ada): Promise<void> {
  await plantGradings(t.admin, { world, expert }, gradings);
  await fold();
}

/** Folds what is due, and brings it into effect (test/quality/pausing/effects.test.ts is about when). */
async function fold(): Promise<void> {
  await foldScores(t);
  await settle(t);
}

const skillOf = async (world: World, expert = world.ada) =>
  at(
    await rows(
      'select status, quality_mean, quality_lower from expert_skills where expert_id = $1 and skill_id = $2',
      [expert.expertId, world.skillId],
    ),
    0,
  );

const scoreOf = async (world: World, expert = world.ada) =>
  (await rows('select * from quality_scores where expert_id = $1', [expert.expertId]))[0];

const noticesOf = (world: World, expert = world.ada) =>
  rows('select phase, reason from standing_notices where expert_id = $1 order by at, id', [expert.expertId]);

const pausesOf = (world: World) =>
  rows(
    'select reason, paused_by, resumed_at is null as open, returned from pauses where expert_id = $1 order by id',
    [world.ada.expertId],
  );

const pause = (world: World) =>
  pauseExpert(t.database, world.operator, {
    expertId: world.ada.expertId,
    skillId: world.skillId,
    reason: 'Asked for a break.',
    withdraw: false,
  });

const resume = (world: World) =>
  resumeExpert(t.database, world.operator, {
    expertId: world.ada.expertId,
    skillId: world.skillId,
    reason: 'Looked at.',
  });

test('three of three is not “100 %”: the lower bound is what claims are filtered by', async () => {
  // (Three proven experts: the skill is not scarce, and nobody is let in by an exception.)
  const world = await makeWorld(t.database, { experts: 3, project: { minQuality: 0.7 } });
  const newcomer = await makeExpert(t.database, world, []);
  const change = { expertId: newcomer.expertId, skillId: world.skillId, status: 'PROBATION' } as const;
  await setExpertSkill(t.database, world.operator, { ...change, qualityMean: null, qualityLower: null });
  await grade(world, mixed(3, 3), newcomer);
  // Beta(.8 x 4.5 + 3, .2 x 4.5) without discount; three results discount by .97 and .97^2.
  const { quality_mean, quality_lower } = await skillOf(world, newcomer);
  const right = 1 + 0.97 + 0.97 ** 2;
  expect(quality_mean).toBeCloseTo((3.6 + right) / (4.5 + right), 9);
  expect(quality_lower).toBeLessThan(0.7);
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
  await grade(world, mixed(30, 30), newcomer);
  expect(await emptyReason(t.database, newcomer)).toBe('GIVEN');
  await expectRulesHold(t.database);
});

test('a fold in pieces is a fold from the beginning, to the last bit', async () => {
  const world = await makeWorld(t.database, { experts: 2 });
  const all = mixed(17, 12);
  for (const piece of [all.slice(0, 4), all.slice(4, 5), all.slice(5)]) {
    await plantGradings(t.admin, { world, expert: world.ada }, piece);
    await fold();
    await t.advance(60);
  }
  const first = await scoreOf(world);
  await t.admin.query('delete from quality_scores where expert_id = $1', [world.ada.expertId]);
  await t.admin.query('insert into grading_dues (tenant_id, expert_id, skill_id) values ($1, $2, $3)', [
    world.tenantId,
    world.ada.expertId,
    world.skillId,
  ]);
  await fold();
  const again = await scoreOf(world);
  expect([again.state, again.mean, again.lower]).toEqual([first.state, first.mean, first.lower]);
  expect(again.seen).toBe(17);
  await expectRulesHold(t.database);
});

test('what a human vouched for is where a score starts, and is refused once there is a measurement', async () => {
  const world = await makeWorld(t.database, { quality: 0.8 });
  await grade(world, mixed(1, 1));
  // One result moves a mean of .9 that is known to within .1 by little; from nothing it would fall to .82.
  expect((await skillOf(world)).quality_mean).toBeGreaterThan(0.9);
  expect((await skillOf(world)).quality_lower).toBeGreaterThan(0.78);
  await grade(world, mixed(30, 15));
  const { quality_lower } = await skillOf(world);
  expect(quality_lower).toBeLessThan(0.7);
  const boost = { expertId: world.ada.expertId, skillId: world.skillId, status: 'ACTIVE' } as const;
  const set = (qualityMean: number, qualityLower: number) =>
    outcome(setExpertSkill(t.database, world.operator, { ...boost, qualityMean, qualityLower }));
  expect(await set(1, 0.99)).toBe('INPUT_INVALID');
  // The same word again is no other one: whoever sets a status may repeat it.
  expect(await set(0.9, 0.8)).toBe('OK');
  await pause(world);
  await fold();
  expect(await skillOf(world)).toMatchObject({ quality_lower });
  const cheat = `update expert_skills set quality_mean = 1, quality_lower = 1 where expert_id = ${world.ada.expertId}`;
  await expect(t.admin.query(cheat)).rejects.toMatchObject({ code: 'XR011' });
});

test('who is wrong too often is warned, then paused with reason and evidence; answers stay', async () => {
  const world = await makeWorld(t.database, { tasks: 2 });
  const held = await take(t.database, world.ada);
  await grade(world, mixed(20, 4));
  expect(await noticesOf(world)).toEqual([
    { phase: 'WARNED', reason: 'ACCURACY_BELOW_BAR' },
    { phase: 'PAUSED', reason: 'ACCURACY_BELOW_BAR' },
  ]);
  expect(await pausesOf(world)).toEqual([
    { reason: 'ACCURACY_BELOW_BAR', paused_by: null, open: true, returned: false },
  ]);
  expect(await outcome(submit(t.database, world.ada, held))).toBe('OK');
  expect(await emptyReason(t.database, world.ada)).toBe('PAUSED');
  const { evidence } = at(
    await rows(`select evidence from standing_notices where expert_id = $1 and phase = 'PAUSED'`, [
      world.ada.expertId,
    ]),
    0,
  );
  expect(evidence.factIds).toHaveLength(evidence.of);
  expect(evidence.probabilityBelow).toBeGreaterThan(0.9);
  await expectRulesHold(t.database);
});

test('who was paused is tested anew after a day, and returns by results of the test alone', async () => {
  const world = await makeWorld(t.database, { tasks: 2 });
  await grade(world, mixed(20, 4));
  await t.advance(DAY_SECONDS - 60);
  await fold();
  expect(await skillOf(world)).toMatchObject({ status: 'PAUSED' });
  await t.advance(120);
  await fold();
  expect(await skillOf(world)).toMatchObject({ status: 'PROBATION' });
  expect(await pausesOf(world)).toMatchObject([{ open: false, returned: true }]);
  await t.advance(60);
  await grade(world, mixed(12, 12));
  expect((await noticesOf(world)).slice(2)).toEqual([
    { phase: 'RETEST', reason: 'RETEST_BEGUN' },
    { phase: 'CLEAR', reason: 'RETEST_PASSED' },
  ]);
  expect(await skillOf(world)).toMatchObject({ status: 'ACTIVE' });
  await expectRulesHold(t.database);
});

test('who fails the re-test is paused again, and waits longer', async () => {
  const world = await makeWorld(t.database);
  await grade(world, mixed(20, 4));
  await t.advance(DAY_SECONDS + 60);
  await fold();
  await t.advance(60);
  await grade(world, mixed(20, 6));
  expect((await noticesOf(world)).at(-1)).toEqual({ phase: 'PAUSED', reason: 'RETEST_FAILED' });
  expect(await skillOf(world)).toMatchObject({ status: 'PAUSED' });
  await t.advance(2 * DAY_SECONDS);
  await fold();
  expect(await skillOf(world)).toMatchObject({ status: 'PAUSED' });
  await expectRulesHold(t.database);
});

test('results that count no longer take back the pause that they made', async () => {
  const world = await makeWorld(t.database);
  await grade(world, mixed(20, 4));
  expect(await skillOf(world)).toMatchObject({ status: 'PAUSED' });
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'The key was wrong.', app.clock_now() from gradings where expert_id = $1 and not is_right`,
    [world.ada.expertId],
  );
  await fold();
  expect(await skillOf(world)).toMatchObject({ status: 'ACTIVE' });
  expect((await scoreOf(world)).seen).toBe(4);
  await expectRulesHold(t.database);
});

test('a pause that a human set is not lifted by results, and one that results set is lifted by a human', async () => {
  const world = await makeWorld(t.database);
  await pause(world);
  await grade(world, mixed(30, 30));
  await t.advance(30 * DAY_SECONDS);
  await fold();
  expect(await skillOf(world)).toMatchObject({ status: 'PAUSED' });
  await resume(world);
  await fold();
  expect(await skillOf(world)).toMatchObject({ status: 'ACTIVE' });
  await t.advance(60);
  await grade(world, mixed(30, 6));
  expect(await skillOf(world)).toMatchObject({ status: 'PAUSED' });
  await t.advance(60);
  await resume(world);
  await fold();
  expect(await skillOf(world)).toMatchObject({ status: 'ACTIVE' });
  expect((await noticesOf(world)).at(-1)).toEqual({ phase: 'CLEAR', reason: 'HUMAN' });
  await t.advance(60);
  await grade(world, mixed(4, 0));
  expect(await skillOf(world)).toMatchObject({ status: 'ACTIVE' });
  await expectRulesHold(t.database);
});

test('a human’s pause of somebody whom results paused stands: no re-test lets them in', async () => {
  const world = await makeWorld(t.database);
  await grade(world, mixed(20, 4));
  await t.advance(60);
  await pause(world);
  expect(await pausesOf(world)).toMatchObject([
    { reason: 'ACCURACY_BELOW_BAR', open: false, returned: true },
    { reason: 'Asked for a break.', open: true },
  ]);
  await t.advance(2 * DAY_SECONDS);
  await fold();
  expect(await skillOf(world)).toMatchObject({ status: 'PAUSED' });
  await expectRulesHold(t.database);
});

test('experts see no score as it is, nor as it was at the end of a day: those tell gold', async () => {
  const world = await makeWorld(t.database);
  const { tenantId, ada } = world;
  await grade(world, mixed(3, 3));
  await t.advance(DAY_SECONDS);
  const seen = await withScope(
    t.database,
    { tenantId, role: 'EXPERT', actorId: ada.viewer.identityId, expertId: ada.expertId },
    (tx) =>
      tx.$queryRaw`select (select count(*)::int from score_days) as days, (select count(*)::int from calibration_days) as stated,
        (select count(*)::int from quality_scores) as live`,
  );
  expect(seen).toEqual([{ days: 0, stated: 0, live: 0 }]);
});

test('a fold that runs again tells nothing twice, and tells when the standing is another', async () => {
  const world = await makeWorld(t.database);
  await grade(world, mixed(20, 4));
  const told = async () =>
    (
      await t.admin.query('select phase, reason from standing_notices where tenant_id = $1 order by id', [
        world.tenantId,
      ])
    ).rows.map(({ phase, reason }) => `${phase} ${reason}`);
  const first = ['WARNED ACCURACY_BELOW_BAR', 'PAUSED ACCURACY_BELOW_BAR'];
  expect(await told()).toEqual(first);
  const voidSome = async (count: number) => {
    await t.admin.query(
      `insert into voided_gradings (tenant_id, grading_id, reason, at) select tenant_id, id, 'test', app.clock_now() from gradings g
       where tenant_id = $1 and not exists (select from voided_gradings v where v.grading_id = g.id) order by id limit $2`,
      [world.tenantId, count],
    );
    await fold();
  };
  // Without the first of them the warning and the pause come later in the same answers.
  await voidSome(3);
  expect(await told()).toEqual(first);
  // Without all of them there is none.
  await voidSome(20);
  expect(await told()).toEqual([...first, 'CLEAR ACCURACY_RECOVERED']);
  await fold();
  expect(await told()).toHaveLength(3);
  await expectRulesHold(t.database);
});
