import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fleissKappa, gwetAc1, scottPi } from '../../src/services/quality/agreement/chance-corrected.js';
import { cohenKappa } from '../../src/services/quality/agreement/cohen.js';
import { Coincidences, coincidenceChanges } from '../../src/services/quality/agreement/coincidences.js';
import { contingencyOf } from '../../src/services/quality/agreement/contingency.js';
import { IntervalSums } from '../../src/services/quality/agreement/interval-sums.js';
import { alphaOf, krippendorffAlpha } from '../../src/services/quality/agreement/krippendorff.js';
import type { Scale } from '../../src/services/quality/agreement/scales.js';
import { textbookAlpha } from './support/textbook-alpha.js';

const SCALES: Scale[] = ['NOMINAL', 'ORDINAL', 'INTERVAL', 'RATIO'];
const scales = fc.constantFrom(...SCALES);
const value = fc.integer({ min: 0, max: 4 });
const units = fc.array(fc.array(value, { maxLength: 5 }), { minLength: 1, maxLength: 12 });
const pairs = fc.array(fc.tuple(value, value), { minLength: 2, maxLength: 40 });

describe("Krippendorff's alpha", () => {
  test('is what its definition says, pair by pair', () => {
    fc.assert(
      fc.property(units, scales, (given, scale) => {
        const expected = textbookAlpha(given, scale);
        const alpha = krippendorffAlpha(given, scale);
        if (expected === null) {
          expect(alpha).toBeNull();
        } else {
          expect(alpha).toBeCloseTo(expected, 10);
        }
      }),
    );
  });

  test('is at most 1, and 1 exactly where every unit agrees with itself', () => {
    fc.assert(
      fc.property(units, scales, (given, scale) => {
        const alpha = krippendorffAlpha(given, scale);
        const agree = given.every((unit) => new Set(unit).size < 2);
        expect(alpha === null || alpha <= 1).toBe(true);
        expect(alpha === null || (alpha === 1) === agree).toBe(true);
      }),
    );
  });

  test('does not depend on the order of units or of answers, nor, on a nominal scale, on the names of values', () => {
    fc.assert(
      fc.property(units, scales, (given, scale) => {
        const turned = [...given].reverse().map((unit) => [...unit].reverse());
        expect(krippendorffAlpha(turned, scale)).toBe(krippendorffAlpha(given, scale));
        const renamed = given.map((unit) => unit.map((x) => `label ${9 - x}`));
        const [one, other] = [krippendorffAlpha(renamed, 'NOMINAL'), krippendorffAlpha(given, 'NOMINAL')];
        expect(Math.abs((one ?? 0) - (other ?? 0))).toBeLessThan(1e-12);
      }),
    );
  });

  test('of intervals does not change with the unit of measurement', () => {
    fc.assert(
      fc.property(
        units,
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: -90, max: 90 }),
        (given, scale, shift) => {
          const moved = given.map((unit) => unit.map((x) => x * scale + shift));
          const [one, other] = [krippendorffAlpha(moved, 'INTERVAL'), krippendorffAlpha(given, 'INTERVAL')];
          expect(one ?? 7).toBeCloseTo(other ?? 7, 9);
        },
      ),
    );
  });

  test('needs numbers where the scale has an order', () => {
    expect(() => krippendorffAlpha([['good', 'bad']], 'ORDINAL')).toThrow(TypeError);
  });
});

