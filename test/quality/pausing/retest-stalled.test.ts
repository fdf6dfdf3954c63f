import { expect, test } from 'vitest';
import { resumeExpert } from '../../../src/services/routing/pauses.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';
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
