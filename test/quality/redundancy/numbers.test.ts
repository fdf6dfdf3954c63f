import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  around,
  largestCluster,
  type NumberVote,
  numberConsensus,
  scatterOf,
} from '../../../src/services/quality/redundancy/numbers.js';
import { product, range, total } from '../support/textbook.js';

/** Student's t with 4 degrees of freedom, as books have it: 3/8 (1 + x^2 / 4)^(-5/2). */
const textbookDensity = (votes: readonly NumberVote[], z: number) =>
  product(
    votes.map(({ value, scatter }) => ((3 / 8) * (1 + ((value - z) / scatter) ** 2 / 4) ** -2.5) / scatter),
  );

/** By many thin slices over all that matters. */
function textbookMass(votes: readonly NumberVote[], [from, to]: readonly [number, number]): number {
  const slices = 20_000;
  const width = (to - from) / slices;
  return width * total(range(slices).map((k) => textbookDensity(votes, from + (k + 0.5) * width)));
}

const votes = fc.array(
  fc.record({
    value: fc.double({ min: -5, max: 5, noNaN: true }),
    scatter: fc.double({ min: 0.25, max: 3, noNaN: true }),
  }),
  { minLength: 1, maxLength: 5 },
);

describe('an expert’s scatter', () => {
  // Two-sided quantiles of Student's t for 4 degrees of freedom, from any table.
  test.each([
    [0.5, 0.741],
    [0.8, 1.533],
    [0.9, 2.132],
    [0.95, 2.776],
    [0.98, 3.747],
    [0.99, 4.604],
  ])('of one who is within the tolerance with probability %d is the tolerance over %d', (accuracy, t) => {
    expect(2 / scatterOf(accuracy, 2)).toBeCloseTo(t, 3);
  });
});

describe('the consensus of numbers', () => {
  test('of one answer is that answer, as sure as its expert', () => {
    for (const accuracy of [0.3, 0.8, 0.95, 0.99]) {
      const { value, probability } = numberConsensus([{ value: 7, scatter: scatterOf(accuracy, 0.5) }], 0.5);
      expect(value).toBe(7);
      expect(probability).toBeCloseTo(accuracy, 2);
    }
  });

  test('is as probable as the slices of the textbook’s density say', () => {
    fc.assert(
      fc.property(votes, fc.double({ min: 0.5, max: 2, noNaN: true }), (given, tolerance) => {
        const { value, probability } = numberConsensus(given, tolerance);
        const all = textbookMass(given, [-400, 400]);
        const inside = textbookMass(given, [value - tolerance, value + tolerance]);
        expect(Math.abs(probability - inside / all)).toBeLessThan(0.005);
      }),
      { numRuns: 60, endOnFailure: true },
    );
  });

  test('is where the textbook’s density is greatest', () => {
    fc.assert(
      fc.property(votes, (given) => {
        const { value } = numberConsensus(given, 1);
        const most = Math.max(...range(2001).map((k) => textbookDensity(given, k / 200 - 5)));
        expect(textbookDensity(given, value)).toBeGreaterThanOrEqual(most * (1 - 1e-4));
      }),
    );
  });

  test('moves and stretches with the unit, and does not look at the order of answers', () => {
    const changes = fc.record({
      by: fc.integer({ min: -50, max: 50 }),
      times: fc.integer({ min: 1, max: 9 }),
    });
    fc.assert(
      fc.property(votes, changes, (given, { by, times }) => {
        const moved = given.map(({ value, scatter }) => ({
          value: value * times + by,
          scatter: scatter * times,
        }));
        const [one, other] = [numberConsensus(given, 1), numberConsensus(moved.reverse(), times)];
        // Peaks as high as each other may be told apart by the last bit.
        fc.pre(Math.abs(one.value * times + by - other.value) < times || given.length === 1);
        expect(other.value).toBeCloseTo(one.value * times + by, 3);
        expect(other.probability).toBeCloseTo(one.probability, 6);
        expect(other.deviation).toBeCloseTo(one.deviation * times, 6);
      }),
    );
  });

  test('of two camps far apart is one of them, about as probable as the other', () => {
    const scatter = scatterOf(0.8, 1);
    const { value, probability, deviation } = numberConsensus(
      [
        { value: 10, scatter },
        { value: 90, scatter },
      ],
      1,
    );
    expect(value).toBeCloseTo(10, 0);
    expect(probability).toBeGreaterThan(0.3);
    expect(probability).toBeLessThan(0.5);
    expect(deviation).toBeGreaterThan(40);
  });

  test('gets surer with each answer that agrees', () => {
    const scatter = scatterOf(0.8, 1);
    const sure = [1, 2, 3, 4].map(
      (n) =>
        numberConsensus(
          range(n).map(() => ({ value: 3, scatter })),
          1,
        ).probability,
    );
    expect(sure).toEqual([...sure].sort((a, b) => a - b));
    expect(sure[1]).toBeGreaterThan(0.9);
  });

  test('of many experts who are hardly ever off still is a probability', () => {
    const many = range(100).map(() => ({ value: 1, scatter: scatterOf(0.99, 1) }));
    expect(around(many, 1, 1).probability).toBeCloseTo(1, 2);
  });
});

describe('the largest cluster', () => {
  /** Every set of answers, looked at one by one. */
  function textbookCluster(values: readonly number[], tolerance: number): number {
    const sets = range(2 ** values.length).map((set) => values.filter((_, at) => (set >> at) & 1));
    return Math.max(
      ...sets
        .filter((set) => set.every((a) => set.every((b) => Math.abs(a - b) <= tolerance)))
        .map((set) => set.length),
    );
  }

  test('has as many as any set whose members all agree', () => {
    const values = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 7 });
    fc.assert(
      fc.property(values, fc.integer({ min: 1, max: 5 }), (given, tolerance) => {
        expect(largestCluster(given, tolerance).votes).toBe(textbookCluster(given, tolerance));
      }),
    );
  });

  test.each([
    { values: [1, 2], tolerance: 1, cluster: { votes: 2, value: 1.5, isTied: false } },
    { values: [1, 3], tolerance: 1, cluster: { votes: 1, value: 2, isTied: true } },
    { values: [1, 2, 3], tolerance: 1, cluster: { votes: 2, value: 2, isTied: false } },
    { values: [1, 1, 8, 8], tolerance: 1, cluster: { votes: 2, value: 4.5, isTied: true } },
    { values: [5, 5, 5, 9], tolerance: 0.5, cluster: { votes: 3, value: 5, isTied: false } },
  ])('of $values within $tolerance', ({ values, tolerance, cluster }) => {
    expect(largestCluster(values, tolerance)).toEqual(cluster);
  });

  test('takes a distance for within the tolerance that is so but for rounding', () => {
    expect(0.8 - 0.7).toBeGreaterThan(0.1);
    expect(largestCluster([0.7, 0.8], 0.1).votes).toBe(2);
  });
});
