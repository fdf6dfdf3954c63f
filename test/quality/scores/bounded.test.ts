// @once
import { expect, test } from 'vitest';
import { connect } from '../../../src/runtime/connect.js';
import { withSystem } from '../../../src/services/platform/database.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import type { WorkFailure } from '../../../src/services/quality/failures.js';
import { watchGolds } from '../../../src/services/quality/gold/health.js';
import { keepRates } from '../../../src/services/quality/gold/rates.js';
import { fitStoppingModels } from '../../../src/services/quality/redundancy/fit.js';
import { checkpointOf } from '../../../src/services/quality/scores/checkpoints.sql.js';
import { noteDue } from '../../../src/services/quality/scores/dues.sql.js';
import { gradedAnswers } from '../../../src/services/quality/scores/facts-of.js';
import { foldOn, NOTHING_FOLDED } from '../../../src/services/quality/scores/fold.js';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import { gradingsAfter, type Pair, statesOfSkill } from '../../../src/services/quality/scores/keep.sql.js';
import { watchExperts } from '../../../src/services/quality/watching/watch-experts.js';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld, type World } from '../../support/factories.js';
import { makeGolds } from '../../support/golds.js';
import { untilBlocked } from '../../support/interleave.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext } from '../../support/work.js';
import { plantGoldAnswers } from '../support/golden.js';
import { foldScores, mixed, plantGradings } from '../support/graded.js';

// Background work reads no more for there being more, and what fails of it stops nothing else.
const t = useTestDb();

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

const pairOf = ({ tenantId, ada, skillId }: World): Pair => ({ tenantId, expertId: ada.expertId, skillId });

/** What all gradings amount to, folded from the first in one go. */
async function wholeFold(pair: Pair) {
  const all = await withSystem(t.database, (tx) => gradingsAfter(tx, pair, { after: 0n, limit: 100_000 }));
  const { types, standing } = foldOn(NOTHING_FOLDED, gradedAnswers(all), { pauses: [], retests: [] });
  // They have worked in one task type.
  return { skill: at(Object.values(types), 0), standing };
}

async function keptFold({ tenantId, expertId }: Pair) {
  const score = at(
    await rows('select state from quality_scores where tenant_id = $1 and expert_id = $2', [
      tenantId,
      expertId,
    ]),
    0,
  );
  const standing = at(
    await rows('select state from standings where tenant_id = $1 and expert_id = $2', [tenantId, expertId]),
    0,
  );
  return { skill: JSON.parse(score.state), standing: JSON.parse(standing.state) };
}

const sinceCheckpoint = (pair: Pair) =>
  withSystem(t.database, async (tx) => {
    const { gradingId } = await checkpointOf(tx, pair);
    return (await gradingsAfter(tx, pair, { after: gradingId, limit: 100_000 })).length;
  });

test('the fold of an expert with 7,000 results reads at most a page of them, and is one from the first, to the last bit', async () => {
  const world = await makeWorld(t.database);
  const pair = pairOf(world);
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(7_000, 5_950));
  await foldScores(t);
  const { skill, standing } = await wholeFold(pair);
  expect(await keptFold(pair)).toEqual({ skill, standing });
  expect(skill.seen).toBe(7_000);
  expect(await sinceCheckpoint(pair)).toBeLessThanOrEqual(1_000);
  await t.advance(1_000);
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(900, 300));
  await foldScores(t);
  expect(await sinceCheckpoint(pair)).toBeLessThanOrEqual(1_000);
  const again = await wholeFold(pair);
  expect(await keptFold(pair)).toEqual({ skill: again.skill, standing: again.standing });
  await expectRulesHold(t.database);
});

test('numbers that were graded move a score and are not kept one by one', async () => {
  const world = await makeWorld(t.database);
  await makeGolds(t.database, world, { keys: ['yes'] });
  const lengths = mixed(600, 500).map((grading, length) => ({ ...grading, length }));
  await plantGradings(t.admin, { world, expert: world.ada }, [...lengths, ...mixed(40, 30)]);
  await foldScores(t);
  const { skill } = await keptFold(pairOf(world));
  expect(skill.seen).toBe(640);
  expect(skill.confusions).toMatchObject([{ dimension: 'choice', seen: 40 }]);
  expect(JSON.stringify(skill).length).toBeLessThan(2_000);
  await expectRulesHold(t.database);
});

