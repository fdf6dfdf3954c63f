import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Audited, pausedByAudits } from '../../../bench/quality/auditing.js';
import { heldQuality } from '../../../src/services/quality/gold/hold.js';
import { chanceOf, trustedCounts } from '../../../src/services/quality/pausing/trusted.js';
import { type Grading, gradedAnswers, resultOf } from '../../../src/services/quality/scores/facts-of.js';

const paused = (of: Omit<Audited, 'experts' | 'seed' | 'believed'> & { believed?: number }, experts = 2000) =>
  pausedByAudits({ believed: of.adjudicator, ...of, experts, seed: 1 });

describe('whom audits pause', () => {
  test.each([
    { accuracy: 0.85, adjudicator: 0.9, classes: 4, audits: 1, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.9, classes: 4, audits: 0.5, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.95, classes: 4, audits: 1, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.9, classes: 2, audits: 1, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.95, classes: 2, audits: 1, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.9, classes: 2, audits: 0.5, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.95, believed: 0.8, classes: 2, audits: 1, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.95, believed: 0.8, classes: 4, audits: 1, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.9, believed: 0.95, classes: 2, audits: 1, max: 0.03 },
    { accuracy: 0.85, adjudicator: 0.9, believed: 0.95, classes: 4, audits: 1, max: 0.03 },
    { accuracy: 0.85, adjudicator: 0.9, classes: 50, known: 10, audits: 1, max: 0.01 },
    { accuracy: 0.85, adjudicator: 0.9, classes: 50, known: null, audits: 1, max: 0.02 },
    { accuracy: 0.8, adjudicator: 0.9, classes: 4, audits: 1, max: 0.03 },
    { accuracy: 0.8, adjudicator: 0.95, classes: 4, audits: 0.5, max: 0.03 },
  ])(
    'at most $max of experts at $accuracy, by adjudicators at $adjudicator, believed $believed, in $audits of results of $classes classes, known $known',
    ({ max, ...of }) => {
      expect(paused(of)).toBeLessThanOrEqual(max);
    },
  );

  test.each([
    { accuracy: 0.5, adjudicator: 0.95, classes: 4, audits: 1, min: 0.9 },
    { accuracy: 0.5, adjudicator: 0.9, classes: 4, audits: 1, min: 0.8 },
    { accuracy: 0.5, adjudicator: 0.9, classes: 4, audits: 0.2, min: 0.95 },
    { accuracy: 0.5, adjudicator: 0.9, classes: 2, audits: 1, min: 0.9 },
    { accuracy: 0.6, adjudicator: 0.9, classes: 2, audits: 1, min: 0.5 },
    { accuracy: 0.6, adjudicator: 0.95, classes: 2, audits: 1, min: 0.5 },
    { accuracy: 0.6, adjudicator: 0.9, classes: 4, audits: 1, min: 0.5 },
    { accuracy: 0.6, adjudicator: 0.95, classes: 4, audits: 1, min: 0.5 },
    { accuracy: 0.6, adjudicator: 0.9, believed: 0.95, classes: 2, audits: 1, min: 0.5 },
    { accuracy: 0.6, adjudicator: 0.9, classes: 2, known: null, audits: 1, min: 0.5 },
    // Who is taken for much less than they are excuses guessers; so it is with a new adjudicator, until they are known.
    { accuracy: 0.6, adjudicator: 0.95, believed: 0.8, classes: 2, audits: 1, min: 0.2 },
    { accuracy: 0.6, adjudicator: 0.95, believed: 0.8, classes: 4, audits: 1, min: 0.15 },
    { accuracy: 0.5, adjudicator: 0.95, believed: 0.8, classes: 2, audits: 1, min: 0.6 },
    { accuracy: 0.5, adjudicator: 0.95, believed: 0.8, classes: 4, audits: 1, min: 0.6 },
  ])(
    'and at least $min of those at $accuracy, by adjudicators at $adjudicator, believed $believed, in $audits of $classes classes, known $known',
    ({ min, ...of }) => {
      expect(paused(of, 600)).toBeGreaterThanOrEqual(min);
    },
  );

  test('an adjudicator taken at their word would pause good experts: that is what is mended', () => {
    const good = { accuracy: 0.85, adjudicator: 0.9, classes: 4, audits: 1 };
    expect(paused({ ...good, believed: 1 })).toBeGreaterThan(0.02);
  });
});

