import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evenly, probabilityOf, quantileOf, sampleOf } from '../../src/services/forecast/sample.js';
import { brierOf, crpsOf, intervalOf, pinballOf } from '../../src/services/forecast/scores.js';

const number = fc.double({ min: -1e6, max: 1e6, noNaN: true });
const numbers = fc.array(number, { minLength: 1, maxLength: 40 });

describe('crpsOf', () => {
  // properscoring/properscoring (Apache-2.0), tests/test_crps.py, test_crps_toy_examples.
  test.each([
    { obs: 0, ensemble: [0], crps: 0 },
    { obs: 0, ensemble: [1], crps: 1 },
    { obs: -1, ensemble: [0], crps: 1 },
    { obs: 0, ensemble: [-1], crps: 1 },
    { obs: 0, ensemble: [0, 0], crps: 0 },
    { obs: 0, ensemble: [0, 1], crps: 0.25 },
    { obs: 0, ensemble: [1, 0], crps: 0.25 },
    { obs: 0, ensemble: [1, 1], crps: 1 },
    { obs: 2, ensemble: [0, 1], crps: 1.25 },
    { obs: 0, ensemble: [-1, 1], crps: 0.5 },
    { obs: 0, ensemble: [0, 0, 1], crps: 1 / 9 },
    { obs: 1, ensemble: [0, 0, 1], crps: 4 / 9 },
    { obs: 0, ensemble: [-1, 0, 0, 1], crps: 0.125 },
  ])('of $ensemble where $obs came is $crps', ({ obs, ensemble, crps }) => {
    expect(crpsOf(sampleOf(ensemble), obs)).toBeCloseTo(crps, 14);
  });

  test('is E|X - y| - E|X - X′| / 2, every pair counted', () => {
    fc.assert(
      fc.property(numbers, number, (values, actual) => {
        const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
        const apart = mean(values.flatMap((one) => values.map((other) => Math.abs(one - other))));
        const slow = mean(values.map((value) => Math.abs(value - actual))) - apart / 2;
        expect(crpsOf(sampleOf(values), actual)).toBeCloseTo(slow, 5);
      }),
    );
  });

  test('is twice the mean pinball loss over all quantiles', () => {
    const levels = 20_000;
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 9 }),
        number,
        (values, far) => {
          const sample = sampleOf(values);
          const actual = far / 1e5;
          let loss = 0;
          for (let level = 0; level < levels; level += 1) {
            const share = (level + 0.5) / levels;
            // The quantile of a sample as it stands: no value between its own.
            loss += pinballOf(sample[Math.floor(share * sample.length)] ?? Number.NaN, share, actual);
          }
          expect(crpsOf(sample, actual)).toBeCloseTo((2 * loss) / levels, 2);
        },
      ),
      { numRuns: 20 },
    );
  });
});

test('brierOf: nothing for the certain truth, one for the certain error, a quarter for a coin', () => {
  expect([brierOf(1, true), brierOf(0, false), brierOf(1, false), brierOf(0.5, true)]).toEqual([
    0, 0, 1, 0.25,
  ]);
});

test('pinballOf is least in the mean at the quantile itself', () => {
  const actuals = Array.from({ length: 1001 }, (_, place) => place);
  const loss = (quantile: number) =>
    actuals.reduce((sum, actual) => sum + pinballOf(quantile, 0.9, actual), 0);
  expect(loss(900)).toBeLessThan(loss(880));
  expect(loss(900)).toBeLessThan(loss(920));
});

describe('samples', () => {
  // R's documentation of quantile(), type 7, and numpy's of percentile(): [10, 7, 4, 3, 2, 1] has the median 3.5.
  test('quantiles are those of R and numpy', () => {
    const sample = sampleOf([10, 7, 4, 3, 2, 1]);
    expect(quantileOf(sample, 0.5)).toBe(3.5);
    expect(quantileOf(sampleOf([1, 2, 3, 4]), 0.25)).toBe(1.75);
    const { low, high } = intervalOf(sampleOf([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), 0.8);
    expect(low).toBeCloseTo(1, 12);
    expect(high).toBeCloseTo(9, 12);
  });

  test('the probability of at most a value is the share of the values that are', () => {
    fc.assert(
      fc.property(numbers, number, (values, value) => {
        const share = values.filter((one) => one <= value).length / values.length;
        expect(probabilityOf(sampleOf(values), value)).toBe(share);
      }),
    );
  });

  test('evenly: each value stands for its weight, to within one of the numbers', () => {
    const point = fc.record({
      value: fc.integer({ min: 0, max: 20 }),
      weight: fc.double({ min: 0.01, max: 5, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.array(point, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 0, max: 20 }),
        (points, upTo) => {
          const whole = points.reduce((sum, { weight }) => sum + weight, 0);
          const share =
            points.filter(({ value }) => value <= upTo).reduce((sum, { weight }) => sum + weight, 0) / whole;
          expect(Math.abs(probabilityOf(evenly(points, 199), upTo) - share)).toBeLessThanOrEqual(1 / 199);
        },
      ),
    );
  });

  test('nothing is no sample', () => {
    expect(() => sampleOf([])).toThrow(RangeError);
    expect(() => sampleOf([1, Number.NaN])).toThrow(RangeError);
    expect(() => evenly([{ value: 1, weight: 0 }], 9)).toThrow(RangeError);
  });
});
