import { betaQuantile, regularisedBeta } from '../../platform/beta.js';
import type { ScoreState } from './score.js';

/** What is believed of an expert before any fact: a mean accuracy that is worth `strength` facts. */
export interface Prior {
  readonly mean: number;
  readonly strength: number;
}

/** Beta(a0, b0) at the skill's mean with a0 + b0 = 4.5: between 4 and 5 as measured on csta_immigration (after five gold
 * the prediction's mean error was .077 with such a prior and .136 without). */
export const PRIOR_STRENGTH = 4.5;
/** The mean of a skill of which nothing is known, worth as much as one expert of long standing. */
const COLD_MEAN = 0.8;
/** No prior is certain: it could not be argued with. */
const MEAN_MIN = 0.05;
const MEAN_MAX = 0.95;
const COVERAGE = 0.9;

/** An accuracy and how well it is known; every number is within 0 and 1, and lower <= mean <= upper. */
export interface Estimate {
  readonly mean: number;
  /** The lower end of the 90 % credible interval: the accuracy is above it with probability .95. Gates work. */
  readonly lower: number;
  readonly upper: number;
  /** Discounted facts behind it, the prior's left out. */
  readonly evidence: number;
}

/** The accuracy that a score means: a Beta posterior, with the mean and the equal-tailed 90 % interval. */
export function estimate(state: ScoreState, prior: Prior): Estimate {
  const { a, b } = posterior(state, prior);
  const mean = a / (a + b);
  const tail = (1 - COVERAGE) / 2;
  return {
    mean,
    // A posterior that leans on an end may have its mean outside the interval; the database wants lower <= mean.
    lower: Math.min(mean, betaQuantile(tail, a, b)),
    upper: Math.max(mean, betaQuantile(1 - tail, a, b)),
    evidence: state.right + state.wrong,
  };
}

/** The mean of the posterior alone; cheap, for weighing answers. */
export function meanAccuracy(counts: Counts, prior: Prior): number {
  const { a, b } = posterior(counts, prior);
  return a / (a + b);
}

/** The probability that the accuracy is below `bar`. */
export function probabilityBelow(counts: Counts, bar: number, prior: Prior): number {
  const { a, b } = posterior(counts, prior);
  return regularisedBeta(bar, a, b);
}

/** The accuracy of which a share `share` of the posterior is below: Thompson's draw where `share` is a uniform number. */
export function accuracyAt(state: ScoreState, prior: Prior, share: number): number {
  const { a, b } = posterior(state, prior);
  return betaQuantile(share, a, b);
}

/**
 * The prior of a skill: the mean of its experts' records, each counting by what is known of it and at most as one expert
 * of long standing would (n / (n + strength)), so that neither the busiest nor the newest decides.
 */
export function skillPrior(states: readonly ScoreState[]): Prior {
  const experts = states.map(({ right, wrong }) => ({
    share: (right + wrong) / (right + wrong + PRIOR_STRENGTH),
    accuracy: right + wrong === 0 ? 0 : right / (right + wrong),
  }));
  const weight = experts.reduce((sum, { share }) => sum + share, 1);
  const mean = experts.reduce((sum, { share, accuracy }) => sum + share * accuracy, COLD_MEAN) / weight;
  return { mean: clip(mean), strength: PRIOR_STRENGTH };
}

/**
 * The prior of one expert for one task type: their own record over the *other* task types of the skill, itself shrunk to
 * the skill. A new type starts where the expert stands, not where strangers do; the type's own facts are left out, since
 * they would count twice.
 */
export function typePrior(skill: Prior, otherTypes: Counts): Prior {
  const { a, b } = posterior(otherTypes, skill);
  return { mean: clip(a / (a + b)), strength: PRIOR_STRENGTH };
}

/** Right and wrong, discounted or not. */
export interface Counts {
  readonly right: number;
  readonly wrong: number;
}

function posterior({ right, wrong }: Counts, { mean, strength }: Prior): { a: number; b: number } {
  const centre = clip(mean);
  return { a: centre * strength + right, b: (1 - centre) * strength + wrong };
}

function clip(mean: number): number {
  return Math.min(MEAN_MAX, Math.max(MEAN_MIN, mean));
}
