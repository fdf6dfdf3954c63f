import type { AnswerTable } from './answers.js';
import type { Posterior } from './posterior.js';

/**
 * The share of each class among an item's answers; equal shares for an item without answers. A majority's decision is the
 * largest share, and of shares that tie the class with the smaller number (likeliest); accuracies count a tie by its
 * expectation (credit).
 */
export function voteShares({ items, classes, start, label }: AnswerTable): Posterior {
  const shares = new Float64Array(items * classes);
  for (let i = 0; i < items; i++) {
    const [from, to] = [start[i] ?? 0, start[i + 1] ?? 0];
    if (from === to) {
      shares.fill(1 / classes, i * classes, (i + 1) * classes);
    }
    for (let k = from; k < to; k++) {
      const at = i * classes + (label[k] ?? 0);
      shares[at] = (shares[at] ?? 0) + 1 / (to - from);
    }
  }
  return shares;
}
