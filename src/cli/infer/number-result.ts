import {
  inferNumeric,
  type KnownValue,
  NUMERIC_METHODS,
  type NumericMethod,
} from '../../services/quality/inference/infer-numeric.js';
import type { NumberSet } from './number-set.js';
import { meanOf } from './result.js';

/** What a method says of numbers. Null where there is nothing to measure by. */
export interface NumberMethodResult {
  /** Mean distance from the truth, on every item whose truth is known. */
  readonly meanError: number | null;
  /** The same without the items that were given as gold, and on those alone. */
  readonly meanErrorOffGold: number | null;
  readonly meanErrorOnGold: number | null;
  /** The root of the mean squared distance, on every item whose truth is known. */
  readonly rootMeanSquare: number | null;
}

export type NumberResult = Readonly<Record<NumericMethod, NumberMethodResult>> & {
  readonly chosen: NumericMethod;
  /** How far off the values by precision may be on average: a standard deviation, if the model holds. */
  readonly statedDeviation: number | null;
  readonly items: number;
  readonly workers: number;
  readonly answers: number;
  readonly truths: number;
  readonly gold: number;
};

/** Judges a set of numbers by every method. Nothing but `gold` of what is known is looked at before they have decided. */
export function numberResultOf(
  { table }: NumberSet,
  { known, gold }: { known: readonly KnownValue[]; gold: readonly KnownValue[] },
): NumberResult {
  const { values, deviation, chosen } = inferNumeric(table, gold);
  const given = new Set(gold.map(({ item }) => item));
  const others = known.filter(({ item }) => !given.has(item));
  const resultOf = (method: NumericMethod): NumberMethodResult => {
    const errorOf = ({ item, value }: KnownValue) => Math.abs((values[method][item] ?? Number.NaN) - value);
    const square = meanOf(known.map((one) => errorOf(one) ** 2));
    return {
      meanError: meanOf(known.map(errorOf)),
      meanErrorOffGold: meanOf(others.map(errorOf)),
      meanErrorOnGold: meanOf(gold.map(errorOf)),
      rootMeanSquare: square === null ? null : meanOf([Math.sqrt(square)]),
    };
  };
  const [median, precision] = NUMERIC_METHODS.map(resultOf);
  if (median === undefined || precision === undefined) {
    throw new Error('There are two methods.');
  }
  return {
    ...{ median, precision, chosen },
    statedDeviation: meanOf([...deviation].filter((one) => !Number.isNaN(one))),
    ...{ items: table.items, workers: table.workers, answers: table.value.length },
    ...{ truths: known.length, gold: gold.length },
  };
}
