import type { AnswerTable } from './answers.js';
import { voteShares } from './majority.js';
import { normalise, type Posterior } from './posterior.js';

export interface OneCoinOptions {
  /** Ends when no worker's accuracy moves by more; 1e-5 by default. */
  readonly tolerance?: number;
  /** Ends after so many rounds in any case; 100 by default. */
  readonly iterations?: number;
}

export interface OneCoin {
  readonly posterior: Posterior;
  /** P(right) of each worker; errors fall on the other classes alike. */
  readonly accuracy: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
}

/** Nobody is taken for certain: two workers who were always right, and then differ, must not decide by rounding. */
const CERTAIN = 1e-6;

/**
 * Truth and one accuracy a worker by expectation and maximisation (the "one-coin" model; ZenCrowd of Demartini et al. 2012
 * with a uniform prior): what Dawid and Skene's model becomes for workers with few answers. Classes are equally likely
 * beforehand: a prior that is learned as well pulls everything into the largest class where workers are weak.
 */
export function oneCoin(table: AnswerTable, options: OneCoinOptions = {}): OneCoin {
  const { tolerance = 1e-5, iterations: most = 100 } = options;
  const posterior = voteShares(table);
  const accuracy = new Float64Array(table.workers);
  const totals = new Float64Array(table.workers);
  for (const w of table.worker) {
    totals[w] = (totals[w] as number) + 1;
  }
  let iterations = 0;
  let converged = false;
  while (iterations < most && !converged) {
    iterations += 1;
    converged = maximise(table, posterior, { accuracy, totals }) <= tolerance;
    expect(table, posterior, accuracy);
  }
  return { posterior, accuracy, iterations, converged };
}

/** Returns by how much the accuracy moved that moved most. */
function maximise(
  { items, classes, start, worker, label }: AnswerTable,
  posterior: Posterior,
  { accuracy, totals }: { accuracy: Float64Array; totals: Float64Array },
): number {
  const right = new Float64Array(accuracy.length);
  for (let i = 0; i < items; i++) {
    for (let k = start[i] as number; k < (start[i + 1] as number); k++) {
      const w = worker[k] as number;
      right[w] = (right[w] as number) + (posterior[i * classes + (label[k] as number)] as number);
    }
  }
  let moved = 0;
  for (let w = 0; w < accuracy.length; w++) {
    const total = totals[w] as number;
    // A worker without answers weighs nothing; 1 / classes is what weighs nothing.
    const share = total > 0 ? (right[w] as number) / total : 1 / classes;
    const value = Math.min(1 - CERTAIN, Math.max(CERTAIN, share));
    moved = Math.max(moved, Math.abs(value - (accuracy[w] as number)));
    accuracy[w] = value;
  }
  return moved;
}

function expect(
  { items, classes, start, worker, label }: AnswerTable,
  posterior: Posterior,
  accuracy: Float64Array,
): void {
  const weight = accuracy.map((q) => Math.log(q) - Math.log((1 - q) / Math.max(1, classes - 1)));
  for (let i = 0; i < items; i++) {
    const at = i * classes;
    posterior.fill(0, at, at + classes);
    for (let k = start[i] as number; k < (start[i + 1] as number); k++) {
      const cell = at + (label[k] as number);
      posterior[cell] = (posterior[cell] as number) + (weight[worker[k] as number] as number);
    }
    normalise(posterior, at, classes);
  }
}
