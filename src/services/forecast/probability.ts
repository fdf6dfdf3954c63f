import { regularisedBeta } from '../platform/beta.js';

/** What is known of work that goes on: answers seen in a window of time, answers still wanted. */
export interface Progress {
  readonly remaining: number;
  readonly observed: number;
  readonly windowSeconds: number;
}

/**
 * The probability that `remaining` further answers come within `secondsLeft`.
 *
 * Answers are taken for a Poisson process whose rate is only known by its count n in a window T. With Jeffreys' prior
 * the rate is Gamma(n + 1/2, T), and the count in the time D that is left is negative binomial (Gelman et al., Bayesian
 * Data Analysis, 3rd ed., section 2.6), so that
 *
 *   P(at least R in D) = I(D / (D + T); R, n + 1/2),   I: the regularised incomplete beta function.
 *
 * It says what a rate alone cannot: that three answers in an hour promise less than three hundred in a hundred. It knows
 * nothing of nights, weekends, or who is there; confidence is LOW always.
 */
export function probabilityWithin(
  { remaining, observed, windowSeconds }: Progress,
  secondsLeft: number,
): number {
  if (remaining <= 0) {
    return 1;
  }
  if (secondsLeft <= 0) {
    return 0;
  }
  return regularisedBeta(secondsLeft / (secondsLeft + windowSeconds), remaining, observed + 0.5);
}
