import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { ScoreFact } from '../../../src/services/quality/scores/facts.js';
import { addFact, foldScore, NO_SCORE, type ScoreState } from '../../../src/services/quality/scores/score.js';
import { goldFact } from './facts.js';

const LABELS = ['no', 'yes', '__proto__', 'constructor'];
const outcome = fc.record({
  dimension: fc.constantFrom('/verdict', '/tone'),
  truth: fc.constantFrom(...LABELS),
  answer: fc.constantFrom(...LABELS),
});
const result = fc.record({
  dimension: fc.constantFrom('/verdict', '/tone', '__proto__'),
  isRight: fc.boolean(),
  weight: fc.double({ min: 0.5, max: 1, noNaN: true }),
});
const histories = fc
  .array(
    fc.record({
      source: fc.constantFrom('GOLD' as const, 'ADJUDICATION' as const),
      // Several facts may have the same millisecond.
      atMs: fc.integer({ min: 0, max: 30 }),
      credit: fc.double({ min: 0, max: 1, noNaN: true }),
      weight: fc.double({ min: 0.5, max: 1, noNaN: true }),
      outcomes: fc.array(outcome, { maxLength: 2 }),
      dimensions: fc.uniqueArray(result, { maxLength: 2, selector: ({ dimension }) => dimension }),
    }),
    { maxLength: 60 },
  )
  .map((facts) => facts.map((fact, n): ScoreFact => ({ ...fact, id: `fact ${n}` })));

const kept = (state: ScoreState): ScoreState => JSON.parse(JSON.stringify(state));

describe('a score', () => {
  test('is the same whether its facts come one by one through the database or all at once, in whatever order listed', () => {
    fc.assert(
      fc.property(histories, fc.nat(), (facts, turn) => {
        const whole = foldScore(facts);
        const inTime = [...facts].sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
        const oneByOne = inTime.reduce((state, fact) => addFact(kept(state), fact), NO_SCORE);
        expect(oneByOne).toEqual(whole);
        const turned = [
          ...facts.slice(turn % (facts.length + 1)),
          ...facts.slice(0, turn % (facts.length + 1)),
        ];
        expect(foldScore(turned)).toEqual(whole);
      }),
    );
  });

  test('weighs each fact by .97 to the number of facts after it', () => {
    fc.assert(
      fc.property(histories, (facts) => {
        const inTime = [...facts].sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
        const weights = inTime.map(({ weight }, n) => weight * 0.97 ** (inTime.length - 1 - n));
        const right = inTime.reduce((sum, { credit }, n) => sum + credit * (weights[n] ?? 0), 0);
        const wrong = inTime.reduce((sum, { credit }, n) => sum + (1 - credit) * (weights[n] ?? 0), 0);
        const state = foldScore(facts);
        expect(state.right).toBeCloseTo(right, 9);
        expect(state.wrong).toBeCloseTo(wrong, 9);
        expect(state.seen).toBe(facts.length);
        expect(state.recent).toEqual(inTime.map(({ credit }) => credit).slice(-30));
      }),
    );
  });

  test('weighs each result of a dimension by .97 to the number of later ones in it', () => {
    fc.assert(
      fc.property(histories, (facts) => {
        const inTime = [...facts].sort((a, b) => a.atMs - b.atMs || (a.id < b.id ? -1 : 1));
        const { dimensions } = foldScore(facts);
        const results = inTime.flatMap((fact) => fact.dimensions);
        expect(dimensions.map(({ dimension }) => dimension)).toEqual(
          [...new Set(results.map(({ dimension }) => dimension))].sort(),
        );
        for (const { dimension, right, wrong } of dimensions) {
          const own = results.filter((of) => of.dimension === dimension);
          const worth = own.map(({ weight }, n) => weight * 0.97 ** (own.length - 1 - n));
          const sum = (isRight: boolean) =>
            own.reduce((total, of, n) => total + (of.isRight === isRight ? (worth[n] ?? 0) : 0), 0);
          expect(right).toBeCloseTo(sum(true), 9);
          expect(wrong).toBeCloseTo(sum(false), 9);
        }
      }),
    );
  });

  test('never rests on more than a third of a hundred facts', () => {
    const state = foldScore(Array.from({ length: 1000 }, (_, n) => goldFact(n, 1)));
    expect(state.right).toBeCloseTo(1 / 0.03, 6);
  });

  test('refuses a fact that is older than its last, and the same fact twice', () => {
    const state = foldScore([goldFact(1, 1), goldFact(2, 1)]);
    expect(() => addFact(state, goldFact(1, 1, { id: 'late' }))).toThrow(/fold from the beginning/);
    expect(() => addFact(state, goldFact(2, 1))).toThrow(/fold from the beginning/);
  });

  test.each([
    { what: 'credit', fact: goldFact(1, 1.5) },
    { what: 'weight', fact: goldFact(1, 1, { weight: 0 }) },
  ])('refuses a $what that is none', ({ what, fact }) => {
    expect(() => addFact(NO_SCORE, fact)).toThrow(what);
  });

  test('takes nothing but gold and adjudications: the type has no other source', () => {
    expectTypeOf<ScoreFact['source']>().toEqualTypeOf<'GOLD' | 'ADJUDICATION'>();
  });
});
