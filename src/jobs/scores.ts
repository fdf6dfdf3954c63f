import type { Logger } from 'pino';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { resumeStopped } from '../services/projects/budget.js';
import { watchAdjudications } from '../services/quality/adjudication/waits.js';
import { chooseMethods } from '../services/quality/inference/methods.js';
import { applyEffects } from '../services/quality/pausing/effects.js';
import { fitStoppingModel, fitStoppingModels } from '../services/quality/redundancy/fit.js';
import { keepScores } from '../services/quality/scores/keep.js';
import { showDays } from '../services/quality/showing/show.js';
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
const TASKS_A_STEP = 200;

/**
 * Folds gradings into scores, calibrations and standings, brings what was decided into effect on time, shows experts
 * their figures, chooses by what method projects are judged, fits what gold says of stopping, and looks whether adjudications
 * wait for nobody. Any number of nodes may run it: each takes pairs of expert and skill
 * that nobody else is at, and two folds of one expert wait for each other.
 */
export function createScores({ db, log }: ScoresOptions): Job {
  const left = tellFailure(log);
  let fitsDueMs = 0;
  let effectsDueMs = 0;
  return createLoop({
    name: 'scores',
    log,
    async step() {
      // What can wait comes last: should it fail, the rest was done.
      const folded = await keepScores(db, PAIRS_A_STEP, left);
      if (Date.now() >= effectsDueMs) {
        const applied = await applyEffects(db, EFFECTS_A_STEP, left);
        const shown = await showDays(db, SHOWN_A_STEP);
        const resumed = await resumeStopped(db, TASKS_A_STEP);
        effectsDueMs =
          applied < EFFECTS_A_STEP && shown < SHOWN_A_STEP && resumed === 0
            ? Date.now() + EFFECTS_EVERY_MS
            : 0;
      }
      if (Date.now() >= fitsDueMs) {
        const { failures } = await chooseMethods(db, { limit: PROJECTS_A_STEP, after: fitStoppingModel });
        for (const err of failures) {
          log.error({ err }, 'inference.choosing.failed');
        }
        await fitStoppingModels(db, left);
        await watchAdjudications(db);
        fitsDueMs = Date.now() + FITS_EVERY_MS;
      }
      return folded < PAIRS_A_STEP ? jitter(EVERY_MS) : 0;
    },
  });
}
