import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { Queryable } from '../../platform/rows.js';
import type { Pair } from '../scores/keep.sql.js';
import { applyEffect, awaitEffect, dueEffects } from './effects.sql.js';
import type { PauseState } from './pause.js';

/** What a human did, or the day that was named, is in effect at once: it points at no answer. */
const AT_ONCE: readonly (string | null)[] = ['HUMAN', 'FRAUD', 'RETEST_BEGUN'];

/**
 * Lets what was decided of an expert in a skill wait for an instant that does not point at an answer (see app.await_effect).
 * The caller holds the expert's lock, and has kept what was decided.
 */
export const letWait = (tx: Queryable, pair: Pair, { reason }: PauseState): Promise<void> =>
  awaitEffect(tx, pair, AT_ONCE.includes(reason));

/**
 * Brings what was decided from results into effect where its wait is over, at most `limit` pairs of expert and skill, a
 * transaction each: what is due outlives this process, and any number of nodes may do it.
 * @returns how many were due
 */
export async function applyEffects(db: Database, limit: number): Promise<number> {
  const due = await withSystem(db, (tx) => dueEffects(tx, limit));
  for (const pair of due) {
    await retrying(() => withSystem(db, (tx) => applyEffect(tx, pair)));
  }
  return due.length;
}
