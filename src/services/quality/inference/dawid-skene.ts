import { type AnswerTable, answersOfWorkers } from './answers.js';
import { voteShares } from './majority.js';
import { normalise, type Posterior } from './posterior.js';

export interface DawidSkeneOptions {
  /** Added to every expected count of a confusion matrix; 0 by default, which is the paper's estimate. */
  readonly smoothing?: number;
  /**
   * Workers with fewer answers than this have one accuracy instead of a matrix; 0 by default. classes² is what a matrix
   * needs.
   */
  readonly matrixFrom?: number;
  /** Ends when no class share and no entry of a confusion matrix moves by more; 1e-5 by default. */
  readonly tolerance?: number;
  /** Ends after so many rounds in any case; 100 by default. */
  readonly iterations?: number;
}

/** A fitted model of Dawid and Skene. */
export interface DawidSkene {
  readonly posterior: Posterior;
  /** Share of each class among the items that have answers. */
  readonly prior: Float64Array;
  /** P(worker w says l | truth is j) at (w × classes + l) × classes + j; 0 throughout a column that nothing is known of. */
  readonly confusion: Float64Array;
  readonly logLikelihood: number;
  readonly iterations: number;
  readonly converged: boolean;
}

/**
 * Truth and confusion matrices of workers by expectation and maximisation, from the answers alone, beginning with the shares
 * of votes (Dawid & Skene, Applied Statistics 28, 1979). It needs about classes² answers a worker; where workers gave
 * fewer, or share their errors, it can be worse than the majority. Costs answers × classes a round.
 */
export function dawidSkene(table: AnswerTable, options: DawidSkeneOptions = {}): DawidSkene {
  const { smoothing = 0, matrixFrom = 0, tolerance = 1e-5, iterations: most = 100 } = options;
  const posterior = voteShares(table);
  const model = newModel(table, matrixFrom);
  let logLikelihood = Number.NEGATIVE_INFINITY;
  let iterations = 0;
  let converged = false;
  count(table, posterior, model);
  while (iterations < most && !converged) {
    iterations += 1;
    const moved = maximise(table, model, smoothing);
    converged = moved <= tolerance;
    logLikelihood = expect(table, posterior, model);
  }
  return { posterior, prior: model.prior, confusion: model.confusion, logLikelihood, iterations, converged };
}

interface Model {
  readonly prior: Float64Array;
  readonly confusion: Float64Array;
  /** Expected counts, laid out like prior and confusion. */
  readonly priorCounts: Float64Array;
  readonly counts: Float64Array;
  readonly logPrior: Float64Array;
  readonly logs: Float64Array;
  /** Workers who have one accuracy. */
  readonly coins: readonly number[];
}

function newModel(table: AnswerTable, matrixFrom: number): Model {
  const { workers, classes } = table;
  const size = workers * classes * classes;
  return {
    prior: new Float64Array(classes),
    confusion: new Float64Array(size),
    priorCounts: new Float64Array(classes),
    counts: new Float64Array(size),
    logPrior: new Float64Array(classes),
    logs: new Float64Array(size),
    coins: [...answersOfWorkers(table).entries()].flatMap(([w, answers]) =>
      answers < matrixFrom ? [w] : [],
    ),
  };
}

/** The E-step, and in the same pass over the answers the counts for the next M-step. Returns the log-likelihood. */
function expect(table: AnswerTable, posterior: Posterior, model: Model): number {
  const { items, classes, start, worker, label } = table;
  const { logPrior, logs } = model;
  let logLikelihood = 0;
  clear(model);
  for (let i = 0; i < items; i++) {
    const from = start[i] as number;
    const to = start[i + 1] as number;
    const at = i * classes;
    for (let j = 0; j < classes; j++) {
      posterior[at + j] = logPrior[j] as number;
    }
    for (let k = from; k < to; k++) {
      const row = ((worker[k] as number) * classes + (label[k] as number)) * classes;
      for (let j = 0; j < classes; j++) {
        posterior[at + j] = (posterior[at + j] as number) + (logs[row + j] as number);
      }
    }
    const evidence = normalise(posterior, at, classes);
    logLikelihood += to > from ? evidence : 0;
    countItem(table, posterior, { model, item: i });
  }
  return logLikelihood;
}

function count(table: AnswerTable, posterior: Posterior, model: Model): void {
  clear(model);
  for (let item = 0; item < table.items; item++) {
    countItem(table, posterior, { model, item });
  }
}

function clear({ priorCounts, counts }: Model): void {
  priorCounts.fill(0);
  counts.fill(0);
}

/** Adds an item's posterior to the count of what each of its workers said. An item without answers counts for nothing. */
function countItem(
  { classes, start, worker, label }: AnswerTable,
  posterior: Posterior,
  { model: { priorCounts, counts }, item }: { model: Model; item: number },
): void {
  const from = start[item] as number;
  const to = start[item + 1] as number;
  const at = item * classes;
  for (let k = from; k < to; k++) {
    const row = ((worker[k] as number) * classes + (label[k] as number)) * classes;
    for (let j = 0; j < classes; j++) {
      counts[row + j] = (counts[row + j] as number) + (posterior[at + j] as number);
    }
  }
  for (let j = 0; to > from && j < classes; j++) {
    priorCounts[j] = (priorCounts[j] as number) + (posterior[at + j] as number);
  }
}

/** The M-step: shares of the counts. Returns by how much the parameter moved that moved most. */
function maximise({ workers, classes }: AnswerTable, model: Model, smoothing: number): number {
  for (const w of model.coins) {
    levelOut(model.counts.subarray(w * classes ** 2, (w + 1) * classes ** 2), classes);
  }
  let moved = share(model.priorCounts, model.prior, { at: 0, step: 1, classes, smoothing: 0 });
  for (let w = 0; w < workers; w++) {
    for (let j = 0; j < classes; j++) {
      const at = w * classes * classes + j;
      moved = Math.max(
        moved,
        share(model.counts, model.confusion, { at, step: classes, classes, smoothing }),
      );
    }
  }
  log(model.prior, model.logPrior);
  log(model.confusion, model.logs);
  return moved;
}

/** Makes the counts of one worker those of a coin: all truths as often right, all mistakes alike. */
function levelOut(counts: Float64Array, classes: number): void {
  let [right, total] = [0, 0];
  for (const [at, count] of counts.entries()) {
    total += count;
    right += at % (classes + 1) === 0 ? count : 0;
  }
  const wrong = (total - right) / Math.max(1, classes - 1);
  for (let at = 0; at < counts.length; at++) {
    counts[at] = at % (classes + 1) === 0 ? right : wrong;
  }
}

interface Run {
  readonly at: number;
  readonly step: number;
  readonly classes: number;
  readonly smoothing: number;
}

/** Makes `classes` counts shares of their sum; without any count, and no smoothing, they stay zero. */
function share(counts: Float64Array, shares: Float64Array, { at, step, classes, smoothing }: Run): number {
  const end = at + step * classes;
  let sum = 0;
  for (let k = at; k < end; k += step) {
    sum += (counts[k] as number) + smoothing;
  }
  let moved = 0;
  for (let k = at; k < end; k += step) {
    const value = sum > 0 ? ((counts[k] as number) + smoothing) / sum : 0;
    moved = Math.max(moved, Math.abs(value - (shares[k] as number)));
    shares[k] = value;
  }
  return moved;
}

function log(shares: Float64Array, logs: Float64Array): void {
  for (let k = 0; k < shares.length; k++) {
    logs[k] = Math.log(shares[k] as number);
  }
}
