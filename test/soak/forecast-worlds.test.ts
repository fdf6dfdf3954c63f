// @once: nothing here is asked of a database
import { beforeAll, expect, test } from 'vitest';
import { judge, reliabilityOf, type Told } from '../forecast/worlds/judge.js';
import { KINDS } from '../forecast/worlds/true-world.js';
import { seedsOf } from './random.js';

// What is forecast of worlds whose truth is known (nights, weekends, one rare expert, a competing project, experts who leave), against
// what becomes of them: SEED=n SEEDS=1000 npm run soak -- forecast-worlds.
const SEEDS = Number(process.env.SEEDS ?? 60);
/** Fewer than so many forecasts say nothing of how often they come true. */
const TELLING = 50;

let told: Told[];

beforeAll(() => {
  told = seedsOf(SEEDS).map((seed, n) => judge(seed, KINDS[n % KINDS.length]));
}, 3_600_000);

test('what is stated comes true as often as it says', () => {
  const off = reliabilityOf(told)
    .filter(({ count }) => count >= TELLING)
    .filter(({ stated, happened }) => Math.abs(stated - happened) > 0.1);
  expect(off).toEqual([]);
  const mean = (of: (one: Told) => number) => told.reduce((sum, one) => sum + of(one), 0) / told.length;
  expect(Math.abs(mean(({ stated }) => stated) - mean(({ happened }) => Number(happened)))).toBeLessThan(
    SEEDS >= 400 ? 0.05 : 0.15,
  );
});

test('a chance is neither always even nor always sure: the worlds tell forecasts apart', () => {
  const brier =
    told.reduce((sum, { stated, happened }) => sum + (stated - Number(happened)) ** 2, 0) / told.length;
  expect(brier).toBeLessThan(0.18);
});

test('the rare skill is named where it holds the deadline up', () => {
  const named = told.flatMap(({ namedRightly }) => namedRightly ?? []);
  expect(named.length).toBeGreaterThan(SEEDS / 40);
  expect(shareOf(named)).toBeGreaterThanOrEqual(0.9);
});

test('with the hours that are asked for four deadlines in five are made that were missed without', () => {
  const fixed = told.flatMap((one) => one.fixed ?? []);
  expect(fixed.length).toBeGreaterThan(SEEDS / 10);
  expect(shareOf(fixed)).toBeGreaterThanOrEqual(0.8);
});

const shareOf = (all: readonly boolean[]) => all.filter(Boolean).length / all.length;
