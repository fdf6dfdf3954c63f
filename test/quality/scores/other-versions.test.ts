import { expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { foldScores, mixed, plantGradings } from '../support/graded.js';

const t = useTestDb();

test('what a node of an earlier version folded is counted anew: the fold goes on, to what it would have come to', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const { tenantId, skillId, taskTypeId, ada } = world;
  await plantGradings(t.admin, { world, expert: ada }, mixed(30, 24));
  await foldScores(t);
  // As it was kept before scores had dimensions, with other counts, so that it is seen whether they are gone on from.
  const score = { seen: 10, right: 1, wrong: 9, lastAtMs: 1, lastId: '1', recent: [], confusions: [] };
  const standing = { phase: 'CLEAR', reason: null, sinceMs: null, results: [], failed: 0 };
  const begins = { phase: 'CLEAR', reason: null };
  const state = {
    ...{ skill: score, types: { [String(taskTypeId)]: score } },
    ...{ standing, correct: 1, untold: [], begins },
  };
  await t.admin.query(
    `insert into score_checkpoints (tenant_id, expert_id, skill_id, grading_id, state, updated_at)
     select $1, $2, $3, g.id, $4, now() from gradings g where g.tenant_id = $1 order by g.id offset 9 limit 1`,
    [tenantId, ada.expertId, skillId, JSON.stringify(state)],
  );
  await plantGradings(t.admin, { world, expert: ada }, mixed(1, 1));
  await foldScores(t);
  expect(await numberOf(t.admin, 'select count(*) from work_failures where tenant_id = $1', [tenantId])).toBe(
    0,
  );
  expect(await numberOf(t.admin, 'select seen from quality_scores where tenant_id = $1', [tenantId])).toBe(
    31,
  );
  await expectRulesHold(t.database);
});
