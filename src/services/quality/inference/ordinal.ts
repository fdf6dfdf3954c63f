import type { AnswerTable } from './answers.js';
import type { Known } from './choose.js';
import type { ItemModel } from './item-model.js';
import { voteShares } from './majority.js';
import { normalise, type Posterior } from './posterior.js';

/** What a mistake by d classes costs: d, or d². */
export type OrdinalLoss = 'ABSOLUTE' | 'SQUARED';

/**
 * The class of each item that costs least by its posterior where classes have an order: by ABSOLUTE loss the median, by
 * SQUARED the class next to the mean; of classes that cost the same, the first.
 */
export function leastLoss(posterior: Posterior, classes: number, loss: OrdinalLoss = 'ABSOLUTE'): Int32Array {
  const cost = (distance: number) => (loss === 'ABSOLUTE' ? Math.abs(distance) : distance ** 2);
  return Int32Array.from({ length: posterior.length / classes }, (_, item) => {
    const shares = posterior.subarray(item * classes, (item + 1) * classes);
    const costs = Array.from(shares, (_share, chosen) =>
      shares.reduce((sum, share, j) => sum + share * cost(j - chosen), 0),
    );
    return costs.reduce((best, value, chosen) => (value < (costs[best] ?? 0) - ROUNDING ? chosen : best), 0);
  });
}

const ROUNDING = 1e-12;

/** How near the median of an item's posterior is to the truth: 1 where it is the truth, 0 at the other end of the scale. */
export function nearness(posterior: Posterior, classes: number, { item, truth }: Known): number {
  const [median = 0] = leastLoss(posterior.subarray(item * classes, (item + 1) * classes), classes);
  return classes < 2 ? 1 : 1 - Math.abs(median - truth) / (classes - 1);
}

export interface OrdinalFit {
  readonly posterior: Posterior;
  /** How fast each worker's errors die away with the distance from the truth: P(says l | truth j) ∝ exp(-κ |l - j|). */
  readonly precision: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
}

/** κ from hardly better than chance to hardly ever off by one: exp(-8) is a third of a thousandth. */
const STEPS_A_UNIT = 8;
const PRECISIONS = Float64Array.from({ length: 65 }, (_, step) => step / STEPS_A_UNIT);

/**
 * Answers of an average worker that are added to each worker's own, so that three exact ones are no proof of perfection.
 * As many as the gold rule takes for a worker's mean.
 */
const STRENGTH = 4;

/**
 * Truth on an ordered scale and one precision a worker by expectation and maximisation: near misses are likelier than far
 * ones, which neither one coin nor, with few answers, a whole matrix can say. A discrete Laplace distribution around the
 * truth, truncated to the scale; classes are equally likely beforehand; precisions on a grid of eighths.
 */
export function ordinalFit(
  table: AnswerTable,
  { tolerance = 1e-5, iterations: most = 100 }: { tolerance?: number; iterations?: number } = {},
): OrdinalFit {
  const posterior = voteShares(table);
  const precision = new Float64Array(table.workers);
  const normaliser = logNormalisers(table.classes);
  let iterations = 0;
  let converged = false;
  while (iterations < most && !converged) {
    iterations += 1;
    const moved = maximise({ table, posterior, normaliser }, precision);
    converged = expect({ table, posterior, normaliser }, precision) <= tolerance && moved === 0;
  }
  return { posterior, precision, iterations, converged };
}

/** The E-step of a fitted ordinal model. A worker whom it does not know counts as an average one. */
export function ordinalModel({ precision }: OrdinalFit, classes: number): ItemModel {
  const normaliser = logNormalisers(classes);
  const mean = precision.reduce((sum, kappa) => sum + kappa, 0) / Math.max(1, precision.length);
  const average = Math.round(mean * STEPS_A_UNIT) / STEPS_A_UNIT;
  return {
    classes,
    posterior(votes) {
      const logs = new Float64Array(classes);
      for (const { worker, label } of votes) {
        weigh({ logs, normaliser, label }, precision[worker] ?? average);
      }
      normalise(logs, 0, classes);
      return logs;
    },
  };
}

/** P(says l | truth j) of a precision, by truth and answer. */
export function errorsOf(kappa: number, classes: number): number[][] {
  return Array.from({ length: classes }, (_, truth) => {
    const weights = Array.from({ length: classes }, (_said, said) =>
      Math.exp(-kappa * Math.abs(said - truth)),
    );
    const all = weights.reduce((sum, weight) => sum + weight, 0);
    return weights.map((weight) => weight / all);
  });
}

