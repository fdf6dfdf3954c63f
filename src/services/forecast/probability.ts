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

/** I(x; a, b) for a, b > 0: Lentz's continued fraction (Numerical Recipes, 3rd ed., section 6.4). */
export function regularisedBeta(x: number, a: number, b: number): number {
  if (x <= 0) {
    return 0;
  }
  if (x >= 1) {
    return 1;
  }
  const front = Math.exp(lnGamma(a + b) - lnGamma(a) - lnGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges quickly on this side of the mean; the other side is the complement.
  const value =
    x < (a + 1) / (a + b + 2) ? (front * fraction(x, a, b)) / a : 1 - (front * fraction(1 - x, b, a)) / b;
  return Math.min(1, Math.max(0, value));
}

/** Terms needed grow with the square root of the larger parameter: 10^8 answers need about 10^4. */
const TERMS_MAX = 50_000;
const PRECISION = 1e-14;
const TINY = 1e-300;

function fraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / awayFromZero(1 - ((a + b) * x) / (a + 1));
  let result = d;
  for (let m = 1; m <= TERMS_MAX; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / awayFromZero(1 + even * d);
    c = awayFromZero(1 + even / c);
    result *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / awayFromZero(1 + odd * d);
    c = awayFromZero(1 + odd / c);
    result *= d * c;
    if (Math.abs(d * c - 1) < PRECISION) {
      break;
    }
  }
  return result;
}

function awayFromZero(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}

/** Lanczos' approximation with g = 7 and nine coefficients, exact to about 15 digits for z > 0. */
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

function lnGamma(z: number): number {
  if (z < 0.5) {
    return Math.log(Math.PI / Math.sin(Math.PI * z)) - lnGamma(1 - z);
  }
  const sum = LANCZOS.reduce(
    (total, coefficient, i) => (i === 0 ? coefficient : total + coefficient / (z - 1 + i)),
    0,
  );
  const t = z + 6.5;
  return 0.5 * Math.log(2 * Math.PI) + (z - 0.5) * Math.log(t) - t + Math.log(sum);
}
