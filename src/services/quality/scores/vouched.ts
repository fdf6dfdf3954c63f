import { betaQuantile } from '../../platform/beta.js';
import { type Estimate, PRIOR_STRENGTH, type Prior } from './estimate.js';

/** What a human said of an expert: the mean, and the value that the accuracy is above with probability .95. */
export interface Vouched {
  readonly mean: number;
  readonly lower: number;
}

/** A word is worth at most as much as so many results. */
const STRENGTH_MAX = 60;
const TAIL = 0.05;
const STEPS = 40;
const MEAN_MIN = 0.05;
const MEAN_MAX = 0.95;

/**
 * The prior that says what a human did: Beta at their mean, as strong as puts its lower bound where they put it, between the
 * usual strength and 60. Where they said nothing it is the skill's.
 */
export function priorOf(vouched: Vouched | null, skill: Prior): Prior {
  if (vouched === null) {
    return skill;
  }
  const mean = Math.min(MEAN_MAX, Math.max(MEAN_MIN, vouched.mean));
  let [low, high] = [PRIOR_STRENGTH, STRENGTH_MAX];
  for (let step = 0; step < STEPS; step++) {
    const strength = (low + high) / 2;
    const isBelow = betaQuantile(TAIL, mean * strength, (1 - mean) * strength) < vouched.lower;
    [low, high] = isBelow ? [strength, high] : [low, strength];
  }
  return { mean, strength: (low + high) / 2 };
}

/** What is taken of an expert of whom no result counts: what a human vouched for, else .5 with a bound of 0. */
export const figuresOf = (vouched: Vouched | null): Omit<Estimate, 'evidence'> => ({
  mean: vouched?.mean ?? 0.5,
  lower: vouched?.lower ?? 0,
  upper: 1,
});
