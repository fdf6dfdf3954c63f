import type { Logger } from 'pino';
import { foldHours } from '../services/forecast/capacity/hours.js';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { createLoop, type Job } from './loop.js';

export interface HoursOptions {
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 5_000;
const BATCHES_A_STEP = 200;
const ANSWERS_A_BATCH = 2_000;
/** While there is a backlog no more than a quarter of a core is taken: nobody waits for it. */
const REST_SHARE = 3;

/** Keeps when experts work. Any number of nodes may run it: each takes the batches that no other has. */
export function createHours({ db, log }: HoursOptions): Job {
  return createLoop({
    name: 'hours',
    log,
    async step() {
      const startedMs = performance.now();
      const folded = await foldHours(db, { batches: BATCHES_A_STEP, answers: ANSWERS_A_BATCH });
      return folded < ANSWERS_A_BATCH ? jitter(EVERY_MS) : REST_SHARE * (performance.now() - startedMs);
    },
  });
}
