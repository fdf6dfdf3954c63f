import { type Database, withSystem } from '../../platform/database.js';
import type { Pair } from './keep.sql.js';
import * as sql from './sleepers.sql.js';

const SLEEPERS_A_LOOK = 500;
const FIRST_SLEEPER: Pair = { tenantId: 0n, expertId: 0n, skillId: 0n };

/**
 * A look that wakes those who were away for long and were given work since, though they were refused none. Each call looks at so many
 * sleepers, from where the last one ended, and writes of nobody else: whoever is away costs a read a round. Any number of nodes may have one.
 * @returns a function that says whether there are more to look at in this round
 */
export function createSleepersLook(db: Database): () => Promise<boolean> {
  let after = FIRST_SLEEPER;
  return async () => {
    const looked = await withSystem(db, async (tx) => {
      const sleepers = await sql.sleepersAfter(tx, after, SLEEPERS_A_LOOK);
      for (const pair of sleepers.filter(({ isAtWork }) => isAtWork)) {
        await sql.wake(tx, pair);
      }
      return sleepers;
    });
    after = looked.length < SLEEPERS_A_LOOK ? FIRST_SLEEPER : (looked.at(-1) ?? FIRST_SLEEPER);
    return after !== FIRST_SLEEPER;
  };
}
