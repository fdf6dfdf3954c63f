import { expect, test } from 'vitest';
import { withScope } from '../../../src/services/platform/database.js';
import { calibrationOf as shownCalibration } from '../../../src/services/quality/reads/expert-quality.js';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import { useTestDb } from '../../support/db.js';
import { type Expert, makeWorld, type World } from '../../support/factories.js';
import { foldScores, mixed, plantGradings } from '../support/graded.js';

const t = useTestDb();

/** Eighty results, sixty of them right, with what the expert stated of each; then what is kept of that. */
async function calibrationOf(world: World, expert: Expert, stated: (isRight: boolean) => number) {
  const gradings = mixed(80, 60).map((grading) => ({ ...grading, stated: stated(grading.isRight) }));
  await plantGradings(t.admin, { world, expert }, gradings);
  await keepScores(t.database, 50);
  const kept = 'select pairs, stated, actual, use from confidence_calibrations where expert_id = $1';
  return (await t.admin.query(kept, [expert.expertId])).rows;
}

test('confidence is calibrated on gold, and only where it says something', async () => {
  const world = await makeWorld(t.database, { experts: 2 });
  const honest = await calibrationOf(world, world.ada, (isRight) => (isRight ? 0.9 : 0.4));
  expect(honest).toMatchObject([{ pairs: 80, actual: 0.75, use: 'USABLE' }]);
  const boastful = await calibrationOf(world, world.bob, () => 0.99);
  expect(boastful).toMatchObject([{ pairs: 80, actual: 0.75, use: 'SAYS_NOTHING' }]);
});

test('what is shown of it has no digits that nobody stated', async () => {
  const world = await makeWorld(t.database);
  await calibrationOf(world, world.ada, (isRight) => (isRight ? 0.7 : 0.1));
  const scope = { tenantId: world.tenantId, role: 'OPERATOR', actorId: world.operator.identityId } as const;
  const shown = await withScope(t.database, scope, (tx) => shownCalibration(tx, world.ada.expertId));
  // 60 of 80 at .7 and 20 at .1; a third of each group of sixteen is no round number.
  expect(shown).toMatchObject({ pairs: 80, stated: 0.55, actual: 0.75 });
  expect(String(shown?.error)).toMatch(/^0\.\d{1,6}$/);
});

test('calibration rests on the latest two hundred answers, however many dimensions each has', async () => {
  const world = await makeWorld(t.database);
  const { tenantId, projectId, skillId, taskTypeId, ada } = world;
  await t.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
       truth, answered, is_right, stated, graded_at)
     select $1, n, n, $2, $3, $4, $5, 'd' || d, 'GOLD', 'yes', 'yes', true, .8, app.clock_now() - make_interval(secs => 250 - n)
     from generate_series(1, 250) n cross join generate_series(1, 12) d order by n, d`,
    [tenantId, projectId, ada.expertId, skillId, taskTypeId],
  );
  await foldScores(t);
  const kept = 'select pairs from confidence_calibrations where expert_id = $1';
  expect((await t.admin.query(kept, [ada.expertId])).rows).toEqual([{ pairs: 200 }]);
});

test('what is stated is calibrated by skill, and again when a skill has no more of it', async () => {
  const world = await makeWorld(t.database, { experts: 3 });
  const { tenantId, ada } = world;
  const other = await t.admin.query(
    `insert into skills (tenant_id, name) values ($1, 'another') returning id::bigint`,
    [tenantId],
  );
  const skillId = BigInt(other.rows[0].id);
  await t.admin.query(
    `insert into expert_skills (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower)
     values ($1, $2, $3, 'ACTIVE', .9, .8)`,
    [tenantId, ada.expertId, skillId],
  );
  await calibrationOf(world, ada, (isRight) => (isRight ? 0.9 : 0.4));
  await calibrationOf({ ...world, skillId }, ada, () => 0.99);
  const kept = async () =>
    (
      await t.admin.query(
        'select skill_id::int8 = $2 as is_other, pairs, use, usual from skill_calibrations where expert_id = $1 order by 1',
        [ada.expertId, skillId],
      )
    ).rows;
  expect(await kept()).toMatchObject([
    { is_other: false, pairs: 80, use: 'USABLE' },
    { is_other: true, pairs: 80, use: 'SAYS_NOTHING' },
  ]);
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'UNHEALTHY', now() from gradings where expert_id = $1 and skill_id = $2`,
    [ada.expertId, skillId],
  );
  await foldScores(t);
  expect(await kept()).toMatchObject([{ is_other: false, use: 'USABLE' }]);
});
