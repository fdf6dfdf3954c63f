import type { Logger } from 'pino';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { watchGolds } from '../services/quality/gold/health.js';
import { mintGolds } from '../services/quality/gold/mint.js';
import { keepRates } from '../services/quality/gold/rates.js';
import { createLoop, type Job } from './loop.js';

export interface GoldOptions {
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 2_000;
const RATES_A_STEP = 500;
const GOLDS_A_STEP = 50;
const PROJECTS_A_STEP = 5;
/** A pool that runs dry refuses nobody, so it is enough to look now and then. */
const MINT_EVERY_MS = 30_000;

/** Judges gold rates, watches over gold, and mints what is lacking. Any number of nodes may run it: they take turns. */
export function createGold({ db, log }: GoldOptions): Job {
  let afterId = 0n;
  let mintedAt = Number.NEGATIVE_INFINITY;
  return createLoop({
    name: 'gold',
    log,
    async step() {
      const rates = await keepRates(db, RATES_A_STEP);
      const golds = await watchGolds(db, GOLDS_A_STEP);
      if (performance.now() - mintedAt >= MINT_EVERY_MS) {
        ({ afterId } = await mintGolds(db, { afterId, limit: PROJECTS_A_STEP }));
        mintedAt = afterId === 0n ? performance.now() : mintedAt;
      }
      return rates === RATES_A_STEP || golds === GOLDS_A_STEP ? 0 : jitter(EVERY_MS);
    },
  });
}