const results = fc.array(
  fc.record({
    credit: fc.double({ min: 0, max: 1, noNaN: true }),
    trust: fc.double({ min: 0.05, max: 1, noNaN: true }),
  }),
  { maxLength: 40 },
);

test('counts are none below nothing, and no result counts for more than one', () => {
  fc.assert(
    fc.property(results, (list) => {
      const { right, wrong } = trustedCounts(list, 0.7);
      expect(right).toBeGreaterThanOrEqual(0);
      expect(wrong).toBeGreaterThanOrEqual(-1e-12);
      expect(right + wrong).toBeLessThanOrEqual(list.length + 1e-9);
    }),
  );
});

test('what keys graded is the plain sum', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true })), (credits) => {
      const right = credits.reduce((sum, credit) => sum + credit, 0);
      const counts = trustedCounts(
        credits.map((credit) => ({ credit })),
        0.7,
      );
      expect(counts.right).toBeCloseTo(right, 9);
      expect(counts.right + counts.wrong).toBeCloseTo(credits.length, 9);
    }),
  );
});

test('of a run of misses as long as the adjudicator’s own errors the accuracy is what it would be without them', () => {
  const trust = 0.9;
  const graded = Array.from({ length: 100 }, (_, n) => ({ credit: n % 10 === 0 ? 0 : 1, trust }));
  const { right, wrong } = trustedCounts(graded, 0.7);
  expect(right / (right + wrong)).toBeCloseTo(1, 9);
});

test('what audits say beyond "always right" makes up for no miss on a key', () => {
  const audits = Array.from({ length: 15 }, () => ({ credit: 1, trust: 0.8 }));
  const keys = Array.from({ length: 5 }, (_, n) => ({ credit: n < 2 ? 0 : 1 }));
  const { wrong } = trustedCounts([...audits, ...keys], 0.7);
  expect(wrong).toBeCloseTo(2, 9);
});

test('a credit says the same of an accuracy on average, whatever the classes', () => {
  const trust = 0.9;
  for (const classes of [2, 3, 4, 10]) {
    for (const accuracy of [0.5, 0.6, 0.85]) {
      const chance = chanceOf(trust, classes);
      const credit = trust * accuracy + ((1 - trust) / (classes - 1)) * (1 - accuracy);
      const { right, wrong } = trustedCounts([{ credit, trust, chance }], 0.7);
      expect(right / (right + wrong)).toBeCloseTo(accuracy, 9);
    }
  }
});

test('a bar that was reached is not lost by an adjudicator’s errors', () => {
  const of = (trust: number) =>
    heldQuality({
      reached: 0.85,
      lower: 0.6,
      results: Array.from({ length: 30 }, (_, n) => ({ credit: n % 5 === 0 ? 0 : 1, trust })),
    });
  expect(of(1)).toBeLessThan(0.85 + 1e-9);
  expect(of(0.9)).toBe(0.85);
  expect(of(0.9)).toBeGreaterThanOrEqual(of(1));
});

test('a result keeps how far whoever graded it is to be believed: a key wholly, an adjudicator as their score says', () => {
  const grading = {
    ...{
      id: 1n,
      assignmentId: 1n,
      taskTypeId: 1n,
      dimension: 'a',
      truth: 'yes',
      answered: 'no',
      isRight: false,
    },
    ...{ stated: null, gradedAt: new Date(0), isClass: true, classes: 4 },
  };
  const resultsOf = (of: Pick<Grading, 'kind' | 'weight'>[]) =>
    gradedAnswers(of.map((one, n) => ({ ...grading, ...one, id: BigInt(n + 1), dimension: String(n) }))).map(
      (answer) => {
        const { credit, trust, chance } = resultOf(answer);
        return { credit, trust, chance };
      },
    );
  expect(resultsOf([{ kind: 'GOLD', weight: 1 }])).toEqual([
    { credit: 0, trust: undefined, chance: undefined },
  ]);
  const adjudicated = { kind: 'ADJUDICATION' } as const;
  const [{ trust, chance } = { trust: 0, chance: 0 }] = resultsOf([
    { ...adjudicated, weight: 0.9 },
    { ...adjudicated, weight: 0.8 },
  ]);
  expect(trust).toBeCloseTo(0.85, 9);
  expect(chance).toBeCloseTo(0.05, 9);
});
