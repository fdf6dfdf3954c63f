import { describe, expect, test } from 'vitest';
import type { Work } from '../../../src/services/forecast/capacity/one-future.js';
import { outlook, outlookInTurns, prepareInTurns } from '../../../src/services/forecast/capacity/outlook.js';
import type { ExpertSupply } from '../../../src/services/forecast/capacity/presence.js';
import type { WorkOutlook } from '../../../src/services/forecast/capacity/tell.js';
import { chanceWithin } from '../../../src/services/forecast/quantiles.js';
import { quantileOf, sampleOf } from '../../../src/services/forecast/sample.js';
import { CancelledError } from '../../../src/services/platform/errors.js';
import { randomOf } from '../../../src/services/platform/random.js';

const HOUR = 3_600;
const DAY = 24 * HOUR;
const WEEKS = 8;
/** A Monday, midnight. */
const NOW = new Date('2026-03-02T00:00:00Z');

/** Works each hour of office hours with a probability, up to some weeks ago. */
function expert(classes: readonly number[], { chance = 0.5, seed = 1, gone = 0 } = {}): ExpertSupply {
  const random = randomOf(seed, 'expert');
  const seconds = new Int16Array(WEEKS * 168);
  for (let hour = 0; hour < (WEEKS - gone) * 168; hour += 1) {
    const [day, of] = [Math.floor(hour / 24) % 7, hour % 24];
    seconds[hour] = day < 5 && of >= 9 && of < 17 && random() < chance ? HOUR : 0;
  }
  return { classes, seconds };
}

const crowd = (count: number, classes: readonly number[], options = {}) =>
  Array.from({ length: count }, (_, n) => expert(classes, { seed: n + 1, ...options }));

const work = (hours: number, more: Partial<Work> = {}): Work => ({
  id: 1n,
  projectId: 1n,
  workClass: 0,
  seconds: hours * HOUR,
  spread: 0.1,
  items: 10_000,
  handlingSeconds: 60,
  leaseSeconds: 1_800,
  deadlineSeconds: null,
  ...more,
});

const one = (experts: readonly ExpertSupply[], works: readonly Work[], now = NOW): WorkOutlook =>
  outlook({ now, experts, works }, { only: new Set([works[0]?.id ?? 0n]) })[0] as WorkOutlook;

const at = (told: WorkOutlook, share: number) => quantileOf(sampleOf(told.worlds), share);
const chance = (told: WorkOutlook, seconds: number) => chanceWithin(sampleOf(told.worlds), seconds);

