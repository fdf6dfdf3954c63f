import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { doorsOf } from '../../../src/services/quality/reads/doors.js';
import { useTestDb } from '../../support/db.js';
import { at, type Expert, makeExpert, makeViewer, makeWorld, type World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { emptyReason, outcome } from '../../support/work.js';
import { foldScores, mixed, type PlantedGrading, plantGradings, settle } from '../support/graded.js';

// Cold start: what the claim takes a newcomer for, and how probation ends. Chance draws 0 always here: it explores every
// time, and Thompson's draw is then the worst that may be true, so that nobody is let in by it.
const t = useTestDb();
const DAY_SECONDS = 86_400;

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

/** Folds what is due, and brings it into effect. */
async function fold(): Promise<void> {
  await foldScores(t);
  await settle(t);
}

/** A world with so many proven experts, whose project asks for so much, and a newcomer whom nobody vouches for. */
async function withNewcomer(
  proven: number,
  minQuality: number,
): Promise<{ world: World; newcomer: Expert; grade: (g: readonly PlantedGrading[]) => Promise<void> }> {
  const world = await makeWorld(t.database, { experts: proven, tasks: 3, project: { minQuality } });
  const newcomer = await makeExpert(t.database, world, []);
  const change = { expertId: newcomer.expertId, skillId: world.skillId, status: 'PROBATION' } as const;
  await setExpertSkill(t.database, world.operator, { ...change, qualityMean: null, qualityLower: null });
  const grade = async (gradings: readonly PlantedGrading[]) => {
    await plantGradings(t.admin, { world, expert: newcomer }, gradings);
    await fold();
  };
  return { world, newcomer, grade };
}

const statusOf = async ({ expertId }: Expert) =>
  at(
    await rows('select status, door, taken_for, quality_lower from expert_skills where expert_id = $1', [
      expertId,
    ]),
    0,
  );

const doors = ({ expertId }: Expert) =>
  rows('select kind, quality, results, proven_experts, explore from doors where expert_id = $1 order by id', [
    expertId,
  ]);

test('where a skill is scarce a newcomer is let in for what they may hope to be, and that is on record', async () => {
  const { world, newcomer } = await withNewcomer(2, 0.75);
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
  await fold();
  expect(await doors(newcomer)).toEqual([
    { kind: 'SCARCE_SKILL', quality: 0.79, results: 0, proven_experts: 2, explore: null },
  ]);
  expect(await statusOf(newcomer)).toEqual({
    status: 'PROBATION',
    door: 0.79,
    taken_for: 0.79,
    quality_lower: 0,
  });
  expect(await emptyReason(t.database, newcomer)).toBe('GIVEN');
  await expectRulesHold(t.database);
  const analyst = await makeViewer(t.database, world, { role: 'ANALYST' });
  const asked = {
    filter: { expertId: newcomer.expertId, skillId: null, exceptionsOnly: true },
    page: { take: 5, afterId: null },
  };
  expect(await doorsOf(t.database, analyst, asked)).toMatchObject([{ kind: 'SCARCE_SKILL', quality: 0.79 }]);
  expect(await doorsOf(t.database, world.customer.viewer, asked)).toEqual([]);
  expect(await outcome(doorsOf(t.database, newcomer.viewer, asked))).toBe('FORBIDDEN');
});

test('no exception goes up to where adjudications wait', async () => {
  const { newcomer } = await withNewcomer(0, 0.8);
  await fold();
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
});

test('where there are enough proven experts a newcomer is taken for what is proven, and each door for the same results is one draw', async () => {
  const { newcomer, grade } = await withNewcomer(3, 0.6);
  await fold();
  expect(await doors(newcomer)).toMatchObject([{ kind: 'LOWER_BOUND', results: 0, explore: 0 }]);
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
  await grade(mixed(1, 1));
  await t.admin.query(
    'insert into grading_dues (tenant_id, expert_id, skill_id) select tenant_id, expert_id, skill_id from expert_skills where expert_id = $1',
    [newcomer.expertId],
  );
  await fold();
  expect((await doors(newcomer)).map(({ results }) => results)).toEqual([0, 1]);
});

test('what was drawn stays: the same results are never drawn for again', async () => {
  const { world, newcomer } = await withNewcomer(3, 0.7);
  await t.admin.query(
    `insert into doors (tenant_id, expert_id, skill_id, kind, quality, mean, lower, results, grading_id, proven_experts, explore, accuracy, opened_at)
     values ($1, $2, $3, 'EXPLORATION', 0.72, 0.8, 0.46, 0, 0, 3, 0.01, 0.3, now())`,
    [world.tenantId, newcomer.expertId, world.skillId],
  );
  await fold();
  expect(await doors(newcomer)).toHaveLength(1);
  expect(await statusOf(newcomer)).toMatchObject({ door: 0.72, taken_for: 0.72 });
  expect(await emptyReason(t.database, newcomer)).toBe('GIVEN');
});

test('probation ends with eight results that prove it, and not before; what they were taken for they hold', async () => {
  const { newcomer, grade } = await withNewcomer(0, 0);
  await grade(mixed(7, 7));
  expect(await statusOf(newcomer)).toMatchObject({ status: 'PROBATION', door: 0.79 });
  await t.advance(60);
  await grade(mixed(1, 1));
  const after = await statusOf(newcomer);
  expect(after).toMatchObject({ status: 'ACTIVE', taken_for: 0.79 });
  expect(after.quality_lower).toBeLessThan(0.79);
  expect(
    await rows('select is_over, results, correct from probations where expert_id = $1', [newcomer.expertId]),
  ).toEqual([{ is_over: true, results: 8, correct: 8 }]);
  await t.advance(60);
  await grade(mixed(2, 1));
  expect(await statusOf(newcomer)).toMatchObject({ status: 'ACTIVE' });
  await expectRulesHold(t.database);
});

test('who is not proven stays on probation, until results pause them', async () => {
  const { newcomer, grade } = await withNewcomer(0, 0);
  await grade(mixed(8, 4));
  expect((await statusOf(newcomer)).status).toBe('PROBATION');
  await t.advance(60);
  await grade(mixed(10, 2));
  expect((await statusOf(newcomer)).status).toBe('PAUSED');
  expect(
    await numberOf(t.admin, 'select count(*) from probations where expert_id = $1', [newcomer.expertId]),
  ).toBe(0);
});

test('results that count no longer take probation’s end back, and the pause that they made; a human’s word stays', async () => {
  const { newcomer, grade, world } = await withNewcomer(1, 0);
  const voidAll = (expert: Expert) =>
    t.admin.query(
      `insert into voided_gradings (tenant_id, grading_id, reason, at)
       select tenant_id, id, 'LEAKED', app.clock_now() from gradings where expert_id = $1 on conflict do nothing`,
      [expert.expertId],
    );
  await grade(mixed(8, 8));
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(8, 8));
  expect((await statusOf(newcomer)).status).toBe('ACTIVE');
  await voidAll(newcomer);
  await voidAll(world.ada);
  await fold();
  expect((await statusOf(newcomer)).status).toBe('PROBATION');
  expect((await statusOf(world.ada)).status).toBe('ACTIVE');
  await t.advance(60);
  await grade(mixed(20, 2));
  expect((await statusOf(newcomer)).status).toBe('PAUSED');
  await voidAll(newcomer);
  await fold();
  expect((await statusOf(newcomer)).status).toBe('PROBATION');
  await expectRulesHold(t.database);
});

