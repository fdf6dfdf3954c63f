import type { AnswerTable } from './answers.js';
import { type Calibration, calibrate, LEAST } from './calibration.js';
import type { DawidSkene } from './dawid-skene.js';
import type { OneCoin } from './one-coin.js';
import { normalise, type Posterior } from './posterior.js';

/** One worker's answer to the item at hand. */
export interface Vote {
  readonly worker: number;
  readonly label: number;
}

/** Judges one item by what is kept of its workers; nothing else is looked at, so a new answer costs its own item only. */
export interface ItemModel {
  readonly classes: number;
  /** Probabilities of the classes of an item with these votes. A worker that the model does not know counts as an average one. */
  posterior(votes: Iterable<Vote>): Float64Array;
}

/** The votes of one item of a table. */
export function votesOf({ start, worker, label }: AnswerTable, item: number): Vote[] {
  const [from, to] = [start[item] ?? 0, start[item + 1] ?? 0];
  return Array.from({ length: to - from }, (_, k) => ({
    worker: worker[from + k] ?? 0,
    label: label[from + k] ?? 0,
  }));
}

/** Judges every item of a table. */
export function judge(table: AnswerTable, model: ItemModel): Posterior {
  const posterior = new Float64Array(table.items * table.classes);
  for (let i = 0; i < table.items; i++) {
    posterior.set(model.posterior(votesOf(table, i)), i * table.classes);
  }
  return posterior;
}

/** Shares of votes; equal shares without any. */
export function majorityModel(classes: number): ItemModel {
  return {
    classes,
    posterior(votes) {
      const shares = new Float64Array(classes);
      let total = 0;
      for (const { label } of votes) {
        shares[label] = (shares[label] ?? 0) + 1;
        total += 1;
      }
      return total === 0 ? shares.fill(1 / classes) : shares.map((count) => count / total);
    },
  };
}

/**
 * The E-step of a fitted Dawid-Skene model: for an item of the fit exactly what the fit says. An answer that makes every
 * class impossible (it was never seen, and nothing was smoothed) is taken for very unlikely instead.
 */
export function dawidSkeneModel({ prior, confusion }: DawidSkene): ItemModel {
  const classes = prior.length;
  const average = averageOf(confusion, classes);
  const sumOf = (votes: readonly Vote[], least: number): Float64Array => {
    const log = (p: number | undefined) => Math.log(Math.max(least, p ?? 0));
    const logs = prior.map(log);
    for (const { worker, label } of votes) {
      const known = (worker + 1) * classes ** 2 <= confusion.length;
      const row = (known ? worker * classes + label : label) * classes;
      for (let j = 0; j < classes; j++) {
        logs[j] = (logs[j] ?? 0) + log((known ? confusion : average)[row + j]);
      }
    }
    return logs;
  };
  return {
    classes,
    posterior(given) {
      const votes = [...given];
      const exact = sumOf(votes, 0);
      const logs = exact.some((log) => log > Number.NEGATIVE_INFINITY) ? exact : sumOf(votes, LEAST);
      normalise(logs, 0, classes);
      return logs;
    },
  };
}

/** The E-step of a fitted one-coin model. */
export function oneCoinModel({ accuracy }: OneCoin, classes: number): ItemModel {
  const weights = accuracy.map((q) => Math.log(q) - Math.log((1 - q) / Math.max(1, classes - 1)));
  const average = weights.reduce((sum, weight) => sum + weight, 0) / Math.max(1, weights.length);
  return {
    classes,
    posterior(votes) {
      const logs = new Float64Array(classes);
      for (const { worker, label } of votes) {
        logs[label] = (logs[label] ?? 0) + (weights[worker] ?? average);
      }
      normalise(logs, 0, classes);
      return logs;
    },
  };
}

/** A model that states what its calibration makes of it (fitCalibration). */
export function calibratedModel(model: ItemModel, calibration: Calibration): ItemModel {
  return {
    classes: model.classes,
    posterior: (votes) => calibrate(model.posterior(votes), model.classes, calibration),
  };
}

/** The mean of the workers' matrices. */
function averageOf(confusion: Float64Array, classes: number): Float64Array {
  const size = classes ** 2;
  const workers = Math.max(1, confusion.length / size);
  const average = new Float64Array(size);
  for (const [k, p] of confusion.entries()) {
    average[k % size] = (average[k % size] ?? 0) + p / workers;
  }
  return average;
}
