import { compareValues, type Value } from './scales.js';

/** How often the first of two experts said the value of a row while the second said that of a column. Square. */
export type Contingency = readonly (readonly number[])[];

/** Pairs of answers, the first expert's and the second's, and how many there are of them: one where nothing is said. */
export type CountedPair = readonly [one: Value, other: Value, count?: number];

/** The table of pairs over the values that occur, smallest first. */
export function contingencyOf(pairs: readonly CountedPair[]): number[][] {
  const values = [...new Set([...pairs.map(([one]) => one), ...pairs.map(([, other]) => other)])].sort(
    compareValues,
  );
  const places = new Map(values.map((value, place) => [value, place]));
  const table = values.map(() => values.map(() => 0));
  for (const [one, other, count = 1] of pairs) {
    const row = table[places.get(one) ?? 0] ?? [];
    const column = places.get(other) ?? 0;
    row[column] = (row[column] ?? 0) + count;
  }
  return table;
}

/** A table as shares of its total, without the values that neither expert ever used. */
export interface Shares {
  readonly total: number;
  readonly cells: readonly (readonly number[])[];
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

/**
 * Shares of a table. A value that neither expert used is dropped, as R's irr does: with weights it would only stretch the
 * scale. @throws RangeError where the table is not square or has a count below zero
 */
export function sharesOf(table: Contingency): Shares {
  if (table.some((row) => row.length !== table.length || row.some((count) => !(count >= 0)))) {
    throw new RangeError('A contingency table is square and holds counts.');
  }
  const used = table.map(
    (row, at) => row.some((count) => count > 0) || table.some((other) => (other[at] ?? 0) > 0),
  );
  const kept = table.filter((_row, at) => used[at]).map((row) => row.filter((_count, at) => used[at]));
  const total = kept.flat().reduce((sum, count) => sum + count, 0);
  const cells = kept.map((row) => row.map((count) => count / total));
  return {
    total,
    cells,
    rows: cells.map((row) => row.reduce((sum, share) => sum + share, 0)),
    columns: cells.map((_row, at) => cells.reduce((sum, row) => sum + (row[at] ?? 0), 0)),
  };
}
