import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { expectedMaximum, gainOfMore } from '../../../src/services/quality/redundancy/value.js';

/** Every sequence of k answers, one after the other. */
function slowExpectedMaximum(prior: readonly number[], accuracy: number, k: number): number {
  if (k === 0) {
    return Math.max(...prior);
  }
  return prior.reduce((sum, _, label) => {
    const joint = prior.map((p, z) => p * (label === z ? accuracy : (1 - accuracy) / (prior.length - 1)));
    const probability = joint.reduce((total, p) => total + p, 0);
    return (
      sum +
      probability *
        slowExpectedMaximum(
          joint.map((p) => p / probability),
          accuracy,
          k - 1,
        )
    );
  }, 0);
}

const probabilities = fc
  .array(fc.double({ min: 0.01, max: 1, noNaN: true }), { minLength: 2, maxLength: 4 })
  .map((weights) => weights.map((weight) => weight / weights.reduce((sum, one) => sum + one, 0)));
const accuracy = fc.double({ min: 0.4, max: 0.97, noNaN: true });

describe('the value of further answers', () => {
  test('is what going through every sequence of answers gives', () => {
    fc.assert(
      fc.property(probabilities, accuracy, fc.integer({ min: 1, max: 4 }), (prior, q, k) => {
        expect(expectedMaximum(prior, { accuracy: q, classes: prior.length }, k)).toBeCloseTo(
          slowExpectedMaximum(prior, q, k),
          9,
        );
      }),
    );
  });

  test('spreads errors over all classes, also those that are too improbable to look at', () => {
    const classes = 7;
    const tail = Array.from({ length: 3 }, () => 1e-9);
    for (const head of [
      [0.5, 0.3, 0.15, 0.05],
      [0.6, 0.38, 0.01, 0.01],
    ]) {
      for (const k of [1, 2, 3]) {
        const slow = slowExpectedMaximum([...head, ...tail], 0.7, k);
        expect(expectedMaximum(head, { accuracy: 0.7, classes }, k)).toBeCloseTo(slow, 6);
        expect(gainOfMore([...head, ...tail], { accuracy: 0.7, answersMax: k })).toBeGreaterThanOrEqual(
          (slow - Math.max(...head)) / k - 1e-6,
        );
      }
    }
  });

  test('is never negative, and the best of looking further is never worse', () => {
    fc.assert(
      fc.property(probabilities, accuracy, (prior, q) => {
        const near = gainOfMore(prior, { accuracy: q, answersMax: 1 });
        expect(near).toBeGreaterThanOrEqual(0);
        expect(gainOfMore(prior, { accuracy: q, answersMax: 5 })).toBeGreaterThanOrEqual(near);
      }),
    );
  });

  test('of one answer at even odds is what its expert is better than a coin', () => {
    expect(gainOfMore([0.5, 0.5], { accuracy: 0.8, answersMax: 1 })).toBeCloseTo(0.3, 12);
  });

  test('sees two answers that could overturn what one cannot', () => {
    expect(gainOfMore([0.85, 0.15], { accuracy: 0.8, answersMax: 1 })).toBeCloseTo(0, 12);
    expect(gainOfMore([0.85, 0.15], { accuracy: 0.8, answersMax: 3 })).toBeGreaterThan(0);
  });

  test('of experts who guess, or of none, is nothing', () => {
    expect(gainOfMore([0.6, 0.4], { accuracy: 0.5, answersMax: 5 })).toBeCloseTo(0, 12);
    expect(gainOfMore([0.6, 0.4], { accuracy: 0.9, answersMax: 0 })).toBe(0);
  });

  test('falls as the result becomes surer', () => {
    const gains = [0.6, 0.7, 0.8, 0.9, 0.99].map((p) =>
      gainOfMore([p, 1 - p], { accuracy: 0.8, answersMax: 5 }),
    );
    expect(gains).toEqual([...gains].sort((a, b) => b - a));
  });
});
