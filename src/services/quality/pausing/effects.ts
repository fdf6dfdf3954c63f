import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { Queryable } from '../../platform/rows.js';
import { type OnFailure, succeeds } from '../failures.js';
import { clearFailure } from '../failures.sql.js';
import { lockExpert, type Pair } from '../scores/keep.sql.js';
import { showNow } from '../showing/show.js';
import { applyEffect, applyGate, awaitEffect, isVisible, lookAtEffects } from './effects.sql.js';
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
 * @returns how many waits were looked at
 */
export async function applyEffects(
  db: Database,
  limit: number,
  onFailure: OnFailure = () => undefined,
): Promise<number> {
  const looked = await withSystem(db, (tx) => lookAtEffects(tx, limit));
  for (const { due, ...pair } of looked) {
    const { tenantId, expertId: subjectId, skillId } = pair;
    const subject = { job: 'effects', tenantId, subjectId, skillId } as const;
    const apply = () =>
      retrying(() =>
        withSystem(db, async (tx) => {
          await (due === 'GATE' ? applyGate(tx, pair) : bring(tx, pair));
          await clearFailure(tx, subject);
        }),
      );
    if (due !== null) {
      await succeeds(db, apply, { subject: () => subject, onFailure });
    }
  }
  return looked.length;
}

async function bring(tx: Queryable, pair: Pair): Promise<void> {
  await lockExpert(tx, pair);
  if (await isVisible(tx, pair)) {
    await showNow(tx, pair);
  }
  await applyEffect(tx, pair);
}
