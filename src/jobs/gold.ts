import type { Logger } from 'pino';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { watchGolds } from '../services/quality/gold/health.js';
import { mintGolds } from '../services/quality/gold/mint.js';
import { bringTasksBack } from '../services/quality/gold/out-of-sight.js';
import { keepRates } from '../services/quality/gold/rates.js';
import type { RateKey } from '../services/quality/gold/rates.sql.js';
import { tellFailure } from './failures.js';
import { createLoop, type Job } from './loop.js';

export interface GoldOptions {
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 2_000;
const RATES_A_PAGE = 1_000;
const PAGES_A_STEP = 4;
const GOLDS_A_STEP = 50;
const PROJECTS_A_STEP = 20;
const HIDDEN_PROJECTS_A_STEP = 200;

/** Brings tasks back that gold stood for, judges gold rates, watches over gold, and mints what is lacking. Any number of nodes may run it: they take turns. */
export function createGold({ db, log }: GoldOptions): Job {
  let after: RateKey | null = null;
  return createLoop({
    name: 'gold',
    log,
    async step() {
      const hidden = await bringTasksBack(db, HIDDEN_PROJECTS_A_STEP);
      for (let page = 0; page < PAGES_A_STEP && (page === 0 || after !== null); page++) {
        after = (await keepRates(db, RATES_A_PAGE, after)).next;
      }
      const golds = await watchGolds(db, GOLDS_A_STEP, tellFailure(log));
      const { failures } = await mintGolds(db, PROJECTS_A_STEP);
      for (const err of hidden.failures) {
        log.error({ err }, 'gold.bringing_back.failed');
      }
      for (const err of failures) {
        log.error({ err }, 'gold.minting.failed');
      }
      return golds === GOLDS_A_STEP ? 0 : jitter(EVERY_MS);
    },
  });
}
