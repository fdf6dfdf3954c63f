import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nextGoldClass } from '../../../src/services/quality/gold/balance.js';
import { randomOf } from '../../soak/random.js';

interface Class {
  readonly label: string;
  readonly prevalence?: number;
}

/** Shows so many gold of a pool that does not run dry. */
function show(classes: readonly Class[], count: number, seed: number): Map<string, number> {
  const random = randomOf(seed);
  const shown = new Map(classes.map(({ label }) => [label, 0]));
  for (let n = 0; n < count; n++) {
    const label = nextGoldClass(
      classes.map((of) => ({ ...of, shown: shown.get(of.label) ?? 0, available: 1 })),
      random(),
    );
    shown.set(label ?? '', (shown.get(label ?? '') ?? 0) + 1);
  }
  return shown;
}

describe('the class of the next gold', () => {
  test('is balanced at any time: whoever answers always the same is right in one of L', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 1, max: 80 }),
        fc.nat(),
        (classes, count, seed) => {
          const labels = Array.from({ length: classes }, (_, n) => ({ label: `class ${n}` }));
          const shown = [...show(labels, count, seed).values()];
          expect(Math.max(...shown) - Math.min(...shown)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  test('goes half way to the prevalence where that is known', () => {
    const shown = show(
      [
        { label: 'common', prevalence: 0.9 },
        { label: 'rare', prevalence: 0.1 },
      ],
      200,
      1,
    );
    expect((shown.get('common') ?? 0) / 200).toBeCloseTo(0.7, 2);
  });

  test('is one that can be shown, and null when none can', () => {
    const classes = [
      { label: 'a', shown: 0, available: 0 },
      { label: 'b', shown: 9, available: 2 },
    ];
    expect(nextGoldClass(classes, 0.5)).toBe('b');
    expect(nextGoldClass([{ label: 'a', shown: 0, available: 0 }], 0.5)).toBeNull();
    expect(nextGoldClass([], 0.5)).toBeNull();
  });

  test('cannot be foreseen where several are equally behind', () => {
    const classes = ['a', 'b', 'c'].map((label) => ({ label, shown: 2, available: 5 }));
    const drawn = new Set([0, 0.4, 0.999].map((uniform) => nextGoldClass(classes, uniform)));
    expect(drawn.size).toBe(3);
  });
});
