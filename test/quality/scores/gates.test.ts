import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { foldWork } from '../../../src/services/forecast/risk.js';
import { cancelProject } from '../../../src/services/projects/projects.js';
import { noteBars } from '../../../src/services/quality/scores/newcomers.js';
import { createSleepersLook } from '../../../src/services/quality/scores/sleepers.js';
import { pauseExpert, resumeExpert } from '../../../src/services/routing/pauses.js';
import { useTestDb } from '../../support/db.js';
import {
  at,
  type Expert,
  makeBatch,
  makeExpert,
  makeProject,
  makeWorld,
  type World,
} from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext, emptyReason, outcome } from '../../support/work.js';
import { foldScores, mixed, plantGradings, settle } from '../support/graded.js';

// Who is below a bar, and how they come back (decision 0115). Chance draws 0 here, but where a test says otherwise.
const t = useTestDb();
const DAY_SECONDS = 86_400;

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

async function fold(): Promise<void> {
  await foldScores(t);
  await settle(t);
}

async function grade(world: World, [of, right]: [number, number], expert = world.ada): Promise<void> {
  await plantGradings(t.admin, { world, expert }, mixed(of, right));
  await fold();
  await t.advance(60);
}

const kindsOf = async ({ expertId }: Expert): Promise<string[]> =>
  (await rows('select kind from doors where expert_id = $1 order by id', [expertId])).map(({ kind }) => kind);

const statusOf = async ({ expertId }: Expert): Promise<string> =>
  at(await rows('select status from expert_skills where expert_id = $1', [expertId]), 0).status;

const about = ({ skillId }: World, { expertId }: Expert, reason: string) => ({ expertId, skillId, reason });

/** A newcomer whom nobody vouches for. */
async function newcomerOf(world: World): Promise<Expert> {
  const newcomer = await makeExpert(t.database, world, []);
  const change = { expertId: newcomer.expertId, skillId: world.skillId, status: 'PROBATION' } as const;
  await setExpertSkill(t.database, world.operator, { ...change, qualityMean: null, qualityLower: null });
  return newcomer;
}

const asking = (minQuality: number, tasks = 5) =>
  makeWorld(t.database, { experts: 3, tasks, project: { minQuality } });

test('a bar that was reached is held while results may be chance, and lost when they are not', async () => {
  const world = await asking(0.8);
  const newcomer = await newcomerOf(world);
  await grade(world, [40, 40], newcomer);
  await grade(world, [10, 7], newcomer);
  const [{ quality_lower }] = await rows('select quality_lower from expert_skills where expert_id = $1', [
    newcomer.expertId,
  ]);
  expect(quality_lower).toBeLessThan(0.8);
  await answerNext(t.database, newcomer);
  expect((await kindsOf(newcomer)).at(-1)).toBe('KEPT');
  await grade(world, [20, 11], newcomer);
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
  await expectRulesHold(t.database);
});

test('who passes a re-test keeps the work that it gave them', async () => {
  const world = await asking(0.75);
  await grade(world, [20, 4]);
  await t.advance(DAY_SECONDS);
  await fold();
  await t.advance(60);
  await grade(world, [10, 10]);
  expect(await statusOf(world.ada)).toBe('ACTIVE');
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
  await expectRulesHold(t.database);
});

test('whose pause a human lifts is given work again, and measured from there', async () => {
  const world = await asking(0.75);
  await grade(world, [20, 4]);
  await resumeExpert(t.database, world.operator, about(world, world.ada, 'Looked at.'));
  await fold();
  expect((await kindsOf(world.ada)).at(-1)).toBe('TRIAL');
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
  await expectRulesHold(t.database);
});

test('a lower bar of a project that has nothing to do shuts nobody out of the others', async () => {
  const world = await asking(0.75);
  await makeProject(t.database, world, { minQuality: 0 });
  await foldWork(t.database);
  await grade(world, [20, 4]);
  await resumeExpert(t.database, world.operator, about(world, world.ada, 'Looked at.'));
  await fold();
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
});

test('whom a human takes on is taken for what they said, whatever door stood open', async () => {
  const world = await asking(0.7);
  const newcomer = await newcomerOf(world);
  await t.admin.query('update expert_skills set door = 0.79 where expert_id = $1', [newcomer.expertId]);
  expect(await emptyReason(t.database, newcomer)).toBe('GIVEN');
  const taken = { expertId: newcomer.expertId, skillId: world.skillId, status: 'ACTIVE' } as const;
  await setExpertSkill(t.database, world.operator, { ...taken, qualityMean: 0.5, qualityLower: 0.4 });
  const [row] = await rows('select taken_for from expert_skills where expert_id = $1', [newcomer.expertId]);
  expect(row.taken_for).toBe(0.4);
});

