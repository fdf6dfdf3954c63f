import { expect, test } from 'vitest';
import { fleissKappa, gwetAc1 } from '../../src/services/quality/agreement/chance-corrected.js';
import { coincidenceChanges } from '../../src/services/quality/agreement/coincidences.js';
import { chanceCorrectedOf } from '../../src/services/quality/agreement/from-counts.js';
import { randomOf } from '../soak/random.js';

// Fleiss' kappa and Gwet's AC1 of kept counts are those of the units that were counted (published values:
// agreement-published.test.ts).
const VALUES = ['a', 'b', 'c', 'd'];

/** What is kept of units, in one order of a pair or in both. */
function readingOf(units: readonly (readonly string[])[], isBoth: boolean) {
  const cells = units
    .flatMap((unit) => coincidenceChanges([], unit))
    .flatMap(({ size, one, other, pairs }): [number, string, string, number][] =>
      isBoth && one !== other
        ? [
            [size, String(one), String(other), pairs / 2],
            [size, String(other), String(one), pairs / 2],
          ]
        : [[size, String(one), String(other), pairs]],
    );
  return { scale: 'NOMINAL', form: 'CLASSES', cells, expected: null, ratio: null } as const;
}

const countsOf = (units: readonly (readonly string[])[]) =>
  units.map((unit) => VALUES.map((value) => unit.filter((said) => said === value).length));

function drawn(seed: number, sizeOf: (draw: number) => number): string[][] {
  const random = randomOf(seed);
  const say = () => VALUES[Math.floor(random() ** 2 * VALUES.length)] ?? 'a';
  return Array.from({ length: 40 }, () => Array.from({ length: sizeOf(random()) }, say));
}

test.each([1, 2, 3, 4, 5])('of units with three answers each (seed %i)', (seed) => {
  const units = drawn(seed, () => 3);
  for (const isBoth of [false, true]) {
    const { fleissKappa: kappa, noFleiss, gwetAc1: ac1 } = chanceCorrectedOf(readingOf(units, isBoth), 4);
    expect(kappa).toBeCloseTo(fleissKappa(countsOf(units))?.kappa ?? Number.NaN, 12);
    expect(noFleiss).toBeNull();
    expect(ac1).toBeCloseTo(gwetAc1(countsOf(units)) ?? Number.NaN, 12);
  }
});

test('of units with two to five answers there is AC1, and no kappa of Fleiss', () => {
  const units = drawn(9, (draw) => 2 + Math.floor(draw * 4));
  const found = chanceCorrectedOf(readingOf(units, false), 4);
  expect(found).toMatchObject({ fleissKappa: null, noFleiss: 'UNEQUAL_ANSWERS' });
  expect(found.gwetAc1).toBeCloseTo(gwetAc1(countsOf(units)) ?? Number.NaN, 12);
});

test('says why where there is nothing to count', () => {
  expect(chanceCorrectedOf(readingOf([['a'], ['b']], false), 4)).toMatchObject({ noFleiss: 'NO_PAIRS' });
  const numbers = { ...readingOf([], false), form: 'NUMBERS' } as const;
  expect(chanceCorrectedOf(numbers, 0)).toEqual({
    fleissKappa: null,
    noFleiss: 'NOT_CLASSES',
    gwetAc1: null,
  });
  expect(chanceCorrectedOf(readingOf([['a', 'a']], false), 4)).toEqual({
    fleissKappa: 1,
    noFleiss: null,
    gwetAc1: 1,
  });
});
