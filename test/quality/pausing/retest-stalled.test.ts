import { expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';
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