test('a re-test has work to be taken on where all that a skill has asks for more than .79', async () => {
  const world = await asking(0.85);
  await grade(world, [20, 4]);
  await t.advance(DAY_SECONDS);
  await fold();
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
});

test('a human’s pause over one by results, and its lift, end no probation', async () => {
  const world = await asking(0);
  const newcomer = await newcomerOf(world);
  await grade(world, [18, 4], newcomer);
  expect(await statusOf(newcomer)).toBe('PAUSED');
  await pauseExpert(t.database, world.operator, { ...about(world, newcomer, 'Looking.'), withdraw: false });
  await resumeExpert(t.database, world.operator, about(world, newcomer, 'Looked at.'));
  await fold();
  expect(await statusOf(newcomer)).toBe('PROBATION');
});

test('whom chance left out is drawn for again another day, once', async () => {
  const world = await asking(0.5);
  const newcomer = await newcomerOf(world);
  await fold();
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
  const luck = (value: number) =>
    t.admin.query(
      `create or replace function app.chance() returns double precision language sql volatile as $$ select ${value}::float8 $$`,
    );
  await luck(0.09);
  await fold();
  expect(await kindsOf(newcomer)).toEqual(['LOWER_BOUND']);
  await t.advance(DAY_SECONDS);
  await fold();
  expect(await kindsOf(newcomer)).toEqual(['LOWER_BOUND', 'EXPLORATION']);
  await luck(0);
  await answerNext(t.database, newcomer);
  await grade(world, [4, 3], newcomer);
  expect(await emptyReason(t.database, newcomer)).toBe('GIVEN');
  await expectRulesHold(t.database);
});

test('who asks for no work is not drawn for each day, and is as soon as they ask', async () => {
  const world = await asking(0.5);
  const newcomer = await newcomerOf(world);
  await fold();
  const look = createSleepersLook(t.database);
  // Each row as it was written last, and by whom.
  const written = async () =>
    at(
      await rows('select xmin::text, ctid::text from expert_skills where expert_id = $1', [
        newcomer.expertId,
      ]),
      0,
    );
  const versions = [];
  for (let week = 0; week < 3; week++) {
    await t.advance(9 * DAY_SECONDS);
    await fold();
    expect(await look()).toBe(false);
    expect(await kindsOf(newcomer)).toEqual(['LOWER_BOUND']);
    versions.push(await written());
  }
  expect(versions[2]).toEqual(versions[0]);
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
  await fold();
  expect(await kindsOf(newcomer)).toHaveLength(2);
});

test('whom a change of bars leaves without work is tried at the least of them after a day, then after three', async () => {
  const world = await asking(0.5);
  const { ada } = world;
  await grade(world, [20, 16]);
  const harder = await makeProject(t.database, world, { minQuality: 0.85 });
  await makeBatch(t.database, world, { projectId: harder, tasks: 5 });
  await cancelProject(t.database, world.operator, { projectId: world.projectId, policy: 'STOP' });
  const look = async () => {
    await noteBars(t.database);
    await fold();
    return (await kindsOf(ada)).filter((kind) => kind === 'TRIAL').length;
  };
  expect(await look()).toBe(0);
  await t.advance(DAY_SECONDS + 60);
  expect(await look()).toBe(1);
  await answerNext(t.database, ada);
  await grade(world, [10, 3]);
  expect(await statusOf(ada)).toBe('ACTIVE');
  await t.advance(2 * DAY_SECONDS);
  expect(await look()).toBe(1);
  await t.advance(DAY_SECONDS + 120);
  expect(await look()).toBe(2);
  await expectRulesHold(t.database);
});

test('what is taken back is held no further than what remains makes likely', async () => {
  const world = await asking(0.8);
  const newcomer = await newcomerOf(world);
  await grade(world, [40, 40], newcomer);
  await grade(world, [20, 14], newcomer);
  await answerNext(t.database, newcomer);
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'LEAKED', app.clock_now() from gradings where expert_id = $1 order by id limit 40`,
    [newcomer.expertId],
  );
  await fold();
  expect(await emptyReason(t.database, newcomer)).toBe('QUALITY_BELOW_MINIMUM');
  await expectRulesHold(t.database);
});

test('no project asks for more than can be proven', async () => {
  const world = await asking(0.85);
  expect(await outcome(makeProject(t.database, world, { minQuality: 0.86 }))).toBe('INPUT_INVALID');
});
