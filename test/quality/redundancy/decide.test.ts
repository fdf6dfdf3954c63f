import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide, type Judging } from '../../../src/services/quality/redundancy/decide.js';
import {
  answersAtFirst,
  answersAtMost,
  forCritical,
  type RedundancyPolicy,
} from '../../../src/services/quality/redundancy/policy.js';
import type { Vote } from '../../../src/services/quality/redundancy/posterior.js';

const AGREE: RedundancyPolicy = { kind: 'AGREE', agree: 2, max: 3 };
const FIXED: RedundancyPolicy = { kind: 'FIXED', answers: 3 };
const POSTERIOR: RedundancyPolicy = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 5, price: null };

const judging = (policy: RedundancyPolicy, more: Partial<Judging> = {}): Judging => ({
  policy,
  prior: [1 / 3, 1 / 3, 1 / 3],
  next: { accuracy: 0.8, confusion: null },
  stopping: null,
  ...more,
});

/** "aab" of experts at .8. */
const votesOf = (labels: string, accuracy = 0.8): Vote[] =>
  [...labels].map((label) => ({ label: 'abcd'.indexOf(label), model: { accuracy, confusion: null } }));

const next = (labels: string, policy: RedundancyPolicy, classes = 'abc') => {
  const prior = [...classes].map(() => 1 / classes.length);
  const { result: _, ...decision } = decide(votesOf(labels), judging(policy, { prior }));
  return decision;
};

describe('two agree, else a third', () => {
  test.each([
    { labels: '', decision: { next: 'MORE', answers: 2 } },
    { labels: 'a', decision: { next: 'MORE', answers: 1 } },
    { labels: 'aa', decision: { next: 'STOP' } },
    { labels: 'ab', decision: { next: 'MORE', answers: 1 } },
    { labels: 'abb', decision: { next: 'STOP' } },
    { labels: 'abc', decision: { next: 'ADJUDICATE', reason: 'TIE' } },
  ])('after "$labels": $decision.next', ({ labels, decision }) => {
    expect(next(labels, AGREE)).toEqual(decision);
  });
});

describe('three agree, of at most five', () => {
  const policy: RedundancyPolicy = { kind: 'AGREE', agree: 3, max: 5 };

  test.each([
    { labels: 'aab', decision: { next: 'MORE', answers: 1 } },
    { labels: 'aabb', decision: { next: 'MORE', answers: 1 } },
    { labels: 'aabba', decision: { next: 'STOP' } },
    { labels: 'aabbc', decision: { next: 'ADJUDICATE', reason: 'TIE' } },
    { labels: 'aabcd', decision: { next: 'ADJUDICATE', reason: 'MAXIMUM_REACHED' } },
  ])('after "$labels": $decision.next', ({ labels, decision }) => {
    expect(next(labels, policy, 'abcd')).toEqual(decision);
  });
});

describe('a fixed number', () => {
  test.each([
    { labels: 'aa', decision: { next: 'MORE', answers: 1 } },
    { labels: 'aab', decision: { next: 'STOP' } },
    { labels: 'abc', decision: { next: 'ADJUDICATE', reason: 'TIE' } },
  ])('after "$labels": $decision.next', ({ labels, decision }) => {
    expect(next(labels, FIXED)).toEqual(decision);
  });
});

describe('stopping at a posterior', () => {
  test.each([
    { labels: 'a', decision: { next: 'MORE', answers: 1 } },
    { labels: 'aa', decision: { next: 'STOP' } },
    { labels: 'ab', decision: { next: 'MORE', answers: 1 } },
    { labels: 'aba', decision: { next: 'MORE', answers: 1 } },
    { labels: 'ababc', decision: { next: 'ADJUDICATE', reason: 'MAXIMUM_REACHED' } },
  ])('after "$labels": $decision.next', ({ labels, decision }) => {
    expect(next(labels, POSTERIOR)).toEqual(decision);
  });

  test('asks nobody where an answer costs more than it is expected to save', () => {
    const dear = { ...POSTERIOR, price: { answer: 50, error: 100 } };
    const cheap = { ...POSTERIOR, price: { answer: 5, error: 100 } };
    expect(next('ab', dear)).toEqual({ next: 'ADJUDICATE', reason: 'NOT_WORTH_ITS_PRICE' });
    expect(next('ab', cheap)).toEqual({ next: 'MORE', answers: 1 });
  });

  test('goes on below a threshold that was raised, and says what the posterior means', () => {
    const stopping = { threshold: 0.99, map: { intercept: 0, slope: 0.5 } };
    const decision = decide(votesOf('aa'), judging(POSTERIOR, { stopping }));
    expect(decision.next).toBe('MORE');
    const { probability, stated } = decision.result;
    expect(probability).toBeCloseTo(0.64 / (0.64 + 2 * 0.01), 9);
    expect(stated / (1 - stated)).toBeCloseTo(Math.sqrt(probability / (1 - probability)), 9);
  });

  test('with a threshold below the rule’s own keeps to the rule', () => {
    const stopping = { threshold: 0.5, map: { intercept: 0, slope: 1 } };
    expect(decide(votesOf('ab'), judging(POSTERIOR, { stopping })).next).toBe('MORE');
  });
});

