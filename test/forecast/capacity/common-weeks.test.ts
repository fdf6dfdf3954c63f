import { describe, expect, test } from 'vitest';
import type { Work } from '../../../src/services/forecast/capacity/one-future.js';
import { outlook } from '../../../src/services/forecast/capacity/outlook.js';
import type { ExpertSupply } from '../../../src/services/forecast/capacity/presence.js';
import type { WorkOutlook } from '../../../src/services/forecast/capacity/tell.js';
import { chanceWithin } from '../../../src/services/forecast/quantiles.js';
import { sampleOf } from '../../../src/services/forecast/sample.js';
import { randomOf } from '../../../src/services/platform/random.js';

const DAY = 86_400;
const NOW = new Date('2026-03-02T00:00:00Z');
/** Hours of all forty in each week, the last one last: half of the weeks are slack, for everybody. */
const WEEKS = [831, 94, 76, 756, 799, 68, 847, 78];

const work: Work = {
  id: 1n,
  projectId: 1n,
  workClass: 0,
  seconds: 300 * 3_600,
  spread: 0.1,
  items: 100_000,
  handlingSeconds: 60,
  leaseSeconds: 1_800,
  deadlineSeconds: 7 * DAY,
};

const chance = (experts: readonly ExpertSupply[], own: Work = work) => {
  const [told] = outlook({ now: NOW, experts, works: [own] }) as [WorkOutlook];
  return chanceWithin(sampleOf(told.worlds), 7 * DAY);
};

/** Evenly over each week. @param hoursIn of an expert in a week */
const crowd = (count: number, hoursIn: (expert: number, week: number) => number): ExpertSupply[] =>
  Array.from({ length: count }, (_, expert) => ({
    classes: [0],
    seconds: Float64Array.from(
      { length: 8 * 168 },
      (_hour, hour) => (hoursIn(expert, Math.floor(hour / 168)) * 3_600) / 168,
    ),
  }));

describe('weeks that are slack for everybody', () => {
  test('are slack for everybody again', () => {
    const together = crowd(40, (_, week) => (WEEKS[week] ?? 0) / 40);
    expect(chance(together)).toBeGreaterThan(0.25);
    expect(chance(together)).toBeLessThan(0.75);
  });

  test('are not made of weeks that experts took off one by one', () => {
    const random = randomOf(1, 'apart');
    const apart = crowd(40, () => 0).map(() => crowd(1, () => (random() < 0.5 ? 20 : 2))[0] as ExpertSupply);
    expect(chance(apart)).toBeGreaterThan(0.95);
  });
});
