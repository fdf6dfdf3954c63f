import { describe, expect, test } from 'vitest';
import {
  countsOfPairs,
  fleissKappa,
  gwetAc1,
  scottPi,
} from '../../src/services/quality/agreement/chance-corrected.js';
import { cohenKappa } from '../../src/services/quality/agreement/cohen.js';
import { krippendorffAlpha } from '../../src/services/quality/agreement/krippendorff.js';
import type { Value } from '../../src/services/quality/agreement/scales.js';
import { ALPHA_CASES, type AlphaCase, COHEN_CASES, FLEISS_CASES } from './support/agreement-cases.js';

const words = (rows: readonly string[]) =>
  rows.flatMap((row) => row.split(' / ')).map((row) => row.split(' '));
const numbers = (rows: readonly string[]) => words(rows).map((row) => row.map(Number));
const readValue = (word: string): Value => (Number.isNaN(Number(word)) ? word : Number(word));

function unitsOf({ rows, by }: Pick<AlphaCase, 'rows' | 'by'>): Value[][] {
  const table = words(rows);
  const units =
    by === 'unit' ? table : (table[0] ?? []).map((_word, unit) => table.map((row) => row[unit] ?? '*'));
  return units.map((unit) => unit.filter((word) => word !== '*').map(readValue));
}

function expectWithin(
  value: number | null | undefined,
  { expected, tolerance }: { expected: number; tolerance: number },
) {
  expect(Math.abs((value ?? Number.NaN) - expected)).toBeLessThanOrEqual(tolerance);
}

test.each(ALPHA_CASES)('alpha, $scale, $name: $expected', (published) => {
  expectWithin(krippendorffAlpha(unitsOf(published), published.scale), published);
});

test.each(COHEN_CASES)("Cohen's kappa, $name: $expected", (published) => {
  expectWithin(cohenKappa(numbers(published.rows), published.weighting)?.kappa, published);
});

test.each(FLEISS_CASES)("Fleiss' kappa, $name: $expected", (published) => {
  expectWithin(fleissKappa(numbers(published.rows))?.kappa, published);
});

const tableOf = (cases: readonly { name: string; rows: readonly string[] }[], name: string) =>
  numbers(cases.find((published) => published.name.startsWith(name))?.rows ?? []);

describe('what else is published of these tables', () => {
  const sas = tableOf(COHEN_CASES, 'SAS example');
  const abstractors = tableOf(COHEN_CASES, 'irrCAC cont3x3');
  const diagnoses = tableOf(FLEISS_CASES, 'Fleiss 1971');
  const fifteen = tableOf(FLEISS_CASES, 'irrCAC distrib');

  test('standard error, interval and z as SAS prints them (statsmodels, test_inter_rater.py)', () => {
    const plain = cohenKappa(sas);
    expect(plain?.standardError).toBeCloseTo(0.138, 4);
    expect(plain?.interval?.[0]).toBeCloseTo(0.2137, 3);
    expect(plain?.interval?.[1]).toBeCloseTo(0.7547, 3);
    expect(plain?.z).toBeCloseTo(3.2626, 4);
    const linear = cohenKappa(sas, 'LINEAR');
    expect(linear?.standardError).toBeCloseTo(0.1457, 4);
    expect(linear?.interval?.[0]).toBeCloseTo(0.1845, 3);
    expect(linear?.interval?.[1]).toBeCloseTo(0.7558, 3);
  });

  test('an interval goes no further than kappa does', () => {
    const sparse = [
      [1, 0],
      [1, 3],
    ];
    const { kappa, standardError, interval } = cohenKappa(sparse) ?? {};
    expect((kappa ?? 0) + 1.96 * (standardError ?? 0)).toBeGreaterThan(1);
    expect(interval?.[1]).toBe(1);
    expect(
      cohenKappa([
        [0, 2],
        [1, 0],
      ])?.interval?.[0],
    ).toBeGreaterThanOrEqual(-1);
  });

  test('two abstractors: pi .7962397, AC1 .8493305, alpha .7972585, observed .89 (irrCAC, README)', () => {
    const counts = countsOfPairs(abstractors);
    const units = counts.map((unit) => unit.flatMap((count, at) => Array.from({ length: count }, () => at)));
    expect(scottPi(abstractors)).toBeCloseTo(0.7962397, 7);
    expect(gwetAc1(counts)).toBeCloseTo(0.8493305, 7);
    expect(krippendorffAlpha(units, 'NOMINAL')).toBeCloseTo(0.7972585, 7);
    expect(cohenKappa(abstractors)?.observed).toBeCloseTo(0.89, 12);
  });

  test('psychiatric diagnoses: z 17.65183 (R irr); the first fifteen: AC1 .4448007 (irrCAC, README)', () => {
    expect(fleissKappa(diagnoses)?.z).toBeCloseTo(17.65183, 4);
    expect(gwetAc1(fifteen)).toBeCloseTo(0.4448007, 7);
  });

  test('with answers missing: Fleiss .76117 and AC1 .77544 of the four coders (irrCAC, README)', () => {
    const coders = ALPHA_CASES.find(({ name }) => name.startsWith('Krippendorff "C"'));
    const units = unitsOf(coders ?? { rows: [], by: 'unit' });
    const counts = units.map((unit) =>
      [1, 2, 3, 4, 5].map((value) => unit.filter((said) => said === value).length),
    );
    expect(fleissKappa(counts)?.kappa).toBeCloseTo(0.76117, 5);
    expect(gwetAc1(counts)).toBeCloseTo(0.77544, 5);
  });
});
