import { describe, expect, test } from 'vitest';
import { dimensionAccuracy } from '../../../src/services/quality/scores/dimensions.js';
import { meanAccuracy } from '../../../src/services/quality/scores/estimate.js';
import { withoutResult } from '../../../src/services/quality/scores/left-out.js';
import { foldScore } from '../../../src/services/quality/scores/score.js';
import { randomOf } from '../../soak/random.js';
import { goldFact } from './facts.js';

const PRIOR = { mean: 0.8, strength: 4.5 };

/** Answers of which these dimensions are right as often as is said. */
function answered(count: number, rates: Readonly<Record<string, number>>, seed = 1) {
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, n) => {
    const dimensions = Object.entries(rates).map(([dimension, rate]) => ({
      dimension,
      isRight: random() < rate,
      weight: 1,
    }));
    const right = dimensions.filter(({ isRight }) => isRight).length;
    return goldFact(n, right / dimensions.length, { dimensions });
  });
}

describe('the accuracy of a dimension', () => {
  test('is its own, and not the mean of what an answer has', () => {
    const score = foldScore(answered(400, { category: 0.95, severity: 0.6 }));
    expect(dimensionAccuracy(score, PRIOR, 'category')).toBeGreaterThan(0.85);
    expect(dimensionAccuracy(score, PRIOR, 'severity')).toBeLessThan(0.72);
    expect(meanAccuracy(score, PRIOR)).toBeGreaterThan(0.7);
  });

  test('is that of the answers where they have but one', () => {
    const score = foldScore(answered(25, { choice: 0.7 }));
    expect(dimensionAccuracy(score, PRIOR, 'choice')).toBe(meanAccuracy(score, PRIOR));
  });

  test('is what the others say before it has a result, and moves away from that with each', () => {
    const others = foldScore(answered(40, { category: 0.95 }));
    const before = dimensionAccuracy(others, PRIOR, 'severity');
    expect(before).toBeCloseTo(meanAccuracy(others, PRIOR), 12);
    const wrong = [{ dimension: 'severity', isRight: false, weight: 1 }];
    const after = foldScore([
      ...answered(40, { category: 0.95 }),
      goldFact(41, 0, { dimensions: wrong }),
      goldFact(42, 0, { dimensions: wrong }),
    ]);
    expect(dimensionAccuracy(after, PRIOR, 'severity')).toBeLessThan(before - 0.2);
    expect(dimensionAccuracy(after, PRIOR, 'category')).toBeGreaterThan(0.8);
  });
});

test('a score without one of its results is the fold of all the others', () => {
  const facts = answered(60, { category: 0.9, severity: 0.6 }, 3);
  const whole = foldScore(facts);
  for (const left of [0, 1, 30, 58, 59]) {
    const own = facts[left]?.dimensions.find(({ dimension }) => dimension === 'severity');
    const earlier = foldScore(facts.slice(0, left)).dimensions.find(
      ({ dimension }) => dimension === 'severity',
    ) ?? { right: 0, wrong: 0 };
    const later = facts.length - 1 - left;
    // What earlier ones are worth in the whole: as they were, less by all that came from this one on.
    const worth = 0.97 ** (later + 1);
    const without = withoutResult(whole, {
      dimension: 'severity',
      truth: 'a',
      answered: 'b',
      isRight: own?.isRight === true,
      weight: 1,
      later,
      laterOfTruth: later,
      earlierRight: earlier.right * worth,
      earlierWrong: earlier.wrong * worth,
    });
    const others = foldScore(
      facts.map((fact, n) =>
        n === left
          ? { ...fact, dimensions: fact.dimensions.filter(({ dimension }) => dimension !== 'severity') }
          : fact,
      ),
    );
    for (const [index, { right, wrong }] of others.dimensions.entries()) {
      expect(without.dimensions[index]?.right).toBeCloseTo(right, 9);
      expect(without.dimensions[index]?.wrong).toBeCloseTo(wrong, 9);
    }
  }
});
