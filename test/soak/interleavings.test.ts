// @long
import { describe, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { seeded, seedsOf } from './random.js';
import { runShift } from './shift.js';

// Seeded shifts of experts, cut connections, jumps of the clock and a cancel. A seed decides what is done; what meets what
// is the machine's choice, so a failing seed may need a few runs: SEED=n SEEDS=20 npm run soak.
const SEEDS = Number(process.env.SEEDS ?? 50);
/** Seeds that share a database: verify looks at all of it after each. */
const SEEDS_A_DATABASE = 50;

const seeds = seedsOf(SEEDS);
for (let first = 0; first < seeds.length; first += SEEDS_A_DATABASE) {
  describe(`seeds from ${seeds[first]}`, () => {
    const t = useTestDb();
    let broken = false;
    test.for(seeds.slice(first, first + SEEDS_A_DATABASE))('seed %i', async (seed, { skip }) => {
      // What a failed seed has broken would be found again after each that follows.
      skip(broken, 'a seed before has broken this database');
      broken = true;
      await seeded((n) => runShift(t, n), seed);
      broken = false;
    });
  });
}
