import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { setExplorationShare } from '../../../src/services/quality/gold/exploration.js';
import { noteBars } from '../../../src/services/quality/scores/newcomers.js';
import { useTestDb } from '../../support/db.js';
import { at, type Expert, makeExpert, makeWorld, type World } from '../../support/factories.js';
import { makeGolds } from '../../support/golds.js';
import { expectRulesHold } from '../../support/rules.js';
import { emptyReason } from '../../support/work.js';
import { foldScores, mixed, plantGradings, settle } from '../support/graded.js';

// Cold start (decision 0054): what a skill's tenant says of chance, and how newcomers reach work that asks for much.
const t = useTestDb();

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

async function newcomerOf(world: World): Promise<Expert> {
  const newcomer = await makeExpert(t.database, world, []);
  const change = { expertId: newcomer.expertId, skillId: world.skillId, status: 'PROBATION' } as const;
  await setExpertSkill(t.database, world.operator, { ...change, qualityMean: null, qualityLower: null });
  return newcomer;
}

async function fold(): Promise<void> {
  await foldScores(t);
  await settle(t);
}

const lastDoor = async ({ expertId }: Expert) =>
  at(
    await rows(
      'select kind, quality, explore_share from doors where expert_id = $1 order by id desc limit 1',
      [expertId],
    ),
    0,
  );

const statusOf = async ({ expertId }: Expert) =>
  at(await rows('select status from expert_skills where expert_id = $1', [expertId]), 0).status;

/** The rule that a high bar asks for before newcomers are let in. */
const rule = ({ operator, projectId }: World) =>
  setRedundancy(t.database, operator, {
    projectId,
    policy: { kind: 'AGREE', agree: 2, max: 3 },
    isCritical: false,
  });

/** A skill whose one project asks for .85, with gold and a policy or without. */
async function demanding({ isRuled = true, gold = 1 } = {}): Promise<World> {
  const world = await makeWorld(t.database, { experts: 3, tasks: 5, project: { minQuality: 0.85 } });
  await makeGolds(t.database, world, { keys: Array.from({ length: gold }, () => 'yes' as const) });
  if (isRuled) {
    await rule(world);
  }
  return world;
}

test('each draw to explore is kept with the share that the skill had then', async () => {
  const world = await makeWorld(t.database, { experts: 3 });
  const first = await newcomerOf(world);
  await fold();
  expect(await lastDoor(first)).toMatchObject({ kind: 'LOWER_BOUND', explore_share: 0.1 });
  await setExplorationShare(t.database, world.operator, { skillId: world.skillId, share: 0.3 });
  const second = await newcomerOf(world);
  await fold();
  expect(await lastDoor(second)).toMatchObject({ explore_share: 0.3 });
  const bad = { skillId: world.skillId, share: 0.6 };
  await expect(setExplorationShare(t.database, world.operator, bad)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
  await expect(
    setExplorationShare(t.database, world.operator, { skillId: 987_654_321n, share: 0.2 }),
  ).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a newcomer to a skill whose work all asks for .85 is let in, works on probation until they have proven it, and adjudicates nothing', async () => {
  const world = await demanding();
  const newcomer = await newcomerOf(world);
  await fold();
  expect(await lastDoor(newcomer)).toMatchObject({ kind: 'HIGH_BARS', quality: 0.85 });
  expect(await emptyReason(t.database, newcomer)).toBe('GIVEN');
  const lanes = await rows(
    'select l.min_quality from lanes l join projects p on p.adjudication_lane_id = l.id where p.id = $1',
    [world.projectId],
  );
  expect(lanes).toEqual([{ min_quality: 0.9 }]);
  await plantGradings(t.admin, { world, expert: newcomer }, mixed(12, 12));
  await fold();
  expect(await statusOf(newcomer)).toBe('PROBATION');
  expect(await lastDoor(newcomer)).toMatchObject({ kind: 'HIGH_BARS' });
  await t.advance(60);
  await plantGradings(t.admin, { world, expert: newcomer }, mixed(30, 30));
  await fold();
  expect(await statusOf(newcomer)).toBe('ACTIVE');
  await expectRulesHold(t.database);
});

test('who is not that good loses the door, and keeps what the skill has for all newcomers', async () => {
  const world = await demanding();
  const newcomer = await newcomerOf(world);
  await plantGradings(t.admin, { world, expert: newcomer }, mixed(6, 2));
  await fold();
  expect((await lastDoor(newcomer)).kind).not.toBe('HIGH_BARS');
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
});

test.each([
  ['work could be done on newcomers alone', { isRuled: false }],
  ['there is nothing to know them by', { gold: 0 }],
])('no newcomer is let in to a high bar where %s', async (_why, options) => {
  const world = await demanding(options);
  const newcomer = await newcomerOf(world);
  await fold();
  expect((await lastDoor(newcomer)).kind).not.toBe('HIGH_BARS');
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
});

test('who was there before the gold is let in when there is some, to another bar when it is another one, and no longer when it is gone', async () => {
  const world = await demanding({ isRuled: false, gold: 0 });
  const newcomer = await newcomerOf(world);
  const looked = async () => {
    await noteBars(t.database);
    await fold();
    return lastDoor(newcomer);
  };
  const first = await looked();
  expect(first.kind).not.toBe('HIGH_BARS');
  await rule(world);
  await makeGolds(t.database, world, { keys: ['yes'] });
  expect(await looked()).toMatchObject({ kind: 'HIGH_BARS', quality: 0.85 });
  expect(await emptyReason(t.database, newcomer)).toBe('GIVEN');
  const bar = (least: number) =>
    t.admin.query('update projects set min_quality = $2 where id = $1', [world.projectId, least]);
  await bar(0.9);
  expect(await looked()).toMatchObject({ kind: 'HIGH_BARS', quality: 0.9 });
  const count = 'select count(*)::int as doors from doors where expert_id = $1';
  expect(await rows(count, [newcomer.expertId])).toEqual([{ doors: 3 }]);
  await bar(0.97);
  await looked();
  expect(await rows('select door from expert_skills where expert_id = $1', [newcomer.expertId])).toEqual([
    { door: first.kind === 'LOWER_BOUND' ? null : first.quality },
  ]);
  await looked();
  expect(await rows(count, [newcomer.expertId])).toEqual([{ doors: 3 }]);
  const written = () => rows('select xmin::text, bar_at from skills where tenant_id = $1', [world.tenantId]);
  const before = await written();
  expect(await noteBars(t.database)).toEqual({ changed: 0, last: null });
  expect(await written()).toEqual(before);
});
