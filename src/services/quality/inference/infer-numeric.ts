import { choose } from './choose.js';
import { medians, type NumericTable, numericFit } from './numeric.js';

/** An item whose value is known. */
export interface KnownValue {
  readonly item: number;
  readonly value: number;
}

/** In the order in which ties are broken. */
export const NUMERIC_METHODS = ['median', 'precision'] as const;
export type NumericMethod = (typeof NUMERIC_METHODS)[number];

export interface NumericInference {
  readonly values: Readonly<Record<NumericMethod, Float64Array>>;
  /** How far off the values by precision may be: one standard deviation, if its model holds. */
  readonly deviation: Float64Array;
  /** Mean distance from the truth on gold; null without gold. */
  readonly error: Readonly<Record<NumericMethod, number | null>>;
  readonly chosen: NumericMethod;
}

/**
 * The value of each item of one numeric dimension by the median of its answers and by the precision of its workers
 * (numericFit), and which of them to use: by the distance from what is known of gold, which neither has looked at; where gold
 * cannot tell by one standard error, by the squared distance.
 */
export function inferNumeric(table: NumericTable, gold: readonly KnownValue[]): NumericInference {
  const fit = numericFit(table);
  const values = { median: medians(table), precision: fit.value };
  const answered = gold.filter(({ item }) => !Number.isNaN(values.median[item] ?? Number.NaN));
  const distances = (method: NumericMethod) =>
    answered.map(({ item, value }) => Math.abs((values[method][item] ?? 0) - value));
  const trials = NUMERIC_METHODS.map((method) => ({
    method,
    credits: distances(method).map((distance) => -distance),
    loss: sumOf(distances(method).map((distance) => distance ** 2)),
  }));
  const errorOf = (method: NumericMethod) =>
    answered.length === 0 ? null : sumOf(distances(method)) / answered.length;
  return {
    values,
    deviation: fit.deviation,
    error: { median: errorOf('median'), precision: errorOf('precision') },
    chosen: choose(trials),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}
