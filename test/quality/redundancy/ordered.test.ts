import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { orderedErrors } from '../../../src/services/quality/redundancy/ordered.js';
import { posterior, type Vote } from '../../../src/services/quality/redundancy/posterior.js';
import { total } from '../support/textbook.js';

const accuracy = fc.double({ min: 0.01, max: 0.99, noNaN: true });
const classes = fc.integer({ min: 2, max: 9 });

describe('errors on an ordered scale', () => {
  test('are as many as the accuracy leaves, fewer the farther, and alike from both ends', () => {
    fc.assert(
      fc.property(accuracy, classes, (a, n) => {
        const rows = orderedErrors(a, n);
        for (const [truth, row] of rows.entries()) {
          expect(total(row)).toBeCloseTo(1, 9);
          expect(row[truth]).toBe(a);
          for (const [label, p] of row.entries()) {
            expect(p).toBeCloseTo(rows[n - 1 - truth]?.[n - 1 - label] ?? -1, 12);
            if (label > truth + 1) {
              expect(p).toBeLessThanOrEqual((row[label - 1] ?? 0) + 1e-12);
            }
          }
        }
      }),
    );
  });

  test('of two classes are spread as without an order', () => {
    expect(orderedErrors(0.7, 2)).toEqual([
      [0.7, expect.closeTo(0.3, 12)],
      [expect.closeTo(0.3, 12), 0.7],
    ]);
  });

  test('die away as the discrete Laplace distribution does whose middle has the accuracy', () => {
    // P(k) = (1 - q) / (1 + q) q^|k|: with P(0) = .6 q is .25.
    const [, , row = []] = orderedErrors(0.6, 5);
    expect(row[1]).toBeCloseTo(4 * (row[0] ?? 0), 12);
    expect(row[1]).toBeCloseTo(0.4 * (0.25 / (2 * (0.25 + 0.0625))), 12);
  });

  test('make what stands between two answers likelier than what is beyond them', () => {
    const said = (label: number): Vote => ({
      label,
      model: { accuracy: 0.6, confusion: orderedErrors(0.6, 5) },
    });
    const [first = 0, second = 0, third = 0, , fifth = 0] = posterior([said(1), said(3)], Array(5).fill(0.2));
    expect(third).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(fifth);
    expect(second).toBeGreaterThan(first);
  });
});
