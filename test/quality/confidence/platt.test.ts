import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  applyPlatt,
  fitPlatt,
  IDENTITY,
  type Stated,
} from '../../../src/services/quality/confidence/platt.js';
import { statedOf } from './stated.js';

const PRIOR = { centre: IDENTITY, strength: 4 };

describe('published values', () => {
  // Hours studied by twenty students and who passed: logit P = -4.0777 + 1.5046 hours (Wikipedia, "Logistic regression").
  test('logistic regression of passing on hours', () => {
    const hours = [
      0.5, 0.75, 1, 1.25, 1.5, 1.75, 1.75, 2, 2.25, 2.5, 2.75, 3, 3.25, 3.5, 4, 4.25, 4.5, 4.75, 5, 5.5,
    ];
    const passed = [0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 1, 1, 1, 1, 1];
    // The log-odds stated are half the hours, so that none is beyond .99; the slope is twice as large.
    const pairs = hours.map((of, n) => ({
      probability: 1 / (1 + Math.exp(-of / 2)),
      isRight: passed[n] === 1,
    }));
    const { intercept, slope } = fitPlatt(pairs, { centre: IDENTITY, strength: 1e-9 });
    expect(intercept).toBeCloseTo(-4.0777, 3);
    expect(slope / 2).toBeCloseTo(1.5046, 3);
  });
});

const pair: fc.Arbitrary<Stated> = fc.record({
  probability: fc.double({ min: 0, max: 1, noNaN: true }),
  isRight: fc.boolean(),
});

function loss(pairs: readonly Stated[], map: { intercept: number; slope: number }): number {
  const fit = pairs.reduce((sum, { probability, isRight }) => {
    const p = applyPlatt(map, probability);
    return sum - Math.log(isRight ? p : 1 - p);
  }, 0);
  return fit + (PRIOR.strength / 2) * (map.intercept ** 2 + (map.slope - 1) ** 2);
}

describe('a fitted map', () => {
  test('loses less than any near it with a slope that is allowed', () => {
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 60 }), (pairs) => {
        const map = fitPlatt(pairs, PRIOR);
        const best = loss(pairs, map);
        for (const [i, s] of [
          [0.01, 0],
          [-0.01, 0],
          [0, 0.01],
          [0, -0.01],
        ] as const) {
          const near = { intercept: map.intercept + i, slope: map.slope + s };
          expect(near.slope < 0 || loss(pairs, near) >= best - 1e-9).toBe(true);
        }
      }),
    );
  });

  test('never says less of whoever is surer, and always a probability', () => {
    const stated = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 60 }), stated, stated, (pairs, one, other) => {
        const map = fitPlatt(pairs, PRIOR);
        const [less, more] = [Math.min(one, other), Math.max(one, other)];
        expect(applyPlatt(map, more)).toBeGreaterThanOrEqual(applyPlatt(map, less));
        expect(applyPlatt(map, one)).toBeGreaterThan(0);
        expect(applyPlatt(map, one)).toBeLessThan(1);
      }),
    );
  });

  test('of nothing is the centre', () => {
    expect(fitPlatt([], PRIOR)).toEqual(IDENTITY);
  });

  test('finds how much somebody exaggerates: log-odds doubled come back halved', () => {
    const doubled = (p: number) => p ** 2 / (p ** 2 + (1 - p) ** 2);
    const map = fitPlatt(statedOf({ pairs: 4000, seed: 1, stated: doubled }), PRIOR);
    // Nobody is taken for surer than .99, so the end of the range bends a little.
    expect(map.slope).toBeGreaterThan(0.45);
    expect(map.slope).toBeLessThan(0.65);
    expect(applyPlatt(map, doubled(0.8))).toBeCloseTo(0.8, 1);
  });
});
