// @once @long: nothing here is asked of a database
import { beforeAll, describe, expect, test } from 'vitest';
import { judge, reliabilityOf, type Told, taughtBy } from '../forecast/worlds/judge.js';
import { seedsOf } from './random.js';

// What the product forecasts of worlds whose truth is known (nights, weekends, slack weeks, one rare expert, a competing project that is
// there or starts half-way, experts who leave; served by deadlines or by weights), as a batch begins and half-way to its deadline, against
// what becomes of it: SEED=n SEEDS=1000 npm run soak -- forecast-worlds.
const SEEDS = Number(process.env.SEEDS ?? 60);
/** Of many seeds tenths are looked at, of few thirds; fewer than so many forecasts of one say nothing of how often they come true, and so many say something. */
const BINS =
  SEEDS >= 400
    ? { bins: 10, telling: 50, least: SEEDS >= 1_000 ? 8 : 5, off: 0.1 }
    : { bins: 3, telling: 12, least: 2, off: 0.2 };
/** Batches of the kind that have finished before. */
const HISTORIES = [0, 3, 6, 12] as const;
const told: Record<number, Told[]> = {};

beforeAll(async () => {
  for (const finished of HISTORIES) {
    const taught = taughtBy(told, finished);
    const own: Told[] = [];
    for (const seed of seedsOf(SEEDS)) {
      own.push(...(await judge(seed, taught)));
    }
    told[finished] = own;
  }
}, 14_400_000);

const toldAfter = (finished: number): readonly Told[] => told[finished] ?? [];

describe.each(HISTORIES.map((finished) => ({ finished })))(
  'where $finished such batches have finished before',
  ({ finished: which }) => {
    test('what is stated comes true as often as it says', () => {
      const telling = reliabilityOf(toldAfter(which), BINS.bins).filter(({ count }) => count >= BINS.telling);
      expect(telling.length).toBeGreaterThanOrEqual(BINS.least);
      const off = telling.filter(({ stated, happened }) => Math.abs(stated - happened) > BINS.off);
      expect(off).toEqual([]);
      expect(Math.abs(meanOf(which, ({ stated, happened }) => stated - Number(happened)))).toBeLessThan(
        SEEDS >= 400 ? 0.05 : 0.15,
      );
    });

    test('a chance is neither always even nor always sure: the worlds tell forecasts apart', () => {
      expect(meanOf(which, ({ stated, happened }) => (stated - Number(happened)) ** 2)).toBeLessThan(0.18);
    });

    test('the rare skill is named where it holds the deadline up', () => {
      const named = toldAfter(which).flatMap(({ namedRightly }) => namedRightly ?? []);
      expect(named.length).toBeGreaterThanOrEqual(SEEDS / 60);
      expect(shareOf(named)).toBeGreaterThanOrEqual(0.9);
    });

    test('with the hours that are asked for four deadlines in five are made that were missed without', () => {
      const fixed = toldAfter(which).flatMap((one) => one.fixed ?? []);
      expect(fixed.length).toBeGreaterThan(SEEDS / 10);
      expect(shareOf(fixed)).toBeGreaterThanOrEqual(0.8);
    });

    test('dates that are called safe are kept four times in five', () => {
      const safe = toldAfter(which).flatMap((one) => one.safe ?? []);
      expect(safe.length).toBeGreaterThan(SEEDS / 10);
      expect(shareOf(safe)).toBeGreaterThanOrEqual(0.8);
    });
  },
);

const shareOf = (all: readonly boolean[]) => all.filter(Boolean).length / all.length;

const meanOf = (which: number, of: (one: Told) => number): number =>
  toldAfter(which).reduce((sum, one) => sum + of(one), 0) / toldAfter(which).length;
