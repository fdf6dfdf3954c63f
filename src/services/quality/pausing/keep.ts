import type { Queryable } from '../../platform/rows.js';
import { type GradedAnswer, resultOf } from '../scores/facts-of.js';
import type { Pair } from '../scores/keep.sql.js';
import { standingOf } from './history.js';
import { type PauseState, retestFromMs } from './pause.js';
import * as sql from './standings.sql.js';

/**
 * Folds the standing of an expert in a skill from all results, pauses and re-tests; keeps it, tells what is new, and where
 * it changed does what follows for their work. The caller holds the expert's lock.
 */
export async function keepStanding(
  tx: Queryable,
  pair: Pair,
  answers: readonly GradedAnswer[],
): Promise<PauseState> {
  const { state, notices } = standingOf({
    results: answers.map((answer) => ({ kind: 'RESULT', atMs: answer.fact.atMs, ...resultOf(answer) })),
    pauses: await sql.pausesOf(tx, pair),
    retests: (await sql.retestsOf(tx, pair)).map(({ begunAt }) => begunAt),
  });
  const kept = await sql.keptStanding(tx, pair);
  const retestFrom = retestFromMs(state);
  await sql.saveStanding(tx, pair, {
    state,
    retestFrom: retestFrom === null ? null : new Date(retestFrom),
  });
  await sql.saveNotices(tx, pair, notices);
  const since = kept?.since?.getTime() ?? null;
  const isNew = (kept?.phase ?? 'CLEAR') !== state.phase || (kept?.reason ?? null) !== state.reason;
  if (isNew || since !== state.sinceMs) {
    await sql.applyStanding(tx, pair, state);
  }
  return state;
}