describe('on the word of experts on probation alone', () => {
  const alone = (labels: string, policy: RedundancyPolicy) => {
    const { result: _, ...decision } = decide(votesOf(labels), judging(policy, { isUnproven: true }));
    return decision;
  };

  test.each([
    { labels: 'aa', policy: AGREE, decision: { next: 'MORE', answers: 1, reason: 'PROBATION_ALONE' } },
    { labels: 'aaa', policy: AGREE, decision: { next: 'ADJUDICATE', reason: 'PROBATION_ALONE' } },
    { labels: 'aaa', policy: FIXED, decision: { next: 'ADJUDICATE', reason: 'PROBATION_ALONE' } },
    { labels: 'aa', policy: POSTERIOR, decision: { next: 'MORE', answers: 1, reason: 'PROBATION_ALONE' } },
    { labels: 'ab', policy: POSTERIOR, decision: { next: 'MORE', answers: 1 } },
    { labels: 'abc', policy: AGREE, decision: { next: 'ADJUDICATE', reason: 'TIE' } },
  ])('a task of $policy.kind with "$labels" is not done: $decision.next', ({ labels, policy, decision }) => {
    expect(alone(labels, policy)).toEqual(decision);
  });
});

describe('any policy', () => {
  const policies = fc.oneof(
    fc.integer({ min: 1, max: 6 }).map((answers): RedundancyPolicy => ({ kind: 'FIXED', answers })),
    fc
      .tuple(fc.integer({ min: 1, max: 3 }), fc.nat({ max: 4 }))
      .map(([agree, more]): RedundancyPolicy => ({ kind: 'AGREE', agree, max: agree + more })),
    fc
      .record({
        posterior: fc.double({ min: 0.6, max: 0.99, noNaN: true }),
        min: fc.integer({ min: 1, max: 3 }),
        more: fc.nat({ max: 5 }),
        price: fc.option(
          fc.record({ answer: fc.integer({ min: 1, max: 50 }), error: fc.integer({ min: 1, max: 500 }) }),
        ),
      })
      .map(({ more, ...of }): RedundancyPolicy => ({ kind: 'POSTERIOR', ...of, max: of.min + more })),
  );
  const votes = fc.array(
    fc.record({
      label: fc.nat({ max: 2 }),
      model: fc.record({
        accuracy: fc.double({ min: 0.4, max: 0.95, noNaN: true }),
        confusion: fc.constant(null),
      }),
    }),
    { maxLength: 9 },
  );

  test('never asks beyond its maximum, always ends there, and does not look at the order of answers', () => {
    fc.assert(
      fc.property(policies, votes, fc.boolean(), (policy, given, isUnproven) => {
        const decision = decide(given, judging(policy, { isUnproven }));
        expect(isUnproven && decision.next === 'STOP').toBe(false);
        const atMost = answersAtMost(policy);
        if (decision.next === 'MORE') {
          expect(decision.answers).toBeGreaterThan(0);
          expect(given.length + decision.answers).toBeLessThanOrEqual(atMost);
        }
        if (given.length >= atMost) {
          expect(decision.next).not.toBe('MORE');
        }
        if (given.length < answersAtFirst(policy)) {
          expect(decision.next).toBe('MORE');
        }
        expect(decide([...given].reverse(), judging(policy, { isUnproven })).next).toBe(decision.next);
      }),
    );
  });

  test('of a critical task asks three to five', () => {
    fc.assert(
      fc.property(policies, (policy) => {
        const critical = forCritical(policy);
        expect(answersAtFirst(critical)).toBeGreaterThanOrEqual(3);
        expect(answersAtMost(critical)).toBeLessThanOrEqual(5);
        expect(answersAtFirst(critical)).toBeLessThanOrEqual(answersAtMost(critical));
        expect(forCritical(critical)).toEqual(critical);
      }),
    );
  });
});