describe('outlook', () => {
  test('says the same again', () => {
    const experts = crowd(5, [0]);
    expect(one(experts, [work(40)]).worlds).toEqual(one(experts, [work(40)]).worlds);
  });

  test('has ten experts of twenty hours a week done with a hundred hours in half a week', () => {
    const told = one(crowd(10, [0]), [work(100)]);
    expect(told.total.experts).toBe(10);
    expect(told.total.hoursAWeek).toBeGreaterThan(170);
    expect(told.total.hoursAWeek).toBeLessThan(215);
    expect(at(told, 0.5)).toBeGreaterThan(2 * DAY);
    expect(at(told, 0.5)).toBeLessThan(3.5 * DAY);
  });

  test('knows that nobody works at night and on Saturdays', () => {
    const friday = new Date('2026-03-06T17:00:00Z');
    const shifted = (seconds: ArrayLike<number>) =>
      Array.from({ length: WEEKS * 168 }, (_, hour) => seconds[(hour + 5 * 24 - 7) % (WEEKS * 168)] ?? 0);
    const experts = crowd(10, [0]).map(({ classes, seconds }) => ({ classes, seconds: shifted(seconds) }));
    const told = one(experts, [work(5)], friday);
    expect(at(told, 0.05)).toBeGreaterThan(2 * DAY);
  });

  test('is later for more work, and not later for more experts', () => {
    const experts = crowd(6, [0]);
    expect(at(one(experts, [work(120)]), 0.5)).toBeGreaterThan(at(one(experts, [work(60)]), 0.5));
    expect(at(one([...experts, ...crowd(6, [0], { seed: 77 })], [work(120)]), 0.5)).toBeLessThan(
      at(one(experts, [work(120)]), 0.5),
    );
  });

  test('gives no hour away twice: what is due before takes the experts of both', () => {
    const experts = crowd(4, [0, 1]);
    const own = work(60, { deadlineSeconds: 7 * DAY });
    const other = work(60, { id: 2n, workClass: 1, deadlineSeconds: 5 * DAY });
    const [alone, beside] = [one(experts, [own]), one(experts, [own, other])];
    expect(chance(alone, 7 * DAY)).toBeGreaterThan(0.7);
    expect(chance(beside, 7 * DAY)).toBeLessThan(0.1);
    expect(beside.binding).toEqual([0, 1]);
    expect(beside.total).toMatchObject({ experts: 4, workHours: 60, othersHours: 60 });
  });

  test('is not held up by what nobody can do, though it is due before', () => {
    const experts = crowd(4, [0]);
    const own = work(40, { deadlineSeconds: 7 * DAY });
    const hopeless = work(500, { id: 2n, workClass: 1, deadlineSeconds: DAY });
    expect(at(one(experts, [own, hopeless]), 0.5)).toBeCloseTo(at(one(experts, [own]), 0.5), -4);
  });

  test('leaves the rest of a shared crowd to what comes after work that can never be done', () => {
    // One of four can do both; the rare work takes all of theirs for ever.
    const experts = [expert([0, 1]), ...crowd(3, [0], { seed: 9 })];
    const own = work(40, { deadlineSeconds: 7 * DAY });
    const rare = work(500, { id: 2n, workClass: 1, deadlineSeconds: DAY });
    const told = one(experts, [own, rare]);
    expect(chance(told, 7 * DAY)).toBeGreaterThan(0.6);
    expect(told.binding).toEqual([0, 1]);
  });

  test('names the rare skill, and not the ones with enough people', () => {
    const experts = [...crowd(2, [1]), ...crowd(20, [0], { seed: 40 })];
    const told = one(experts, [
      work(61, { workClass: 1, deadlineSeconds: 7 * DAY }),
      work(100, { id: 2n, deadlineSeconds: 7 * DAY }),
    ]);
    expect(told.binding).toEqual([1]);
    expect(told.total.experts).toBe(2);
    expect(told.missingHours).toBeGreaterThan(15);
  });

  test('makes it four times in five with the hours that it asks for', () => {
    const experts = crowd(3, [0]);
    const own = work(120, { deadlineSeconds: 7 * DAY });
    const told = one(experts, [own]);
    expect(chance(told, 7 * DAY)).toBeLessThan(0.2);
    const hours = told.missingHours ?? 0;
    const more = Array.from(
      { length: 4 },
      (): ExpertSupply => ({
        classes: [0],
        seconds: Float64Array.from({ length: WEEKS * 168 }, () => (hours * HOUR) / 4 / 168),
      }),
    );
    expect(chance(one([...experts, ...more], [own]), 7 * DAY)).toBeGreaterThan(0.8);
  });

  test('is never done where tasks want three answers and two experts can give one each', () => {
    const told = one(crowd(2, [0]), [work(5, { items: 100, handlingSeconds: 60 })]);
    expect(at(told, 0.5) / DAY).toBeGreaterThan(10 * 365);
    const enough = one(crowd(2, [0]), [work(3, { items: 100, handlingSeconds: 60 })]);
    expect(at(enough, 0.5) / DAY).toBeLessThan(20);
  });

  test('counts on nobody who has not come for five weeks', () => {
    const told = one([...crowd(2, [0]), ...crowd(8, [0], { gone: 5, seed: 30 })], [work(30)]);
    expect(told.total.hoursAWeek).toBeLessThan(60);
  });

  test('is wider for one expert than for twenty with the same hours', () => {
    const width = (told: WorkOutlook) => at(told, 0.9) / at(told, 0.1);
    const single = one([expert([0], { chance: 1 })], [work(60)]);
    const many = one(crowd(20, [0], { chance: 0.05 }), [work(60)]);
    expect(width(single)).toBeGreaterThan(1);
    expect(at(single, 0.9)).toBeGreaterThan(at(many, 0.5));
  });

  test('is as uncertain as what such forecasts came to before', () => {
    const experts = crowd(10, [0]);
    const told = one(experts, [work(100, { ratios: [2, 2, 2] })]);
    expect(at(told, 0.5)).toBeGreaterThan(1.6 * at(one(experts, [work(100, { ratios: [1] })]), 0.5));
  });

  test('goes on beyond its horizon as it went', () => {
    const told = one(crowd(5, [0]), [work(3_000, { items: 100_000 })]);
    expect(at(told, 0.5) / (7 * DAY)).toBeGreaterThan(25);
    expect(at(told, 0.5) / (7 * DAY)).toBeLessThan(60);
  });
});

describe('drawing for somebody who has gone', () => {
  const world = { now: NOW, experts: crowd(30, [0]), works: [work(200)] };

  test('stops, whether hours or work are being drawn', async () => {
    const gone = AbortSignal.abort();
    await expect(prepareInTurns(world, {}, gone)).rejects.toBeInstanceOf(CancelledError);
    const prepared = await prepareInTurns(world);
    await expect(outlookInTurns(world, { prepared }, gone)).rejects.toBeInstanceOf(CancelledError);
  });

  test('says the same in turns as at once', async () => {
    const prepared = await prepareInTurns(world);
    expect(await outlookInTurns(world, { prepared })).toEqual(outlook(world));
  });
});