interface Step {
  readonly table: AnswerTable;
  readonly posterior: Posterior;
  /** κ's place × classes + truth: log Σ_l exp(-κ |l - truth|). */
  readonly normaliser: Float64Array;
}

function logNormalisers(classes: number): Float64Array {
  const logs = new Float64Array(PRECISIONS.length * classes);
  for (const [step, precision] of PRECISIONS.entries()) {
    for (let j = 0; j < classes; j++) {
      let sum = 0;
      for (let l = 0; l < classes; l++) {
        sum += Math.exp(-precision * Math.abs(l - j));
      }
      logs[step * classes + j] = Math.log(sum);
    }
  }
  return logs;
}

/** What decides a worker's likelihood: how often each class was true, and the whole distance from the truth. */
interface Sums {
  readonly truths: Float64Array;
  readonly distances: Float64Array;
}

function sumsOf({ table, posterior }: Step): Sums {
  const { items, workers, classes, start, worker, label } = table;
  const sums = { truths: new Float64Array(workers * classes), distances: new Float64Array(workers) };
  for (let i = 0; i < items; i++) {
    for (let k = start[i] as number; k < (start[i + 1] as number); k++) {
      const [w, l] = [worker[k] as number, label[k] as number];
      for (let j = 0; j < classes; j++) {
        const share = posterior[i * classes + j] as number;
        sums.truths[w * classes + j] = (sums.truths[w * classes + j] as number) + share;
        sums.distances[w] = (sums.distances[w] as number) + share * Math.abs(l - j);
      }
    }
  }
  return sums;
}

/** Takes the likeliest precision of each worker, with a few answers of the average one. Returns how many changed. */
function maximise(step: Step, precision: Float64Array): number {
  const { workers, classes, worker } = step.table;
  const { truths, distances } = sumsOf(step);
  const share = STRENGTH / Math.max(1, worker.length);
  const allTruths = Float64Array.from({ length: classes }, (_, j) =>
    truths.reduce((sum, count, at) => sum + (at % classes === j ? count * share : 0), 0),
  );
  const allDistances = distances.reduce((sum, distance) => sum + distance * share, 0);
  let changed = 0;
  for (let w = 0; w < workers; w++) {
    const own = allTruths.map((count, j) => count + (truths[w * classes + j] as number));
    const value = likeliestPrecision(own, allDistances + (distances[w] as number), step.normaliser);
    changed += Number(value !== precision[w]);
    precision[w] = value;
  }
  return changed;
}

function likeliestPrecision(truths: Float64Array, distance: number, normaliser: Float64Array): number {
  let [best, least] = [0, Number.POSITIVE_INFINITY];
  for (const [place, precision] of PRECISIONS.entries()) {
    let cost = precision * distance;
    for (let j = 0; j < truths.length; j++) {
      cost += (truths[j] as number) * (normaliser[place * truths.length + j] as number);
    }
    if (cost < least) {
      [best, least] = [precision, cost];
    }
  }
  return best;
}

/** Returns by how much the probability moved that moved most. */
function expect({ table, posterior, normaliser }: Step, precision: Float64Array): number {
  const { items, classes, start, worker, label } = table;
  const logs = new Float64Array(classes);
  let moved = 0;
  for (let i = 0; i < items; i++) {
    logs.fill(0);
    for (let k = start[i] as number; k < (start[i + 1] as number); k++) {
      weigh({ logs, normaliser, label: label[k] as number }, precision[worker[k] as number] as number);
    }
    normalise(logs, 0, classes);
    for (let j = 0; j < classes; j++) {
      moved = Math.max(moved, Math.abs((logs[j] as number) - (posterior[i * classes + j] as number)));
      posterior[i * classes + j] = logs[j] as number;
    }
  }
  return moved;
}

/** Adds what one answer of a worker of precision κ says of each class. */
function weigh(
  { logs, normaliser, label }: { logs: Float64Array; normaliser: Float64Array; label: number },
  kappa: number,
): void {
  const row = kappa * STEPS_A_UNIT * logs.length;
  for (let j = 0; j < logs.length; j++) {
    logs[j] = (logs[j] as number) - kappa * Math.abs(label - j) - (normaliser[row + j] as number);
  }
}
