import { betaQuantile } from '../platform/beta.js';
import { priorRatios } from './history/prior.js';
import { evenly, type Sample } from './sample.js';

/** What is known of work that goes on: answers seen in a window of time, answers still wanted. */
export interface RateOfWork {
  readonly remaining: number;
  readonly observed: number;
  readonly windowSeconds: number;
}

const PLACES = 9;
const SAMPLE_SIZE = 199;

/**
 * How long work still takes by its present rate, where nothing is known of how such work goes.
 *
 * Answers are taken for a Poisson process whose rate is only known by its count n in a window T. With Jeffreys' prior
 * the rate is Gamma(n + 1/2, T), and the time until R further answers is T times a beta prime variable with R and n + 1/2
 * (Gelman et al., Bayesian Data Analysis, 3rd ed., section 2.6): three answers in an hour promise less than three hundred
 * in a hundred. That is multiplied by how much longer than its speed says such work has taken elsewhere (./history/prior.ts): the
 * last items have fewer people left who may answer them, interest fades, and nights come.
 * @param work at least one answer remains
 */
export function byRate({ remaining, observed, windowSeconds }: RateOfWork): Sample {
  const times = Array.from({ length: PLACES }, (_, place) => {
    const share = betaQuantile((place + 0.5) / PLACES, remaining, observed + 0.5);
    return (windowSeconds * share) / Math.max(Number.EPSILON, 1 - share);
  });
  const ratios = priorRatios();
  return evenly(
    times.flatMap((seconds) => ratios.map((ratio) => ({ value: seconds * ratio, weight: 1 }))),
    SAMPLE_SIZE,
  );
}