test('what a human makes of a newcomer is not undone by what was decided of them before', async () => {
  const { newcomer, world, grade } = await withNewcomer(1, 0);
  const change = { expertId: newcomer.expertId, skillId: world.skillId, status: 'ACTIVE' } as const;
  const accept = () =>
    setExpertSkill(t.database, world.operator, { ...change, qualityMean: null, qualityLower: null });
  await plantGradings(t.admin, { world, expert: newcomer }, mixed(8, 4));
  await foldScores(t);
  await accept();
  await settle(t);
  expect((await statusOf(newcomer)).status).toBe('ACTIVE');
  await expectRulesHold(t.database);
  await t.advance(60);
  await grade(mixed(1, 1));
  expect((await statusOf(newcomer)).status).toBe('ACTIVE');
  await expectRulesHold(t.database);
});

test('who is tested anew is given work to be tested on, until the test has ended', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 3, project: { minQuality: 0.75 } });
  const { ada } = world;
  const grade = async (gradings: readonly PlantedGrading[]) => {
    await plantGradings(t.admin, { world, expert: ada }, gradings);
    await fold();
    await t.advance(60);
  };
  await grade(mixed(20, 4));
  expect(await emptyReason(t.database, ada)).toBe('PAUSED');
  await t.advance(DAY_SECONDS);
  await fold();
  expect(await doors(ada)).toMatchObject([{ kind: 'RETEST', quality: 0.79 }]);
  expect(await emptyReason(t.database, ada)).toBe('GIVEN');
  await expectRulesHold(t.database);
  await t.advance(60);
  await grade(mixed(4, 1));
  // Beta(2, 4) is below .58 with probability .9: without work the test would never end.
  expect((await statusOf(ada)).door).toBe(0.75);
  await grade(mixed(8, 1));
  expect(await emptyReason(t.database, ada)).toBe('PAUSED');
});
