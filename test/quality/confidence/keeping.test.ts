import { expect, test } from 'vitest';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import { useTestDb } from '../../support/db.js';
import { type Expert, makeWorld, type World } from '../../support/factories.js';
import { mixed, plantGradings } from '../support/graded.js';

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
