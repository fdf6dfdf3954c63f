// The regularised incomplete beta function and what follows from it. Why it is our own: docs/decisions/0041-own-beta-function.md

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

/**
 * The x at which I(x; a, b) is `share`: a quantile of Beta(a, b), for a, b > 0 and `share` in [0, 1].
 *
 * Newton's steps inside a bracket that every look narrows, halving it where a step would leave it, so that it ends
 * for densities that are infinite at an end too. Exact to about 1e-12.
 */
export function betaQuantile(share: number, a: number, b: number): number {
  if (share <= 0 || share >= 1) {
    return share <= 0 ? 0 : 1;
  }
  let low = 0;
  let high = 1;
  let x = a / (a + b);
  for (let step = 0; step < STEPS_MAX && high - low > QUANTILE_PRECISION; step++) {
    const over = regularisedBeta(x, a, b) - share;
    if (over > 0) {
      high = x;
    } else {
      low = x;
    }
    const next = x - over / betaDensity(x, a, b);
    if (Math.abs(next - x) < QUANTILE_PRECISION) {
      return x;
    }
    x = next > low && next < high ? next : (low + high) / 2;
  }
  return x;
}

/** P(at least `successes` of `trials`), each with probability `p`: a tail of the binomial distribution. */
export function binomialAtLeast(successes: number, trials: number, p: number): number {
  if (successes <= 0) {
    return 1;
  }
  return successes > trials ? 0 : regularisedBeta(p, successes, trials - successes + 1);
}

/**
 * P(at least `successes` of `trials`) where the probability of each is itself Beta(a, b): the tail of the beta-binomial
 * distribution, what is to be expected after a - 1 successes and b - 1 failures.
 */
export function betaBinomialAtLeast(successes: number, trials: number, { a, b }: BetaShape): number {
  let term = 1;
  for (let n = 0; n < trials; n++) {
    term *= (b + n) / (a + b + n);
  }
  let below = 0;
  for (let k = 0; k < successes; k++) {
    below += term;
    term *= ((trials - k) / (k + 1)) * ((a + k) / (b + trials - k - 1));
  }
  return Math.min(1, Math.max(0, 1 - below));
}

/** The two parameters of a beta distribution. */
export interface BetaShape {
  readonly a: number;
  readonly b: number;
}

const STEPS_MAX = 200;
const QUANTILE_PRECISION = 1e-13;

function betaDensity(x: number, a: number, b: number): number {
  return Math.exp(
    lnGamma(a + b) - lnGamma(a) - lnGamma(b) + (a - 1) * Math.log(x) + (b - 1) * Math.log1p(-x),
  );
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
