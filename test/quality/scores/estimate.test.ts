import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accuracyAt,
  estimate,
  meanAccuracy,
  PRIOR_STRENGTH,
  type Prior,
  probabilityBelow,
  skillPrior,
  typePrior,
} from '../../../src/services/quality/scores/estimate.js';
import { foldScore, NO_SCORE, type ScoreState } from '../../../src/services/quality/scores/score.js';
import { randomOf } from '../../soak/random.js';
import { goldFact, goldFacts } from './facts.js';

const UNIFORM: Prior = { mean: 0.5, strength: 2 };
const AT_80: Prior = { mean: 0.8, strength: PRIOR_STRENGTH };

/** A score of so many, undiscounted: what the published values are of. */
const counts = (right: number, wrong: number): ScoreState => ({
  ...NO_SCORE,
  seen: right + wrong,
  right,
  wrong,
});

describe('published values', () => {
  // Beta posteriors from a uniform prior; the quantiles also by scipy.stats.beta (1.17.1).
  test.each([
    { right: 0, of: 0, q05: 0.05, q95: 0.95, below80: 0.8 },
    { right: 5, of: 5, q05: 0.60696, q95: 0.99149, below80: 0.262144 },
    { right: 8, of: 10, q05: 0.52991, q95: 0.92118, below80: 0.6174 },
    { right: 10, of: 10, q05: 0.7616, q95: 0.99535, below80: 0.0859 },
    { right: 18, of: 20, q05: 0.72945, q95: 0.9599, below80: 0.1787 },
    { right: 27, of: 30, q05: 0.7685, q95: 0.9547, below80: 0.10701 },
    { right: 50, of: 60, q05: 0.73781, q95: 0.89545, below80: 0.30137 },
  ])('$right of $of', ({ right, of, q05, q95, below80 }) => {
    const known = estimate(counts(right, of - right), UNIFORM);
    expect(known.lower).toBeCloseTo(q05, 4);
    expect(known.upper).toBeCloseTo(q95, 4);
    expect(probabilityBelow({ right, wrong: of - right }, 0.8, UNIFORM)).toBeCloseTo(below80, 4);
  });

  // Toloka, "Dynamic overlap": q = (K + correct) / (2 K + total), K = .5.
  test.each([
    { right: 0, of: 0, q: 0.5 },
    { right: 3, of: 3, q: 0.875 },
    { right: 8, of: 10, q: 0.7727272727 },
    { right: 18, of: 20, q: 0.8809523809 },
    { right: 2, of: 10, q: 0.2272727272 },
  ])('Toloka’s smoothed accuracy of $right of $of', ({ right, of, q }) => {
    expect(meanAccuracy({ right, wrong: of - right }, { mean: 0.5, strength: 1 })).toBeCloseTo(q, 9);
  });
});

describe('an estimate', () => {
  test('of three right of three is no certainty: a minimum of .7 is not passed', () => {
    const known = estimate(foldScore(goldFacts(3, 0)), AT_80);
    expect(known.mean).toBeLessThan(0.9);
    expect(known.lower).toBeLessThan(0.7);
  });

  test('has its bounds in order, and rises with each right answer', () => {
    const score = fc
      .array(fc.constantFrom(0, 1), { maxLength: 80 })
      .map((credits) => foldScore(credits.map((credit, n) => goldFact(n, credit))));
    fc.assert(
      fc.property(score, fc.double({ min: 0, max: 1, noNaN: true }), (state, mean) => {
        const prior = { mean, strength: PRIOR_STRENGTH };
        const known = estimate(state, prior);
        expect(known.lower).toBeGreaterThanOrEqual(0);
        expect(known.lower).toBeLessThanOrEqual(known.mean);
        expect(known.mean).toBeLessThanOrEqual(known.upper);
        expect(known.upper).toBeLessThanOrEqual(1);
        expect(known.mean).toBe(meanAccuracy(state, prior));
        const better = estimate({ ...state, right: state.right + 1 }, prior);
        expect(better.mean).toBeGreaterThan(known.mean);
        expect(better.lower).toBeGreaterThan(known.lower);
      }),
    );
  });

  test('has nine in ten steady experts within its interval, and fewer than one in fourteen below it', () => {
    const random = randomOf(17);
    let inside = 0;
    let below = 0;
    const experts = 600;
    for (let n = 0; n < experts; n++) {
      const accuracy = 0.55 + 0.43 * random();
      const credits = Array.from({ length: 30 }, (_, k) => goldFact(k, random() < accuracy ? 1 : 0));
      const { lower, upper } = estimate(foldScore(credits), AT_80);
      inside += accuracy >= lower && accuracy <= upper ? 1 : 0;
      below += accuracy < lower ? 1 : 0;
    }
    expect(inside / experts).toBeGreaterThan(0.9);
    expect(below / experts).toBeLessThan(0.07);
  });

  test('follows an expert who becomes worse: after thirty results at .6 the interval has left the .95 of before', () => {
    const random = randomOf(5);
    const credits = Array.from({ length: 90 }, (_, n) => (random() < (n < 60 ? 0.95 : 0.6) ? 1 : 0));
    const known = estimate(foldScore(credits.map((credit, n) => goldFact(n, credit))), AT_80);
    expect(known.upper).toBeLessThan(0.95);
  });

  test('at a share of its posterior gives Thompson’s draw: the median is near the mean', () => {
    const state = foldScore(goldFacts(20, 10));
    const { lower, upper, mean } = estimate(state, AT_80);
    expect(accuracyAt(state, AT_80, 0.05)).toBeCloseTo(lower, 12);
    expect(accuracyAt(state, AT_80, 0.95)).toBeCloseTo(upper, 12);
    expect(Math.abs(accuracyAt(state, AT_80, 0.5) - mean)).toBeLessThan(0.02);
  });
});

describe('the prior of a skill', () => {
  test('is .8 where nobody is known, worth 4.5 results', () => {
    expect(skillPrior([])).toEqual({ mean: 0.8, strength: 4.5 });
    expect(skillPrior([NO_SCORE, NO_SCORE]).mean).toBeCloseTo(0.8, 12);
  });

  test('is where its experts are, and no single one decides it', () => {
    const good = foldScore(goldFacts(30, 0));
    const bad = foldScore(goldFacts(0, 30));
    expect(skillPrior([...Array(20).fill(good), bad]).mean).toBeGreaterThan(0.9);
    expect(skillPrior([bad]).mean).toBeGreaterThan(0.3);
  });

  test('of one task type starts where the expert stands in the others', () => {
    const strong = typePrior(AT_80, foldScore(goldFacts(30, 0)));
    expect(strong.mean).toBeGreaterThan(0.9);
    expect(typePrior(AT_80, NO_SCORE).mean).toBeCloseTo(0.8, 12);
    expect(strong.strength).toBe(4.5);
  });

  test('is never certain', () => {
    expect(typePrior({ mean: 1, strength: 1e6 }, counts(1000, 0)).mean).toBeLessThanOrEqual(0.95);
    expect(typePrior({ mean: 0, strength: 1e6 }, counts(0, 1000)).mean).toBeGreaterThanOrEqual(0.05);
  });
});
