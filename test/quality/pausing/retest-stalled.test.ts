import { expect, test } from 'vitest';
import { pauseExpert, resumeExpert } from '../../../src/services/routing/pauses.js';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { foldScores, mixed, plantGradings, settle } from '../support/graded.js';

const t = useTestDb();
const DAY_SECONDS = 86_400;

test('staff are told of a re-test in which nothing is graded, until something is', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const { ada } = world;
  const grade = async (of: number, right: number) => {
    await plantGradings(t.admin, { world, expert: ada }, mixed(of, right));
    await fold();
  };
  const fold = async () => {
    await foldScores(t);
    await settle(t);
  };
  const alerts = async () => {
    await t.admin.query('select app.watch_alerts()');
    const { rows } = await t.admin.query(
      `select about_gold, resolved_at is null as open from alerts where tenant_id = $1 and kind = 'RETEST_STALLED'`,
      [world.tenantId],
    );
    return rows;
  };
  await grade(20, 4);
  await t.advance(DAY_SECONDS);
  await fold();
  await t.advance(6 * DAY_SECONDS);
  expect(await alerts()).toEqual([]);
  await t.advance(2 * DAY_SECONDS);
  expect(await alerts()).toEqual([{ about_gold: true, open: true }]);
  expect(await alerts()).toHaveLength(1);
  await grade(1, 1);
  expect(await alerts()).toEqual([{ about_gold: true, open: false }]);
});

test('staff end a re-test that nothing ends: the skill is what it was before the pause, and only what follows counts', async () => {
  const world = await makeWorld(t.database, { tasks: 2 });
  const { ada, skillId } = world;
  const fold = async () => {
    await foldScores(t);
    await settle(t);
  };
  const standing = async () => {
    const { rows } = await t.admin.query(
      `select s.phase, s.reason, w.phase as shown, x.status, s.state::jsonb -> 'results' as results
       from standings s join expert_skills x using (tenant_id, expert_id, skill_id) join shown_standings w using (tenant_id, expert_id, skill_id)
       where s.expert_id = $1`,
      [ada.expertId],
    );
    return rows[0];
  };
  await plantGradings(t.admin, { world, expert: ada }, mixed(20, 4));
  await fold();
  await t.advance(DAY_SECONDS);
  await fold();
  expect(await standing()).toMatchObject({ phase: 'RETEST', shown: 'RETEST', status: 'PROBATION' });
  const reason = 'there is no gold left that she has not had';
  await resumeExpert(t.database, world.operator, { expertId: ada.expertId, skillId, reason });
  await fold();
  const lifted = { phase: 'CLEAR', reason: 'HUMAN', shown: 'CLEAR', status: 'ACTIVE', results: [] };
  expect(await standing()).toEqual(lifted);
  await t.advance(30 * DAY_SECONDS);
  await fold();
  expect(await standing()).toEqual(lifted);
  await expectRulesHold(t.database);
});

const reason = 'there is no gold left that she has not had';

/** An expert whom a human made active, in a re-test after a pause by results. */
async function retested(): Promise<World> {
  const world = await makeWorld(t.database, { tasks: 2 });
  await grade(world, [20, 4]);
  await t.advance(DAY_SECONDS);
  await foldScores(t);
  await settle(t);
  expect(await lookOf(world)).toMatchObject({ status: 'PROBATION', shown: 'RETEST', before: ['ACTIVE'] });
  return world;
}

async function grade(world: World, [of, right]: [number, number]): Promise<void> {
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(of, right));
  await foldScores(t);
  await settle(t);
}

async function lookOf({ ada }: World) {
  const { rows } = await t.admin.query(
    `select x.status, w.phase as shown,
       (select array_agg(p.status_before order by p.id) from pauses p where p.expert_id = x.expert_id) as before
     from expert_skills x join shown_standings w using (tenant_id, expert_id, skill_id) where x.expert_id = $1`,
    [ada.expertId],
  );
  return at(rows, 0);
}

test('whose second re-test is ended is what they were before the first pause', async () => {
  const world = await retested();
  const { ada, skillId } = world;
  await t.advance(60);
  await grade(world, [20, 4]);
  expect(await lookOf(world)).toEqual({ status: 'PAUSED', shown: 'PAUSED', before: ['ACTIVE', 'ACTIVE'] });
  await t.advance(4 * DAY_SECONDS);
  await foldScores(t);
  await settle(t);
  expect(await lookOf(world)).toMatchObject({ status: 'PROBATION', shown: 'RETEST' });
  await resumeExpert(t.database, world.operator, { expertId: ada.expertId, skillId, reason });
  await foldScores(t);
  await settle(t);
  expect(await lookOf(world)).toMatchObject({ status: 'ACTIVE', shown: 'CLEAR' });
  await expectRulesHold(t.database);
});

test('whom a human pauses within a re-test is what they were before it once that is lifted', async () => {
  const world = await retested();
  const about = { expertId: world.ada.expertId, skillId: world.skillId };
  await pauseExpert(t.database, world.operator, { ...about, reason: 'asked for', withdraw: false });
  await foldScores(t);
  await settle(t);
  expect(await lookOf(world)).toMatchObject({ status: 'PAUSED', before: ['ACTIVE', 'ACTIVE'] });
  await resumeExpert(t.database, world.operator, { ...about, reason });
  await foldScores(t);
  await settle(t);
  expect(await lookOf(world)).toMatchObject({ status: 'ACTIVE', shown: 'CLEAR' });
  await expectRulesHold(t.database);
});

test('whose re-test ends because its pause counts no longer is what they were before it', async () => {
  const world = await retested();
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'UNHEALTHY', app.clock_now() from gradings where expert_id = $1 and not is_right`,
    [world.ada.expertId],
  );
  await t.admin.query('delete from score_checkpoints');
  await t.admin.query(`insert into grading_dues (tenant_id, expert_id, skill_id) values ($1, $2, $3)`, [
    world.tenantId,
    world.ada.expertId,
    world.skillId,
  ]);
  await foldScores(t);
  await settle(t);
  expect(await lookOf(world)).toMatchObject({ status: 'ACTIVE' });
});
