import type { Logger } from 'pino';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { watchExperts } from '../services/quality/watching/watch-experts.js';
import { tellFailure } from './failures.js';
import { createLoop, type Job } from './loop.js';

export interface WatchOptions {
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 5_000;
/** Between two looks when there is more to look at: a look may take a tenth of a second of the process. */
const BETWEEN_MS = 500;

/** Watches over experts, one project a step, tenants in turn. Any number of nodes may run it: they take turns. */
export function createWatch({ db, log }: WatchOptions): Job {
  return createLoop({
    name: 'watch',
    log,
    async step() {
      return jitter((await watchExperts(db, tellFailure(log))) ? BETWEEN_MS : EVERY_MS);
    },
  });
}
