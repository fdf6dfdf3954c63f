import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { betaQuantile, binomialAtLeast, regularisedBeta } from '../../src/services/platform/beta.js';

/** P(at least a of a + b - 1 trials succeed): what the function is for whole numbers, term by term. */
function binomialTail(x: number, a: number, b: number): number {
  const n = a + b - 1;
  let term = (1 - x) ** n;
  let below = 0;
  for (let k = 0; k < a; k++) {
    below += term;
    term *= ((n - k) / (k + 1)) * (x / (1 - x));
  }
  return 1 - below;
}

describe('the regularised incomplete beta function', () => {
  test.each([
    { x: 0.5, a: 2, b: 3, value: 0.6875 },
    { x: 0.25, a: 1, b: 0.5, value: 1 - Math.sqrt(0.75) },
    { x: 0.5, a: 0.5, b: 0.5, value: 0.5 },
    { x: 0.1, a: 5, b: 1, value: 1e-5 },
  ])('I($x; $a, $b) is $value', ({ x, a, b, value }) => {
    expect(regularisedBeta(x, a, b)).toBeCloseTo(value, 12);
  });

  test('agrees with the binomial distribution, and with its own mirror image', () => {
    const whole = fc.integer({ min: 1, max: 60 });
    fc.assert(
      fc.property(fc.double({ min: 0.01, max: 0.99, noNaN: true }), whole, whole, (x, a, b) => {
        expect(regularisedBeta(x, a, b)).toBeCloseTo(binomialTail(x, a, b), 9);
        expect(regularisedBeta(x, a, b) + regularisedBeta(1 - x, b, a)).toBeCloseTo(1, 10);
      }),
    );
  });

  test('is one half at the middle of a hundred million answers', () => {
    expect(regularisedBeta(0.5, 1e8, 1e8)).toBeCloseTo(0.5, 3);
  });
});

describe('quantiles of the beta distribution', () => {
  // The exact (Clopper-Pearson) interval of x of n is the 2.5 % quantile of Beta(x, n - x + 1) to the 97.5 % quantile of
  // Beta(x + 1, n - x). Mendel's peas, 682 of 925: as printed by the examples of R's binom.test (Conover 1971, p. 97).
  test('give the exact interval of Mendel’s peas', () => {
    expect(betaQuantile(0.025, 682, 244)).toBeCloseTo(0.7076683, 7);
    expect(betaQuantile(0.975, 683, 243)).toBeCloseTo(0.7654066, 7);
  });

  // Upper 5 % points of F (any printed table): F(5, 10) = 3.33, F(10, 20) = 2.35, F(1, 60) = 4.00.
  test.each([
    { d1: 5, d2: 10, point: 3.33 },
    { d1: 10, d2: 20, point: 2.35 },
    { d1: 1, d2: 60, point: 4.0 },
  ])('give the 5 % point of F($d1, $d2)', ({ d1, d2, point }) => {
    const x = betaQuantile(0.95, d1 / 2, d2 / 2);
    expect((d2 * x) / (d1 * (1 - x))).toBeCloseTo(point, 2);
  });

  test('undo the distribution function, and rise with the share', () => {
    const shape = fc.double({ min: 0.05, max: 500, noNaN: true });
    const share = fc.double({ min: 0.001, max: 0.999, noNaN: true });
    fc.assert(
      fc.property(share, shape, shape, (p, a, b) => {
        const x = betaQuantile(p, a, b);
        // Nearer to an end where the density is infinite, the last digit of x is more than the sixth of the share.
        fc.pre(x > 1e-6 && x < 1 - 1e-6);
        expect(regularisedBeta(x, a, b)).toBeCloseTo(p, 6);
        expect(betaQuantile(p / 2, a, b)).toBeLessThanOrEqual(x);
      }),
    );
  });

  test('end at the ends', () => {
    expect(betaQuantile(0, 2, 3)).toBe(0);
    expect(betaQuantile(1, 2, 3)).toBe(1);
    expect(betaQuantile(0.05, 1, 1)).toBeCloseTo(0.05, 12);
  });
});

describe('a binomial tail', () => {
  test('of a die: at least one six in four throws is Chevalier de Méré’s 671 of 1296', () => {
    expect(binomialAtLeast(1, 4, 1 / 6)).toBeCloseTo(671 / 1296, 12);
  });

  test('is 1 for none and 0 for more than there are', () => {
    expect(binomialAtLeast(0, 5, 0.3)).toBe(1);
    expect(binomialAtLeast(6, 5, 0.3)).toBe(0);
  });
});
