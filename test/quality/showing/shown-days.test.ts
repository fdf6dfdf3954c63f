import { expect, test } from 'vitest';
import { withScope } from '../../../src/services/platform/database.js';
import { calibrationOf, scoresOf } from '../../../src/services/quality/reads/expert-quality.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';

const t = useTestDb();

test('what an expert is shown of their scores and of their calibration at the end of a day is of that day', async () => {
  const { tenantId, skillId, ada } = await makeWorld(t.database);
  const { expertId } = ada;
  const asOf = '2026-03-02T00:00:00Z';
  await t.admin.query(
    `insert into shown_scores (tenant_id, expert_id, skill_id, as_of, seen, mean, lower, upper, last_right, last_of, probability_below)
     values ($1, $2, $3, $4, 20, .8, .7, .9, 16, 20, .1)`,
    [tenantId, expertId, skillId, asOf],
  );
  await t.admin.query(
    `insert into shown_calibrations (tenant_id, expert_id, as_of, pairs, stated, actual, error, use)
     values ($1, $2, $3, 20, .8, .8, 0, 'TOO_FEW')`,
    [tenantId, expertId, asOf],
  );
  const scope = { tenantId, role: 'EXPERT', actorId: ada.viewer.identityId, expertId } as const;
  const [scores, calibration] = await withScope(t.database, scope, async (tx) => [
    await scoresOf(tx, expertId),
    await calibrationOf(tx, expertId),
  ]);
  const day = new Date('2026-03-01T00:00:00Z');
  expect(scores.map((score) => score.day)).toEqual([day]);
  expect(calibration?.day).toEqual(day);
});
