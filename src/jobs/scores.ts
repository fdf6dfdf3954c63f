import type { Logger } from 'pino';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { keepScores } from '../services/quality/scores/keep.js';
import { createLoop, type Job } from './loop.js';

export interface ScoresOptions {
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 1_000;
const PAIRS_A_STEP = 50;

/**
 * Folds gradings into scores, calibrations and standings. Any number of nodes may run it: each takes pairs of expert and skill
 * that nobody else is at, and two folds of one expert wait for each other.
 */
export function createScores({ db, log }: ScoresOptions): Job {
  return createLoop({
    name: 'scores',
    log,
    async step() {
      const folded = await keepScores(db, PAIRS_A_STEP);
      return folded < PAIRS_A_STEP ? jitter(EVERY_MS) : 0;
    },
  });
}
