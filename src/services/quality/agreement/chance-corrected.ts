import { type Contingency, sharesOf } from './contingency.js';

// Coefficients of the form (observed - chance) / (1 - chance) that differ in what they take for chance.

/** Units in rows, values in columns: how many answers of the unit have the value. Units may differ in their answers. */
export type ValueCounts = readonly (readonly number[])[];

/** Fleiss' kappa; z only where every unit has the same number of answers, since its standard error assumes that. */
export interface FleissKappa {
  readonly kappa: number;
  readonly z: number | null;
}

/**
 * Fleiss' kappa of any number of experts. Units with fewer answers count towards chance, and from two answers on towards
 * agreement (irrCAC's extension; with equal numbers it is Fleiss 1971). One value only: 1 by definition. Null where no unit
 * has two answers. The standard error is that of Fleiss, Nee & Landis 1979.
 */
export function fleissKappa(units: ValueCounts): FleissKappa | null {
  const shares = meanShares(units);
  const observed = agreement(units);
  if (observed === null) {
    return null;
  }
  const kappa = corrected(
    observed,
    shares.reduce((sum, share) => sum + share ** 2, 0),
  );
  return { kappa, z: zOf(kappa, units, shares) };
}

/**
 * Gwet's AC1 of any number of experts: chance is 1/(q - 1) Σ π(1 - π) over the q values, so that it does not fall apart
 * where nearly everything has one value. All q columns count as values of the scale. Gwet 2008. Null as for Fleiss.
 */
export function gwetAc1(units: ValueCounts): number | null {
  const shares = meanShares(units);
  const observed = agreement(units);
  if (observed === null) {
    return null;
  }
  const spread = shares.reduce((sum, share) => sum + share * (1 - share), 0);
  return corrected(observed, shares.length > 1 ? spread / (shares.length - 1) : 1);
}

/** Scott's pi of two experts: chance from the values' shares among all answers of both. Scott 1955. */
export function scottPi(table: Contingency): number | null {
  const { total, cells, rows, columns } = sharesOf(table);
  if (total === 0) {
    return null;
  }
  const observed = cells.reduce((sum, row, at) => sum + (row[at] ?? 0), 0);
  const expected = rows.reduce((sum, row, at) => sum + ((row + (columns[at] ?? 0)) / 2) ** 2, 0);
  return corrected(observed, expected);
}

/** Each unit of a table of two experts as its counts of values, for the coefficients of many experts. */
export function countsOfPairs(table: Contingency): number[][] {
  return table.flatMap((row, i) =>
    row.flatMap((count, j) =>
      Array.from({ length: count }, () => table.map((_row, at) => Number(at === i) + Number(at === j))),
    ),
  );
}

function corrected(observed: number, chance: number): number {
  return chance >= 1 ? 1 : (observed - chance) / (1 - chance);
}

/** The share of agreeing pairs of a unit, averaged over the units with two answers or more. */
function agreement(units: ValueCounts): number | null {
  const shares = units.flatMap((counts) => {
    const size = sizeOf(counts);
    const agreeing = counts.reduce((sum, count) => sum + count * (count - 1), 0);
    return size < 2 ? [] : [agreeing / (size * (size - 1))];
  });
  return shares.length === 0 ? null : mean(shares);
}

/** The share of each value, averaged over the units with answers. */
function meanShares(units: ValueCounts): number[] {
  const answered = units.filter((counts) => sizeOf(counts) > 0);
  return (units[0] ?? []).map((_count, at) =>
    mean(answered.map((counts) => (counts[at] ?? 0) / sizeOf(counts))),
  );
}

function zOf(kappa: number, units: ValueCounts, shares: readonly number[]): number | null {
  const size = sizeOf(units[0] ?? []);
  const spread = shares.reduce((sum, p) => sum + p * (1 - p), 0);
  if (spread === 0 || units.some((counts) => sizeOf(counts) !== size)) {
    return null;
  }
  const skew = shares.reduce((sum, p) => sum + p * (1 - p) * (1 - 2 * p), 0);
  const variance = (2 * (spread ** 2 - skew)) / (units.length * size * (size - 1) * spread ** 2);
  return kappa / Math.sqrt(variance);
}

function sizeOf(counts: readonly number[]): number {
  return counts.reduce((sum, count) => sum + count, 0);
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
