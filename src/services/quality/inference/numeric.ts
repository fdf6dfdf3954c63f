/** Numeric answers, item by item like AnswerTable: those to item i are at `start[i]` up to, without, `start[i + 1]`. */
export interface NumericTable {
  readonly items: number;
  readonly workers: number;
  readonly start: Int32Array;
  readonly worker: Int32Array;
  readonly value: Float64Array;
}

export interface NumericFit {
  /** The value of each item; NaN for an item without answers. */
  readonly value: Float64Array;
  /** How far off it may be: one standard deviation, if the model holds. */
  readonly deviation: Float64Array;
  /** What each worker's answers are above the truth on average, and how much they scatter around that. */
  readonly bias: Float64Array;
  readonly scatter: Float64Array;
  readonly iterations: number;
  readonly converged: boolean;
}

/** The tails of Student's distribution: an answer four deviations off weighs a quarter of one at the centre. */
const FREEDOM = 4;

/** Answers of an average worker that are added to each worker's own. */
const STRENGTH = 4;

/** No worker scatters less than this share of the average: one who once hit the value would decide everything alone. */
const LEAST_SCATTER = 0.1;

/**
 * Truth on an interval scale: answer = truth + bias of the worker + error, errors of a worker's own scatter and with heavy
 * tails (Student's t with 4 degrees of freedom), so that one slip of a good worker moves little. By expectation and maximisation from the
 * median; biases and scatters are shrunk to none and to the common one. The mean of all biases is zero: nobody knows
 * what everybody overlooks. Moves and stretches with the unit of measurement.
 * (Lange, Little & Taylor 1989 for the weights; Raykar et al. 2010, section 4, for the precision of annotators.)
 */
export function numericFit(
  table: NumericTable,
  { tolerance = 1e-6, iterations: most = 200 }: { tolerance?: number; iterations?: number } = {},
): NumericFit {
  const fit = begin(table);
  const scale = fit.common;
  let iterations = 0;
  let converged = scale === 0;
  while (iterations < most && !converged) {
    iterations += 1;
    weigh(table, fit);
    describeWorkers(table, fit);
    converged = locate(table, fit) <= tolerance * scale;
  }
  const { value, deviation, bias, scatter } = fit;
  return { value, deviation, bias, scatter, iterations, converged };
}

/** The median of each item's answers; NaN for an item without answers. */
export function medians({ items, start, value }: NumericTable): Float64Array {
  return Float64Array.from({ length: items }, (_, i) => medianOf(value.slice(start[i], start[i + 1])));
}

interface Fit {
  readonly value: Float64Array;
  readonly deviation: Float64Array;
  readonly bias: Float64Array;
  readonly scatter: Float64Array;
  /** Of each answer: the tails' weight. */
  readonly weight: Float64Array;
  /** The scatter of all workers together. */
  common: number;
}

function begin(table: NumericTable): Fit {
  const value = medians(table);
  const residuals = new Float64Array(table.value.length);
  eachAnswer(table, (k, i) => {
    residuals[k] = ((table.value[k] as number) - (value[i] as number)) ** 2;
  });
  const common = Math.sqrt(
    residuals.reduce((sum, square) => sum + square, 0) / Math.max(1, residuals.length),
  );
  return {
    value,
    deviation: new Float64Array(table.items),
    bias: new Float64Array(table.workers),
    scatter: new Float64Array(table.workers).fill(common),
    weight: new Float64Array(table.value.length).fill(1),
    common,
  };
}

function weigh(table: NumericTable, { value, bias, scatter, weight }: Fit): void {
  eachAnswer(table, (k, i, w) => {
    const off =
      ((table.value[k] as number) - (value[i] as number) - (bias[w] as number)) / (scatter[w] as number);
    weight[k] = (FREEDOM + 1) / (FREEDOM + off ** 2);
  });
}

function describeWorkers(table: NumericTable, fit: Fit): void {
  const sums = { weight: new Float64Array(table.workers), off: new Float64Array(table.workers) };
  eachAnswer(table, (k, i, w) => {
    const weight = fit.weight[k] as number;
    sums.weight[w] = (sums.weight[w] as number) + weight;
    sums.off[w] = (sums.off[w] as number) + weight * ((table.value[k] as number) - (fit.value[i] as number));
  });
  for (let w = 0; w < table.workers; w++) {
    fit.bias[w] = (sums.off[w] as number) / ((sums.weight[w] as number) + STRENGTH);
  }
  centre(fit.bias, sums.weight);
  spread(table, fit);
}

/** Takes the common part out of the biases, each worker counted as much as their answers. */
function centre(bias: Float64Array, weights: Float64Array): void {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean =
    bias.reduce((sum, b, w) => sum + b * (weights[w] as number), 0) / Math.max(Number.MIN_VALUE, total);
  for (const [w, b] of bias.entries()) {
    bias[w] = b - mean;
  }
}

function spread(table: NumericTable, fit: Fit): void {
  const { workers, value: answers } = table;
  const squares = new Float64Array(workers);
  const counts = new Float64Array(workers);
  eachAnswer(table, (k, i, w) => {
    const off = (answers[k] as number) - (fit.value[i] as number) - (fit.bias[w] as number);
    // The truth itself is only known to a deviation, and part of each answer is in it.
    squares[w] =
      (squares[w] as number) + (fit.weight[k] as number) * off ** 2 + (fit.deviation[i] as number) ** 2;
    counts[w] = (counts[w] as number) + 1;
  });
  const total = squares.reduce((sum, square) => sum + square, 0);
  fit.common = Math.sqrt(total / Math.max(1, answers.length));
  for (let w = 0; w < workers; w++) {
    const mean = ((squares[w] as number) + STRENGTH * fit.common ** 2) / ((counts[w] as number) + STRENGTH);
    fit.scatter[w] = Math.max(Math.sqrt(mean), LEAST_SCATTER * fit.common, Number.MIN_VALUE);
  }
}

/** The weighted mean of each item's answers without their biases. Returns by how much the value moved that moved most. */
function locate(table: NumericTable, fit: Fit): number {
  let moved = 0;
  for (let i = 0; i < table.items; i++) {
    let [sum, weights] = [0, 0];
    for (let k = table.start[i] as number; k < (table.start[i + 1] as number); k++) {
      const w = table.worker[k] as number;
      const weight = (fit.weight[k] as number) / (fit.scatter[w] as number) ** 2;
      sum += weight * ((table.value[k] as number) - (fit.bias[w] as number));
      weights += weight;
    }
    const value = weights > 0 ? sum / weights : Number.NaN;
    moved = Math.max(moved, weights > 0 ? Math.abs(value - (fit.value[i] as number)) : 0);
    fit.value[i] = value;
    fit.deviation[i] = weights > 0 ? Math.sqrt(1 / weights) : Number.NaN;
  }
  return moved;
}

function eachAnswer(
  { items, start, worker }: NumericTable,
  see: (k: number, i: number, w: number) => void,
): void {
  for (let i = 0; i < items; i++) {
    for (let k = start[i] as number; k < (start[i + 1] as number); k++) {
      see(k, i, worker[k] as number);
    }
  }
}

function medianOf(values: Float64Array): number {
  const sorted = values.sort();
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}