test('a result that counts no longer leaves the fold, however long ago it was', async () => {
  const world = await makeWorld(t.database);
  const pair = pairOf(world);
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(3_000, 2_400));
  await foldScores(t);
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, min(id), 'UNHEALTHY', app.clock_now() from gradings where tenant_id = $1 group by tenant_id`,
    [world.tenantId],
  );
  // Until the fold has come to its end, it is known that it began anew: what ended a probation is looked at then.
  const anew = async () =>
    (await rows('select anew from score_checkpoints where tenant_id = $1', [world.tenantId])).map(
      (row) => row.anew,
    );
  await keepScores(t.database, 1);
  expect(await anew()).toEqual([true]);
  await foldScores(t);
  expect(await anew()).toEqual([false]);
  const { skill, standing } = await wholeFold(pair);
  expect(skill.seen).toBe(2_999);
  expect(await keptFold(pair)).toEqual({ skill, standing });
  await expectRulesHold(t.database);
});

test('a skill’s prior rests on at most five hundred of its experts, and a page of rates on as many scores as it has', async () => {
  const world = await makeWorld(t.database);
  await t.admin.query(
    `insert into quality_scores (tenant_id, expert_id, skill_id, task_type_id, state, seen, mean, lower, upper, updated_at)
     select $1, -n, $2, $3, '{"right":1,"wrong":1,"recent":[]}', 1, 0.5, 0.1, 0.9, app.clock_now() from generate_series(1, 1200) n`,
    [world.tenantId, world.skillId, world.taskTypeId],
  );
  const states = await withSystem(t.database, (tx) => statesOfSkill(tx, world, 500));
  expect(states).toHaveLength(500);
  const first = { tenantId: world.tenantId, expertId: -2_000n, skillId: 0n, taskTypeId: 0n };
  const { next } = await keepRates(t.database, 300, first);
  expect(next).toMatchObject({ tenantId: world.tenantId, expertId: -901n });
  await t.admin.query('delete from quality_scores where tenant_id = $1 and expert_id < 0', [world.tenantId]);
});

test('a prior rests on five hundred experts however many types they work in, those whose results came last, whenever they were folded', async () => {
  const world = await makeWorld(t.database);
  await t.admin.query(
    `insert into quality_scores (tenant_id, expert_id, skill_id, task_type_id, state, seen, mean, lower, upper, last_at, updated_at)
     select $1, -n, $2, k, '{"right":1,"wrong":1,"recent":[]}', 1, 0.5, 0.1, 0.9,
            app.clock_now() - make_interval(secs => n), app.clock_now() + make_interval(secs => n)
     from generate_series(1, 700) n, generate_series(1, 3) k`,
    [world.tenantId, world.skillId],
  );
  const states = await withSystem(t.database, (tx) => statesOfSkill(tx, world, 500));
  expect(new Set(states.map(({ expertId }) => expertId)).size).toBe(500);
  expect(states.every(({ expertId }) => expertId >= -500n)).toBe(true);
  await t.admin.query('delete from quality_scores where tenant_id = $1 and expert_id < 0', [world.tenantId]);
});

test('a page of which nothing can be a checkpoint, since the clock went back, is read further', async () => {
  const world = await makeWorld(t.database);
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(2_300, 2_000));
  await t.admin.query(`set session_replication_role = 'replica'`);
  await t.admin.query(
    `update gradings set graded_at = app.clock_now() - make_interval(secs => id - (select min(id) from gradings where tenant_id = $1))
     where tenant_id = $1`,
    [world.tenantId],
  );
  await t.admin.query(`set session_replication_role = 'origin'`);
  await foldScores(t);
  expect((await keptFold(pairOf(world))).skill.seen).toBe(2_300);
  expect(await failuresOf(world)).toEqual([]);
});

/** Makes what is declared of a world's task type unreadable, as a bug would leave it. */
const spoil = ({ taskTypeId }: World) =>
  t.admin.query(`update task_types set dimensions = '{' where id = $1`, [taskTypeId]);

const mend = ({ taskTypeId }: World) =>
  t.admin.query(
    `update task_types set dimensions = '[{"name":"choice","pointer":"/choice","scale":"nominal","values":["yes","no","unsure"]}]' where id = $1`,
    [taskTypeId],
  );

const failuresOf = ({ tenantId }: World) =>
  rows('select job, failures, error from work_failures where tenant_id = $1 order by job', [tenantId]);

test('a pair whose fold throws stops no other, is told, and is folded once it can be', async () => {
  const bad = await makeWorld(t.database);
  const good = await makeWorld(t.database);
  await spoil(bad);
  await plantGradings(t.admin, { world: bad, expert: bad.ada }, mixed(3, 3));
  await plantGradings(t.admin, { world: good, expert: good.ada }, mixed(3, 3));
  const told: WorkFailure[] = [];
  await keepScores(t.database, 50, (failure) => told.push(failure));
  expect(told.map(({ subject }) => subject)).toEqual([
    { job: 'scores', tenantId: bad.tenantId, subjectId: bad.ada.expertId, skillId: bad.skillId },
  ]);
  expect((await keptFold(pairOf(good))).skill.seen).toBe(3);
  expect(await failuresOf(bad)).toEqual([{ job: 'scores', failures: 1, error: '22P02' }]);
  // What comes while it waits is one row once it was tried again, and the last: nobody's look passes all of it.
  for (let n = 0; n < 5; n++) {
    await withSystem(t.database, (tx) => noteDue(tx, pairOf(bad)));
  }
  await t.advance(11);
  await keepScores(t.database, 50);
  expect(
    await numberOf(t.admin, 'select count(*) from grading_dues where tenant_id = $1', [bad.tenantId]),
  ).toBe(1);
  await t.advance(11);
  await keepScores(t.database, 50);
  expect(await failuresOf(bad)).toEqual([{ job: 'scores', failures: 2, error: '22P02' }]);
  await mend(bad);
  await t.advance(10);
  await keepScores(t.database, 50);
  expect((await keptFold(pairOf(bad))).skill.seen).toBe(3);
  expect(await failuresOf(bad)).toEqual([]);
});

test('a gold whose look throws leaves the others watched', async () => {
  const worlds = [
    await makeWorld(t.database, { tasks: 3 }),
    await makeWorld(t.database, { tasks: 3 }),
  ] as const;
  for (const world of worlds) {
    await makeGolds(t.database, world, { keys: ['yes'] });
    await t.admin.query('update golds set exposures_max = 1 where tenant_id = $1', [world.tenantId]);
    await answerNext(t.database, world.ada);
  }
  await spoil(worlds[0]);
  const told: WorkFailure[] = [];
  await watchGolds(t.database, 100, (failure) => told.push(failure));
  expect(told.map(({ subject }) => subject.tenantId)).toEqual([worlds[0].tenantId]);
  const active = (world: World) =>
    numberOf(t.admin, `select count(*) from golds where tenant_id = $1 and state = 'ACTIVE'`, [
      world.tenantId,
    ]);
  expect([await active(worlds[0]), await active(worlds[1])]).toEqual([1, 0]);
  expect(await watchGolds(t.database, 100)).toBe(0);
  await mend(worlds[0]);
  await t.advance(11);
  expect(await watchGolds(t.database, 100)).toBe(1);
  expect(await active(worlds[0])).toBe(0);
  expect(await failuresOf(worlds[0])).toEqual([]);
});

test('a project whose look throws keeps no other from being watched', async () => {
  while (await watchExperts(t.database));
  const bad = await makeWorld(t.database, { tasks: 0 });
  const good = await makeWorld(t.database, { tasks: 0 });
  for (const world of [bad, good]) {
    await plantGoldAnswers(t, world, {
      golds: 1,
      answers: [{ expert: 0, gold: 0, label: 'yes', seconds: 30 }],
    });
  }
  await spoil(bad);
  while (await watchExperts(t.database));
  const looked = (world: World) =>
    numberOf(t.admin, 'select count(looked_at) from project_watches where tenant_id = $1', [world.tenantId]);
  expect([await looked(bad), await looked(good)]).toEqual([0, 1]);
  expect(await failuresOf(bad)).toMatchObject([{ job: 'watch', failures: 1 }]);
  await mend(bad);
});

test('another policy is not held to what gold said of the one before, not for a moment', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const policy = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 4, errorCostMinor: null } as const;
  const rule = (posterior: number) =>
    setRedundancy(t.database, world.operator, {
      ...{ projectId: world.projectId, isCritical: false },
      policy: { ...policy, posterior },
    });
  const models = () =>
    numberOf(t.admin, 'select count(*) from stopping_models where project_id = $1', [world.projectId]);
  await rule(0.9);
  await fitStoppingModels(t.database);
  expect(await models()).toBe(1);
  await rule(0.8);
  expect(await models()).toBe(0);
  await fitStoppingModels(t.database);
  expect(await models()).toBe(1);
});

test('a fit that a change of policy comes before waits for it, and is not kept', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const policy = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 4, errorCostMinor: null } as const;
  await setRedundancy(t.database, world.operator, { projectId: world.projectId, policy, isCritical: false });
  const change = {
    text: `update projects set redundancy_policy = redundancy_policy || '{"posterior": 0.8}' where id = $1`,
    values: [world.projectId],
  };
  const client = await connect(t.url, 'touchstone test policy');
  await client.query('begin');
  await client.query(change.text, change.values);
  const fitting = fitStoppingModels(t.database);
  await Promise.race([fitting, untilBlocked(t.admin, 1)]);
  await client.query('commit');
  await client.end();
  await fitting;
  const models = 'select count(*) from stopping_models where project_id = $1';
  expect(await numberOf(t.admin, models, [world.projectId])).toBe(0);
});
