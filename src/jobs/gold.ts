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
const PROJECTS_A_STEP = 20;

/** Judges gold rates, watches over gold, and mints what is lacking. Any number of nodes may run it: they take turns. */
export function createGold({ db, log }: GoldOptions): Job {
  return createLoop({
    name: 'gold',
    log,
    async step() {
      const rates = await keepRates(db, RATES_A_STEP);
      const golds = await watchGolds(db, GOLDS_A_STEP);
      const { failures } = await mintGolds(db, PROJECTS_A_STEP);
      for (const err of failures) {
        log.error({ err }, 'gold.minting.failed');
      }
      return rates === RATES_A_STEP || golds === GOLDS_A_STEP ? 0 : jitter(EVERY_MS);
    },
  });
}
