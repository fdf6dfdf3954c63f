import { describe, expect, test } from 'vitest';
import type { Work } from '../../../src/services/forecast/capacity/one-future.js';
import { outlook } from '../../../src/services/forecast/capacity/outlook.js';
import type { ExpertSupply } from '../../../src/services/forecast/capacity/presence.js';
import type { WorkOutlook } from '../../../src/services/forecast/capacity/tell.js';
import { chanceWithin } from '../../../src/services/forecast/quantiles.js';
import { sampleOf } from '../../../src/services/forecast/sample.js';
import { hoursOf } from '../support/even-hours.js';

const HOUR = 3_600;
const WEEK = 168;
const DAY = 24 * HOUR;
const NOW = new Date('2026-03-02T00:00:00Z');

const work = (hours: number, more: Partial<Work> = {}): Work => ({
  id: 1n,
  projectId: 1n,
  workClass: 0,
  seconds: hours * HOUR,
  spread: 0.1,
  items: 100_000,
  handlingSeconds: 60,
  leaseSeconds: 1_800,
  deadlineSeconds: 7 * DAY,
  ...more,
});

/** Who worked in some of the last eight weeks only, in hours back. */
function workedOnly(expert: ExpertSupply, { from, to }: { from: number; to: number }): ExpertSupply {
  const { length } = expert.seconds;
  const seconds = Float64Array.from({ length }, (_, hour) =>
    length - hour <= from && length - hour > to ? (expert.seconds[hour] ?? 0) : 0,
  );
  return { ...expert, seconds };
}

const crowd = (count: number, hours = 20) => Array.from({ length: count }, () => hoursOf([0], hours));

const one = (experts: readonly ExpertSupply[], own: Work): WorkOutlook =>
  outlook({ now: NOW, experts, works: [own] })[0] as WorkOutlook;

const chance = (told: WorkOutlook) => chanceWithin(sampleOf(told.worlds), 7 * DAY);

describe('weeks in which nobody worked', () => {
  for (const weeks of [1, 2, 3, 4]) {
    test(`are not leaving where there was nothing to do for ${weeks}`, () => {
      const idle = crowd(20).map((expert) => workedOnly(expert, { from: 8 * WEEK, to: weeks * WEEK }));
      const told = one(idle, work(100));
      expect(chance(told)).toBeGreaterThan(0.9);
      expect(told.quietWeeks).toBe(weeks);
      expect(told.total.hoursAWeek).toBeGreaterThan(300);
    });
  }

  test('are where work lay there for them', () => {
    const gone = crowd(20).map((expert) => workedOnly(expert, { from: 8 * WEEK, to: 4 * WEEK }));
    expect(chance(one(gone, work(100, { openSeconds: 5 * 7 * DAY })))).toBeLessThan(0.2);
  });

  test('are of one expert where others worked', () => {
    const gone = crowd(18).map((expert) => workedOnly(expert, { from: 8 * WEEK, to: 4 * WEEK }));
    expect(one([...gone, ...crowd(2)], work(100)).total.hoursAWeek).toBeLessThan(100);
  });
});

describe('experts who have just begun', () => {
  test('are not known by the weeks before', () => {
    const begun = crowd(20, WEEK).map((expert) => workedOnly(expert, { from: 6, to: 0 }));
    expect(one(begun, work(60)).knownWeeks).toBe(0);
  });

  test('are known by the week that they have worked', () => {
    const begun = crowd(20).map((expert) => workedOnly(expert, { from: WEEK + 6, to: 0 }));
    const told = one(begun, work(100));
    expect(told.knownWeeks).toBe(1);
    expect(chance(told)).toBeGreaterThan(0.9);
  });
});
