import { expect, test } from 'vitest';
import { showDays } from '../../../src/services/quality/showing/show.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';
import { answerNext } from '../../support/work.js';
import { foldScores, mixed, plantGradings } from '../support/graded.js';

// What an expert is shown of a day is what all their results by then say, wherever the checkpoint of the fold stands.
const t = useTestDb();
/** Answers that let a state be shown. */
const ANSWERS = 20;

/** The state shown of a day with answers and results enough, once so many more results have come on the next. */
async function shownOf(results: number, more: number) {
  const world = await makeWorld(t.database, { tasks: ANSWERS });
  const { ada: expert } = world;
  // The clock stands at noon, so that the days are those of the test.
  const { rows } = await t.admin.query('select extract(epoch from app.clock_now())::float8 as now');
  await t.advance(43_200 - (Math.floor(rows[0].now) % 86_400) + 86_400);
  for (let answer = 0; answer < ANSWERS; answer++) {
    await answerNext(t.database, expert);
  }
  await plantGradings(t.admin, { world, expert }, mixed(results, results / 2));
  await t.advance(86_400);
  await plantGradings(t.admin, { world, expert }, mixed(more, more));
  await foldScores(t);
  await showDays(t.database, 50);
  const shown = 'select seen, last_of, last_right from shown_scores where expert_id = $1';
  return (await t.admin.query(shown, [expert.expertId])).rows;
}

test('a day that lies before the checkpoint is shown with all results by then, however many they are', async () => {
  expect(await shownOf(10_600, 1_000)).toEqual([{ seen: 10_600, last_of: 30, last_right: 15 }]);
});

test('a day that ends soon after the checkpoint is shown with the last thirty results', async () => {
  expect(await shownOf(1_810, 190)).toEqual([{ seen: 1_810, last_of: 30, last_right: 15 }]);
});
