// @once @long: nothing here is asked of a database
import { beforeAll, describe, expect, test } from 'vitest';
import { judge, reliabilityOf, type Told, taughtBy } from '../forecast/worlds/judge.js';
import { seedsOf } from './random.js';

// What the product forecasts of worlds whose truth is known (nights, weekends, slack weeks, one rare expert, a competing project that is
// there or starts half-way, experts who leave; served by deadlines or by weights), as a batch begins and half-way to its deadline, against
// what becomes of it: SEED=n SEEDS=1000 npm run soak -- forecast-worlds.
const SEEDS = Number(process.env.SEEDS ?? 60);
/** Fewer than so many forecasts say nothing of how often they come true. */
const TELLING = 50;
const told = { cold: [] as Told[], warm: [] as Told[] };

beforeAll(async () => {
  for (const seed of seedsOf(SEEDS)) {
    told.cold.push(...(await judge(seed)));
  }
  for (const seed of seedsOf(SEEDS)) {
    told.warm.push(...(await judge(seed, taughtBy(told.cold))));
  }
}, 7_200_000);

describe.each([
  ['where nothing has finished before', 'cold'],
  ['where such batches have finished before', 'warm'],
] as const)('%s', (_name, which) => {
  test('what is stated comes true as often as it says', () => {
    const off = reliabilityOf(told[which])
      .filter(({ count }) => count >= TELLING)
      .filter(({ stated, happened }) => Math.abs(stated - happened) > (SEEDS >= 400 ? 0.1 : 0.2));
    expect(off).toEqual([]);
    expect(Math.abs(meanOf(which, ({ stated, happened }) => stated - Number(happened)))).toBeLessThan(
      SEEDS >= 400 ? 0.05 : 0.15,
    );
  });

  test('a chance is neither always even nor always sure: the worlds tell forecasts apart', () => {
    expect(meanOf(which, ({ stated, happened }) => (stated - Number(happened)) ** 2)).toBeLessThan(0.18);
  });

  test('the rare skill is named where it holds the deadline up', () => {
    const named = told[which].flatMap(({ namedRightly }) => namedRightly ?? []);
    expect(named.length).toBeGreaterThanOrEqual(SEEDS / 60);
    expect(shareOf(named)).toBeGreaterThanOrEqual(0.9);
  });

  test('with the hours that are asked for four deadlines in five are made that were missed without', () => {
    const fixed = told[which].flatMap((one) => one.fixed ?? []);
    expect(fixed.length).toBeGreaterThan(SEEDS / 10);
    expect(shareOf(fixed)).toBeGreaterThanOrEqual(0.8);
  });

  test('dates that are called safe are kept four times in five', () => {
    const safe = told[which].flatMap((one) => one.safe ?? []);
    expect(safe.length).toBeGreaterThan(SEEDS / 10);
    expect(shareOf(safe)).toBeGreaterThanOrEqual(0.8);
  });
});

const shareOf = (all: readonly boolean[]) => all.filter(Boolean).length / all.length;

const meanOf = (which: keyof typeof told, of: (one: Told) => number): number =>
  told[which].reduce((sum, one) => sum + of(one), 0) / told[which].length;
