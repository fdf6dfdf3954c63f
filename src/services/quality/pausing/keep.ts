import type { Queryable } from '../../platform/rows.js';
import { type GradedAnswer, resultOf } from '../scores/facts-of.js';
import type { Pair } from '../scores/keep.sql.js';
import { newsOf, standingOf } from './history.js';
import { type PauseState, retestFromMs } from './pause.js';
import * as sql from './standings.sql.js';

/**
 * Folds the standing of an expert in a skill from all results, pauses and re-tests, and keeps it for staff. What follows for
 * the expert does so when it comes into effect (pausing/effects.ts). The caller holds the expert's lock.
 */
export async function keepStanding(
  tx: Queryable,
  pair: Pair,
  answers: readonly GradedAnswer[],
): Promise<PauseState> {
  const found = standingOf({
    results: answers.map((answer) => ({ kind: 'RESULT', atMs: answer.fact.atMs, ...resultOf(answer) })),
    pauses: await sql.pausesOf(tx, pair),
    retests: (await sql.retestsOf(tx, pair)).map(({ begunAt }) => begunAt),
  });
  const { state } = found;
  const retestFrom = retestFromMs(state);
  await sql.saveStanding(tx, pair, {
    state,
    retestFrom: retestFrom === null ? null : new Date(retestFrom),
  });
  await sql.saveNotices(tx, pair, newsOf(found, await sql.lastNotice(tx, pair)));
  return state;
}
