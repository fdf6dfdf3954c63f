import type { Queryable } from '../../platform/rows.js';
import type { History } from '../scores/fold.js';
import type { Pair } from '../scores/keep.sql.js';
import { type Beginning, newsOf } from './history.js';
import { type PauseNotice, type PauseState, retestFromMs } from './pause.js';
import * as sql from './standings.sql.js';

/** What the standing of an expert in a skill depends on beside results: pauses and re-tests. */
export async function historyOf(tx: Queryable, pair: Pair): Promise<History> {
  const pauses = await sql.pausesOf(tx, pair);
  return { pauses, retests: (await sql.retestsOf(tx, pair)).map(({ begunAt }) => begunAt) };
}

/**
 * Keeps the standing of an expert in a skill for staff. What follows for the expert does so when it comes into effect
 * (pausing/effects.ts). The caller holds the expert's lock.
 */
export async function keepStanding(
  tx: Queryable,
  pair: Pair,
  { state, notices, begins }: { state: PauseState; notices: readonly PauseNotice[]; begins: Beginning },
): Promise<void> {
  const retestFrom = retestFromMs(state);
  await sql.saveStanding(tx, pair, {
    state,
    retestFrom: retestFrom === null ? null : new Date(retestFrom),
  });
  await sql.saveNotices(tx, pair, newsOf({ state, notices, begins }, await sql.lastNotice(tx, pair)));
  await (retestFrom === null ? null : sql.dateRetest(tx, pair));
}
