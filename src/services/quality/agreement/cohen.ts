import { type Contingency, type Shares, sharesOf } from './contingency.js';

/** How near misses count: NONE as misses; LINEAR and SQUARED by how many used values apart they are. */
export type Weighting = 'NONE' | 'LINEAR' | 'SQUARED';

/** Cohen's kappa of two experts, with how sure it is. */
export interface Kappa {
  readonly kappa: number;
  /** Asymptotic standard error of kappa, not assuming that it is zero; null where there is nothing to correct for. */
  readonly standardError: number | null;
  /** kappa ± 1.96 standard errors, no further than kappa reaches: -1 to 1. */
  readonly interval: readonly [number, number] | null;
  /** kappa over its standard error under the hypothesis that the two answer independently. */
  readonly z: number | null;
  /** Weighted share of units on which they agree, and what chance alone would give. */
  readonly observed: number;
  readonly expected: number;
}

const NORMAL_975 = 1.959963984540054;

/**
 * Cohen's (weighted) kappa of a contingency table. Values that neither expert used are dropped. Where both always say one
 * and the same value, kappa is 1 by definition; null where the table is empty.
 * Cohen 1960, 1968; standard errors by Fleiss, Cohen & Everitt 1969 (as SAS prints them).
 */
export function cohenKappa(table: Contingency, weighting: Weighting = 'NONE'): Kappa | null {
  const shares = sharesOf(table);
  if (shares.total === 0) {
    return null;
  }
  const weight = weightOf(weighting, shares.cells.length);
  const observed = sumOver(shares, (i, j) => weight(i, j) * (shares.cells[i]?.[j] ?? 0));
  const expected = sumOver(shares, (i, j) => weight(i, j) * chance(shares, i, j));
  if (shares.cells.length === 1) {
    return { kappa: 1, standardError: null, interval: null, z: null, observed, expected };
  }
  const kappa = (observed - expected) / (1 - expected);
  const { standardError, underChance } = errorsOf(shares, weight, { kappa, expected });
  return {
    kappa,
    standardError,
    interval: [
      Math.max(-1, kappa - NORMAL_975 * standardError),
      Math.min(1, kappa + NORMAL_975 * standardError),
    ],
    z: underChance > 0 ? kappa / underChance : null,
    observed,
    expected,
  };
}

type Weight = (i: number, j: number) => number;

function weightOf(weighting: Weighting, values: number): Weight {
  const furthest = Math.max(1, values - 1);
  switch (weighting) {
    case 'NONE':
      return (i, j) => (i === j ? 1 : 0);
    case 'LINEAR':
      return (i, j) => 1 - Math.abs(i - j) / furthest;
    case 'SQUARED':
      return (i, j) => 1 - ((i - j) / furthest) ** 2;
  }
}

function errorsOf(
  shares: Shares,
  weight: Weight,
  { kappa, expected }: { kappa: number; expected: number },
): { standardError: number; underChance: number } {
  const byRow = shares.rows.map((_row, i) => dot(shares.columns, (j) => weight(i, j)));
  const byColumn = shares.columns.map((_column, j) => dot(shares.rows, (i) => weight(i, j)));
  const means: Weight = (i, j) => (byRow[i] ?? 0) + (byColumn[j] ?? 0);
  const spread =
    sumOver(shares, (i, j) => (shares.cells[i]?.[j] ?? 0) * (weight(i, j) - means(i, j) * (1 - kappa)) ** 2) -
    (kappa - expected * (1 - kappa)) ** 2;
  const chanceSpread =
    sumOver(shares, (i, j) => chance(shares, i, j) * (weight(i, j) - means(i, j)) ** 2) - expected ** 2;
  const scale = (1 - expected) * Math.sqrt(shares.total);
  return {
    standardError: Math.sqrt(Math.max(0, spread)) / scale,
    underChance: Math.sqrt(Math.max(0, chanceSpread)) / scale,
  };
}

function chance({ rows, columns }: Shares, i: number, j: number): number {
  return (rows[i] ?? 0) * (columns[j] ?? 0);
}

function sumOver({ rows, columns }: Shares, term: Weight): number {
  return rows.reduce((sum, _row, i) => sum + columns.reduce((inner, _column, j) => inner + term(i, j), 0), 0);
}

function dot(shares: readonly number[], term: (at: number) => number): number {
  return shares.reduce((sum, share, at) => sum + share * term(at), 0);
}
