import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  likelihood,
  mostProbable,
  posterior,
  type Vote,
} from '../../../src/services/quality/redundancy/posterior.js';

const vote = (label: number, accuracy: number): Vote => ({ label, model: { accuracy, confusion: null } });
const even = (classes: number) => Array.from({ length: classes }, () => 1 / classes);

describe('published values', () => {
  // Toloka's "Dynamic overlap": prod q or (1 - q) / (Y - 1), over the sum; by an independent implementation.
  test.each([
    { votes: [vote(0, 0.9), vote(0, 0.8)], expected: [0.972972973, 0.027027027] },
    { votes: [vote(0, 0.9), vote(1, 0.8)], expected: [0.6923076923, 0.3076923077] },
    {
      votes: [vote(0, 0.7), vote(0, 0.7), vote(1, 0.95)],
      expected: [0.3583180987, 0.6252285192, 0.0164533821],
    },
  ])('the posterior is $expected', ({ votes, expected }) => {
    for (const [n, p] of posterior(votes, even(expected.length)).entries()) {
      expect(p).toBeCloseTo(expected[n] ?? Number.NaN, 9);
    }
  });
});

const CLASSES = 4;
const row = fc
  .array(fc.double({ min: 0.05, max: 1, noNaN: true }), { minLength: CLASSES, maxLength: CLASSES })
  .map((weights) => weights.map((weight) => weight / weights.reduce((sum, one) => sum + one, 0)));
const anyVote: fc.Arbitrary<Vote> = fc.record({
  label: fc.nat({ max: CLASSES - 1 }),
  model: fc.record({
    accuracy: fc.double({ min: 0.05, max: 0.98, noNaN: true }),
    confusion: fc.option(fc.array(row, { minLength: CLASSES, maxLength: CLASSES })),
  }),
});
const anyVotes = fc.array(anyVote, { maxLength: 10 });

/** Bayes' rule by multiplication, as a textbook has it. */
function slowPosterior(votes: readonly Vote[], prior: readonly number[]): number[] {
  const joint = prior.map((p, truth) => {
    let product = p;
    for (const { label, model } of votes) {
      const one = label === truth ? model.accuracy : (1 - model.accuracy) / (CLASSES - 1);
      product *= model.confusion?.[truth]?.[label] ?? one;
    }
    return product;
  });
  const total = joint.reduce((sum, p) => sum + p, 0);
  return joint.map((p) => p / total);
}

describe('the posterior', () => {
  test('is Bayes’ rule, sums to 1, and does not depend on the order of answers', () => {
    fc.assert(
      fc.property(anyVotes, row, (votes, prior) => {
        const probabilities = posterior(votes, prior);
        const slow = slowPosterior(votes, prior);
        const reversed = posterior([...votes].reverse(), prior);
        expect(probabilities.reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12);
        for (const [n, p] of probabilities.entries()) {
          expect(p).toBeCloseTo(slow[n] ?? Number.NaN, 9);
          expect(p).toBeCloseTo(reversed[n] ?? Number.NaN, 9);
        }
      }),
    );
  });

  test('does not depend on which class is the first', () => {
    const votes = fc.array(fc.tuple(fc.nat({ max: 3 }), fc.double({ min: 0.3, max: 0.95, noNaN: true })), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(votes, (given) => {
        const here = posterior(
          given.map(([label, q]) => vote(label, q)),
          even(4),
        );
        const turned = posterior(
          given.map(([label, q]) => vote((label + 1) % 4, q)),
          even(4),
        );
        for (const [n, p] of here.entries()) {
          expect(turned[(n + 1) % 4]).toBeCloseTo(p, 9);
        }
      }),
    );
  });

  test('of a thousand answers is still a number', () => {
    const many = Array.from({ length: 1000 }, () => vote(1, 0.9));
    expect(posterior(many, even(3))[1]).toBe(1);
  });

  test('is never decided by one answer alone, however good its expert', () => {
    expect(posterior([vote(0, 1)], even(2))[0]).toBeCloseTo(0.99, 12);
    expect(likelihood(vote(1, 1), 0, 2)).toBeGreaterThan(0);
  });

  test('without answers is the prior', () => {
    expect(posterior([], [0.7, 0.2, 0.1])[0]).toBeCloseTo(0.7, 12);
    expect(mostProbable([0.2, 0.4, 0.4])).toEqual({ label: 1, probability: 0.4 });
  });
});
