import type { Logger } from 'pino';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { resumeStopped } from '../services/projects/budget.js';
import { watchAdjudications } from '../services/quality/adjudication/waits.js';
import { forgetFailures, type OnFailure } from '../services/quality/failures.js';
import { chooseMethods } from '../services/quality/inference/methods.js';
import { applyEffects } from '../services/quality/pausing/effects.js';
import { fitStoppingModel, fitStoppingModels } from '../services/quality/redundancy/fit.js';
import { keepScores } from '../services/quality/scores/keep.js';
import { createBarsLook, tellBars } from '../services/quality/scores/newcomers.js';
import { createSleepersLook } from '../services/quality/scores/sleepers.js';
import { showDays } from '../services/quality/showing/show.js';
import { doApart, type Pieces } from './apart.js';
import { tellFailure } from './failures.js';
import { createLoop, type Job } from './loop.js';

export interface ScoresOptions {
  readonly db: Database;
  readonly log: Logger;
}

const EVERY_MS = 1_000;
const PAIRS_A_STEP = 50;
const FITS_EVERY_MS = 10_000;
const EFFECTS_EVERY_MS = 5_000;
const EFFECTS_A_STEP = 100;
const SHOWN_A_STEP = 50;
const PROJECTS_A_STEP = 20;
const TOLD_A_STEP = 500;
const TASKS_A_STEP = 200;

/**
 * Folds gradings into scores, calibrations and standings, brings what was decided into effect on time, shows experts
 * their figures, chooses by what method projects are judged, fits what gold says of stopping, and looks whether adjudications
 * wait for nobody; what throws of these keeps none of the others from being done. Any number of nodes may run it: each takes pairs of
 * expert and skill that nobody else is at, and two folds of one expert wait for each other.
 */
export function createScores({ db, log }: ScoresOptions): Job {
  const left = tellFailure(log);
  let fitsDueMs = 0;
  let effectsDueMs = 0;
  const bars = createBarsLook(db);
  const sleepers = createSleepersLook(db);
  return createLoop({
    name: 'scores',
    log,
    async step() {
      const folded = await keepScores(db, PAIRS_A_STEP, left);
      if (Date.now() >= effectsDueMs) {
        const hasMore = await doApart(log, effectsOf(db, left));
        effectsDueMs = hasMore ? 0 : Date.now() + EFFECTS_EVERY_MS;
      }
      if (Date.now() >= fitsDueMs) {
        await doApart(log, { ...fitsOf({ db, log }, left), bars, sleepers });
        fitsDueMs = Date.now() + FITS_EVERY_MS;
      }
      return folded < PAIRS_A_STEP ? jitter(EVERY_MS) : 0;
    },
  });
}

const effectsOf = (db: Database, left: OnFailure): Pieces => ({
  effects: async () => (await applyEffects(db, EFFECTS_A_STEP, left)) === EFFECTS_A_STEP,
  showing: async () => (await showDays(db, SHOWN_A_STEP, left)) === SHOWN_A_STEP,
  told: () => tellBars(db, TOLD_A_STEP),
  budgets: async () => (await resumeStopped(db, TASKS_A_STEP, left)) > 0,
});

const fitsOf = ({ db, log }: ScoresOptions, left: OnFailure): Pieces => ({
  async methods() {
    const { failures } = await chooseMethods(db, { limit: PROJECTS_A_STEP, after: fitStoppingModel });
    for (const err of failures) {
      log.error({ err }, 'inference.choosing.failed');
    }
    return false;
  },
  stopping: () => fitStoppingModels(db, left).then(() => false),
  waits: () => watchAdjudications(db).then(() => false),
  failures: () => forgetFailures(db).then(() => false),
});