describe('alpha kept up to date answer by answer', () => {
  /** Answers come and go: each number picks a unit and a value, or an answer to take away. */
  const steps = fc.array(fc.tuple(fc.nat(5), value, fc.boolean()), { maxLength: 60 });

  function replay(given: readonly (readonly [number, number, boolean])[], live: Live): number[][] {
    const now: number[][] = Array.from({ length: 6 }, () => []);
    for (const [unit, said, isRetraction] of given) {
      const before = now[unit] ?? [];
      const after = isRetraction ? before.slice(1) : [...before, said];
      live.change(before, after);
      now[unit] = after;
    }
    return now;
  }
  interface Live {
    change(before: readonly number[], after: readonly number[]): void;
  }

  test('equals alpha from scratch to the bit, on every scale', () => {
    fc.assert(
      fc.property(steps, scales, (given, scale) => {
        const live = new Coincidences();
        const now = replay(given, live);
        expect(alphaOf(live, scale)).toBe(krippendorffAlpha(now, scale));
      }),
    );
  });

  test('of intervals by sums equals alpha by coincidences', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const live = new IntervalSums();
        const now = replay(given, live);
        const [one, other] = [live.alpha(), krippendorffAlpha(now, 'INTERVAL')];
        expect(one === null).toBe(other === null);
        expect(one ?? 7).toBeCloseTo(other ?? 7, 9);
      }),
    );
  });

  test('counters kept elsewhere follow by the changes alone', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const table = new Map<string, number>();
        const now = replay(given, {
          change(before, after) {
            for (const { size, one, other, pairs: change } of coincidenceChanges(before, after)) {
              const key = `${size} ${one} ${other}`;
              table.set(key, (table.get(key) ?? 0) + change);
            }
          },
        });
        const kept = [...table].map(([key, count]) => {
          const [size = 0, one = 0, other = 0] = key.split(' ').map(Number);
          return { size, one, other, pairs: count };
        });
        expect(alphaOf(kept, 'NOMINAL')).toBe(krippendorffAlpha(now, 'NOMINAL'));
      }),
    );
  });

  test('one answer touches the pairs of its own unit only', () => {
    const live = new Coincidences();
    live.add([], 1);
    live.add([1], 1);
    live.add([1, 1], 2);
    live.remove([1, 1], 2);
    expect([...live]).toEqual([{ size: 2, one: 1, other: 1, pairs: 2 }]);
  });
});

describe('coefficients of two experts', () => {
  test("Cohen's kappa and Scott's pi are at most 1, and 1 exactly where the two always agree", () => {
    fc.assert(
      fc.property(pairs, (given) => {
        const table = contingencyOf(given);
        const agree = given.every(([one, other]) => one === other);
        for (const coefficient of [cohenKappa(table)?.kappa, scottPi(table)]) {
          expect(coefficient).toBeLessThanOrEqual(1 + 1e-12);
          expect(Math.abs((coefficient ?? 0) - 1) < 1e-12).toBe(agree);
        }
      }),
    );
  });

  test('kappa is symmetric, ignores a value nobody used, and weights change nothing between two values', () => {
    fc.assert(
      fc.property(pairs, fc.constantFrom('NONE', 'LINEAR', 'SQUARED'), (given, weighting) => {
        const table = contingencyOf(given);
        const kappa = cohenKappa(table, weighting)?.kappa ?? Number.NaN;
        const turned = contingencyOf(given.map(([one, other]) => [other, one] as const));
        expect(cohenKappa(turned, weighting)?.kappa).toBeCloseTo(kappa, 12);
        const wider = [...table.map((row) => [...row, 0]), Array.from({ length: table.length + 1 }, () => 0)];
        expect(cohenKappa(wider, weighting)?.kappa).toBeCloseTo(kappa, 12);
        const binary = contingencyOf(given.map(([one, other]) => [one % 2, other % 2] as const));
        const plain = cohenKappa(binary);
        expect(cohenKappa(binary, weighting)?.kappa).toBeCloseTo(plain?.kappa ?? Number.NaN, 12);
      }),
    );
  });

  test('nothing is said of nothing, and a table that is none is refused', () => {
    expect(cohenKappa([])).toBeNull();
    expect(scottPi([[0]])).toBeNull();
    expect(() => cohenKappa([[1, 2]])).toThrow(RangeError);
    expect(() => cohenKappa([[-1]])).toThrow(RangeError);
  });
});

test("Fleiss' kappa and AC1 of two experts who answer everything are Scott's pi, and as bounded", () => {
  fc.assert(
    fc.property(pairs, (given) => {
      const counts = given.map(([one, other]) =>
        [0, 1, 2, 3, 4].map((x) => Number(x === one) + Number(x === other)),
      );
      expect(fleissKappa(counts)?.kappa).toBeCloseTo(scottPi(contingencyOf(given)) ?? Number.NaN, 10);
      const ac1 = gwetAc1(counts) ?? Number.NaN;
      expect(ac1).toBeLessThanOrEqual(1);
      expect(Math.abs(ac1 - 1) < 1e-12).toBe(given.every(([one, other]) => one === other));
    }),
  );
  expect(fleissKappa([[1, 0]])).toBeNull();
  expect(gwetAc1([[1, 0]])).toBeNull();
});
