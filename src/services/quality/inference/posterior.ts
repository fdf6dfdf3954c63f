/** A share of certainty for each class of each item, item by item: items × classes numbers, each item's sum to 1. */
export type Posterior = Float64Array;

/** Shares this near to the largest tie with it: they differ by rounding only. */
const TIE = 1e-9;

/**
 * Turns the `classes` log weights from `at` into probabilities in place, and returns the log of their sum. Weights that
 * are all -Infinity (no class is possible) become equal shares.
 */
export function normalise(logs: Float64Array, at: number, classes: number): number {
  let most = Number.NEGATIVE_INFINITY;
  for (let j = 0; j < classes; j++) {
    most = Math.max(most, logs[at + j] as number);
  }
  if (most === Number.NEGATIVE_INFINITY) {
    logs.fill(1 / classes, at, at + classes);
    return most;
  }
  let sum = 0;
  for (let j = 0; j < classes; j++) {
    const weight = Math.exp((logs[at + j] as number) - most);
    logs[at + j] = weight;
    sum += weight;
  }
  for (let j = 0; j < classes; j++) {
    logs[at + j] = (logs[at + j] as number) / sum;
  }
  return most + Math.log(sum);
}

/** The likeliest class of each item; of those that tie, the first. */
export function likeliest(posterior: Posterior, classes: number): Int32Array {
  const labels = new Int32Array(posterior.length / classes);
  for (let i = 0; i < labels.length; i++) {
    labels[i] = tied(posterior, i, classes)[0] ?? 0;
  }
  return labels;
}

/** How sure each item is: the probability of its likeliest class. */
export function confidences(posterior: Posterior, classes: number): Float64Array {
  return Float64Array.from({ length: posterior.length / classes }, (_, i) =>
    posterior.subarray(i * classes, (i + 1) * classes).reduce((most, p) => Math.max(most, p), 0),
  );
}

/**
 * How right an item is: 1 where the likeliest class is the true one, else 0; of n classes that tie with the true one
 * among them, 1/n. So accuracies do not depend on the order in which classes happen to be numbered.
 */
export function credit(
  posterior: Posterior,
  classes: number,
  known: { item: number; truth: number },
): number {
  const best = tied(posterior, known.item, classes);
  return best.includes(known.truth) ? 1 / best.length : 0;
}

function tied(posterior: Posterior, item: number, classes: number): number[] {
  const from = item * classes;
  let most = 0;
  for (let j = 0; j < classes; j++) {
    most = Math.max(most, posterior[from + j] ?? 0);
  }
  const best: number[] = [];
  for (let j = 0; j < classes; j++) {
    if ((posterior[from + j] ?? 0) >= most - TIE) {
      best.push(j);
    }
  }
  return best;
}
