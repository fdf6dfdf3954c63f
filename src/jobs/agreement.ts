import type { Logger } from 'pino';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { keepAgreement } from '../services/quality/agreement/keep.js';
import { createLoop, type Job } from './loop.js';

export interface AgreementOptions {
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 1_000;
const CHANGES_A_STEP = 300;
/** Of a database that is busy with claims no more than a quarter of a core is taken: a backlog waits for quieter hours. */
const REST_SHARE = 3;

/** Keeps the figures of agreement. Any number of nodes may run it: they take turns. */
export function createAgreement({ db, log }: AgreementOptions): Job {
  return createLoop({
    name: 'agreement',
    log,
    async step() {
      const startedMs = performance.now();
      const folded = await keepAgreement(db, CHANGES_A_STEP);
      return folded < CHANGES_A_STEP ? jitter(EVERY_MS) : REST_SHARE * (performance.now() - startedMs);
    },
  });
}
