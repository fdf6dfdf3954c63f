import type { Prior } from '../scores/estimate.js';

/** When an expert is warned, paused for a skill, and comes back. Probabilities are posterior, bars are accuracies. */
export interface PausePolicy {
  /** The accuracy below which somebody should not work. */
  readonly bar: number;
  /** What is believed of anybody: the expert's own results decide, not the company they keep. */
  readonly prior: Prior;
  /** Paused when P(accuracy < bar) is above this ... */
  readonly pauseAbove: number;
  /** ... warned when it is above this. */
  readonly warnAbove: number;
  /** Results that are needed for either. */
  readonly resultsMin: number;
  /** Results looked at: the last ones. */
  readonly window: number;
  readonly retest: RetestPolicy;
}

/** The re-test counts only its own results, so that a bad past cannot fail it. */
export interface RetestPolicy {
  /** A uniform one: whoever was paused is no longer presumed good. */
  readonly prior: Prior;
  /** Passed when P(accuracy >= bar) is above this: less sure than a pause must be, or few honest experts would return. */
  readonly passAbove: number;
  /** Failed when P(accuracy < bar) is above this. */
  readonly failAbove: number;
  readonly resultsMin: number;
  /** Whoever has not passed by then has failed. */
  readonly resultsMax: number;
  /** How long to wait for the first re-test, the second, and so on; the last one holds for all that follow. */
  readonly waitSeconds: readonly number[];
}

const DAY = 86_400;

/**
 * The defaults, tuned by simulation (test/quality/pausing-simulation.test.ts): within 60 results it pauses 98 % of
 * experts who are right half the time, 76 % at .60, 2 % at .80, .3 % at .85; a re-test returns 92 % at .85, 6 % at .50.
 */
export const PAUSE_POLICY: PausePolicy = {
  bar: 0.7,
  prior: { mean: 0.8, strength: 5 },
  pauseAbove: 0.9,
  warnAbove: 0.75,
  resultsMin: 5,
  window: 30,
  retest: {
    prior: { mean: 0.5, strength: 2 },
    passAbove: 0.7,
    failAbove: 0.9,
    resultsMin: 8,
    resultsMax: 20,
    waitSeconds: [DAY, 3 * DAY, 7 * DAY],
  },
};
