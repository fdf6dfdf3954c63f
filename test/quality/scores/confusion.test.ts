import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { confusionMatrix } from '../../../src/services/quality/scores/confusion.js';
import type { ScoreFact } from '../../../src/services/quality/scores/facts.js';
import { foldScore } from '../../../src/services/quality/scores/score.js';
import { randomOf } from '../../soak/random.js';
import { goldFact } from './facts.js';

const LABELS = ['cat', 'dog', 'hen'];

function factsOf(pairs: readonly (readonly [truth: string, answer: string])[]): ScoreFact[] {
  return pairs.map(([truth, answer], n) =>
    goldFact(n, truth === answer ? 1 : 0, { outcomes: [{ dimension: '', truth, answer }] }),
  );
}

function matrixOf(pairs: readonly (readonly [string, string])[], labels = LABELS): number[][] | null {
  const [state] = foldScore(factsOf(pairs)).confusions;
  return confusionMatrix(state, { labels, accuracy: 0.7 });
}

/** Row by row: each answer weighs .97 to the number of later ones of its class, plus four answers at the accuracy. */
function slowMatrix(pairs: readonly (readonly [string, string])[]): number[][] {
  return LABELS.map((truth) => {
    const answers = pairs.filter(([of]) => of === truth).map(([, answer]) => answer);
    const row = LABELS.map((label) => 4 * (label === truth ? 0.7 : 0.15));
    for (const [n, answer] of answers.entries()) {
      const at = LABELS.indexOf(answer);
      row[at] = (row[at] ?? 0) + 0.97 ** (answers.length - 1 - n);
    }
    const total = row.reduce((sum, value) => sum + value, 0);
    return row.map((value) => value / total);
  });
}

describe('the confusion matrix of an expert', () => {
  const pair = fc.tuple(fc.constantFrom(...LABELS), fc.constantFrom(...LABELS));

  test('is what counting class by class gives, and its rows sum to 1', () => {
    fc.assert(
      fc.property(fc.array(pair, { minLength: 45, maxLength: 90 }), (pairs) => {
        const matrix = matrixOf(pairs) ?? [];
        const slow = slowMatrix(pairs);
        for (const [i, row] of matrix.entries()) {
          expect(row.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12);
          for (const [j, value] of row.entries()) {
            expect(value).toBeCloseTo(slow[i]?.[j] ?? Number.NaN, 9);
          }
        }
        expect(matrix).toHaveLength(3);
      }),
    );
  });

  test('does not depend on what the classes are called or how they are listed', () => {
    const names = new Map([
      ['cat', '__proto__'],
      ['dog', 'toString'],
      ['hen', 'a'],
    ]);
    const renamed = (label: string) => names.get(label) ?? label;
    fc.assert(
      fc.property(fc.array(pair, { minLength: 45, maxLength: 60 }), (pairs) => {
        const others = pairs.map(([truth, answer]) => [renamed(truth), renamed(answer)] as const);
        expect(matrixOf(others, LABELS.map(renamed))).toEqual(matrixOf(pairs));
      }),
    );
  });

  test('is not used before there are fifteen gold a class, nor of one class', () => {
    const some = Array.from({ length: 44 }, (_, n) => [LABELS[n % 3] ?? '', 'cat'] as const);
    expect(matrixOf(some)).toBeNull();
    expect(matrixOf([...some, ['cat', 'cat']])).not.toBeNull();
    expect(confusionMatrix(undefined, { labels: LABELS, accuracy: 0.7 })).toBeNull();
    expect(matrixOf([...some, ['cat', 'cat']], ['cat'])).toBeNull();
  });

  test('finds whoever takes every dog for a cat', () => {
    const random = randomOf(3);
    const pairs = Array.from({ length: 90 }, () => {
      const truth = LABELS[Math.floor(random() * 3)] ?? '';
      return [truth, truth === 'dog' ? 'cat' : truth] as const;
    });
    const [cat, dog] = matrixOf(pairs) ?? [];
    expect(cat?.[0]).toBeGreaterThan(0.9);
    expect(dog?.[0]).toBeGreaterThan(0.8);
    expect(dog?.[1]).toBeLessThan(0.15);
  });
});
