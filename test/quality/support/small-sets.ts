import fc from 'fast-check';
import { expect } from 'vitest';
import type { Posterior } from '../../../src/services/quality/inference/posterior.js';
import type { Given } from './textbook.js';

/** Small sets with pairs repeated, items without answers and workers who say nothing. */
export const given: fc.Arbitrary<Given> = fc
  .record({
    items: fc.integer({ min: 1, max: 8 }),
    workers: fc.integer({ min: 1, max: 5 }),
    classes: fc.integer({ min: 2, max: 4 }),
  })
  .chain(({ items, workers, classes }) =>
    fc.record({
      items: fc.constant(items),
      workers: fc.constant(workers),
      classes: fc.constant(classes),
      answers: fc.array(
        fc.record({ item: fc.nat(items - 1), worker: fc.nat(workers - 1), label: fc.nat(classes - 1) }),
        { minLength: 1, maxLength: 40 },
      ),
    }),
  );

/** The posterior is these rows, an item each. */
export function expectRows(posterior: Posterior, rows: readonly (readonly number[])[]) {
  for (const [item, row] of rows.entries()) {
    for (const [j, share] of row.entries()) {
      expect(Math.abs((posterior[item * row.length + j] ?? 0) - share)).toBeLessThan(1e-6);
    }
  }
}
