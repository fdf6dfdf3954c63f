import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findTimeGap, presumedKnown, type TimedGold } from '../../../src/services/quality/watch/gold-time.js';
import { probabilityLarger, rankSum, rankSumZ } from '../../../src/services/quality/watch/ranks.js';
import { randomOf } from '../../soak/random.js';
import { normal } from './normal.js';

const gold = (seconds: readonly number[], credit = 1): TimedGold[] =>
  seconds.map((one, n) => ({ gold: `gold ${n}`, credit, seconds: one }));

describe('the rank sum', () => {
  // Aesop's race (as told with the U test): T H H H H H T T T T T H in order of arrival. U is 25 for the tortoises' places
  // behind hares, 11 the other way.
  test('of the tortoises and the hares gives 25 and 11', () => {
    const order = 'THHHHHTTTTTH';
    const places = (of: string) => [...order].flatMap((animal, n) => (animal === of ? [n + 1] : []));
    expect(36 * probabilityLarger(places('T'), places('H'))).toBeCloseTo(25, 12);
    expect(36 * probabilityLarger(places('H'), places('T'))).toBeCloseTo(11, 12);
  });

  const values = fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 30 });

  test('is what comparing each with each gives', () => {
    fc.assert(
      fc.property(values, values, (some, others) => {
        const wins = some.flatMap((one) =>
          others.map((other) => (one > other ? 1 : one === other ? 0.5 : 0)),
        );
        const share = wins.reduce((sum: number, win) => sum + win, 0) / wins.length;
        expect(probabilityLarger(some, others)).toBeCloseTo(share, 12);
        expect(rankSumZ(some, others)).toBeCloseTo(-rankSumZ(others, some), 9);
      }),
    );
  });

  test('of ties alone says nothing', () => {
    expect(rankSum([1, 1], [1]).ties).toBe(24);
    expect(rankSumZ([3, 3, 3], [3, 3])).toBe(0);
  });
});

describe('times on gold', () => {
  const times = (count: number, factor: number, seed: number) => {
    const random = randomOf(seed);
    return Array.from({ length: count }, () => 30 * factor * Math.exp(0.6 * normal(random)));
  };

  test('of one who recognises it differ, whichever way', () => {
    expect(findTimeGap(gold(times(30, 0.4, 1)), times(200, 1, 2))?.sign).toBe('QUICK_ON_GOLD');
    expect(findTimeGap(gold(times(30, 2.5, 1)), times(200, 1, 2))?.sign).toBe('SLOW_ON_GOLD');
  });

  test('are called different for at most 1 in 200 honest experts, looked at after every gold', () => {
    let found = 0;
    for (let expert = 0; expert < 400; expert++) {
      const [onGold, others] = [gold(times(50, 1, expert)), times(300, 1, 10_000 + expert)];
      const looks = Array.from({ length: 50 }, (_, n) =>
        findTimeGap(onGold.slice(0, n), others.slice(0, 6 * n)),
      );
      found += looks.some((look) => look !== null) ? 1 : 0;
    }
    expect(found).toBeLessThanOrEqual(2);
  });

  test('are not judged from fewer than twelve', () => {
    expect(findTimeGap(gold(Array(11).fill(1)), times(200, 1, 2))).toBeNull();
    expect(findTimeGap(gold(Array(50).fill(1)), times(11, 1, 2))).toBeNull();
  });

  test('say which gold is known: what was right, and quickly where speed gave it away', () => {
    const shown = [
      { gold: 'quick and right', credit: 1, seconds: 5 },
      { gold: 'slow and right', credit: 1, seconds: 40 },
      { gold: 'quick and wrong', credit: 0, seconds: 5 },
    ];
    const ordinarySeconds = [20, 30, 30, 40];
    expect(presumedKnown(shown, { ordinarySeconds, isQuick: true })).toEqual(['quick and right']);
    expect(presumedKnown(shown, { ordinarySeconds, isQuick: false })).toEqual([
      'quick and right',
      'slow and right',
    ]);
  });
});
