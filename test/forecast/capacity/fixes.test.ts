import { describe, expect, test } from 'vitest';
import { ratiosOf } from '../../../src/services/forecast/capacity/calibrate.js';
import type { Work } from '../../../src/services/forecast/capacity/one-future.js';
import { outlook } from '../../../src/services/forecast/capacity/outlook.js';
import type { ExpertSupply } from '../../../src/services/forecast/capacity/presence.js';
import type { WorkOutlook } from '../../../src/services/forecast/capacity/tell.js';
import { chanceWithin } from '../../../src/services/forecast/quantiles.js';
import { type Sample, sampleOf } from '../../../src/services/forecast/sample.js';
import { hoursOf } from '../support/even-hours.js';

const HOUR = 3_600;
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
  deadlineSeconds: null,
  ...more,
});

const one = (experts: readonly ExpertSupply[], works: readonly Work[]): WorkOutlook =>
  outlook({ now: NOW, experts, works }, { only: new Set([1n]) })[0] as WorkOutlook;

const chance = (told: WorkOutlook) =>
  chanceWithin(sampleOf(told.worlds), told.work.deadlineSeconds ?? Number.NaN);

/** As finished batches leave it that took so many times what hours said. */
const took = (times: number): Sample =>
  ratiosOf({
    finished: Array.from({ length: 20 }, (_, place) => ({
      elapsedSeconds: 1,
      answers: 1,
      remainingAnswers: 1,
      remainingSeconds: times * 1e5 * Math.exp(0.2 * Math.sin(7 * place)),
      capacitySeconds: 1e5,
    })),
    scale: 1,
  });

const RATIOS = {
  'nothing is known': null,
  'nothing has finished': ratiosOf({ finished: [], scale: 1 }),
  'work takes half as long again': took(1.5),
  'work takes twice as long': took(2),
  'work takes three times as long': took(3),
};

describe('what is asked for', () => {
  for (const [name, ratios] of Object.entries(RATIOS)) {
    for (const days of [7, 21]) {
      test(`makes a deadline in ${days} days nine times in ten where ${name}`, () => {
        const experts = [1, 2, 3].map(() => hoursOf([0], 20));
        const own = work(days * 17, { deadlineSeconds: days * DAY, ratios });
        const told = one(experts, [own]);
        expect(chance(told)).toBeLessThan(0.2);
        const extra = Math.max(3, Math.ceil((told.missingHours ?? 0) / days / 24));
        const each = ((told.missingHours ?? 0) / days / extra) * 7;
        const more = Array.from({ length: extra }, () => hoursOf([0], each));
        expect(chance(one([...experts, ...more], [own]))).toBeGreaterThan(0.9);
        const less = work((1 - told.missingShare) * days * 17, { deadlineSeconds: days * DAY, ratios });
        expect(chance(one(experts, [less]))).toBeGreaterThanOrEqual(0.9);
        expect(chance(one(experts, [less]))).toBeLessThan(0.95);
      });
    }
  }

  test('is enough where others who are due before take the first of it', () => {
    const experts = [1, 2, 3].map(() => hoursOf([0], 20));
    const own = work(40, { deadlineSeconds: 7 * DAY });
    const other = work(100, { id: 2n, deadlineSeconds: 5 * DAY });
    const told = one(experts, [own, other]);
    const more = Array.from({ length: 4 }, () => hoursOf([0], (told.missingHours ?? 0) / 4));
    expect(chance(one([...experts, ...more], [own, other]))).toBeGreaterThan(0.9);
  });

  test('is nothing of a healthy batch that is due in half a year', () => {
    const experts = Array.from({ length: 6 }, () => hoursOf([0], 20));
    const told = one(experts, [work(24 * 70, { deadlineSeconds: 24 * 7 * DAY })]);
    expect(chance(told)).toBeGreaterThan(0.9);
    expect(told.missingHours).toBe(0);
    expect(told.total.hoursByDeadline).toBeGreaterThan(24 * 90);
  });
});

describe('work of strangers', () => {
  test('gives no hours to those who share nobody with it, and is not named', () => {
    const own = [work(560, { deadlineSeconds: 7 * DAY })];
    const experts = Array.from({ length: 14 }, () => hoursOf([0], 20));
    const strangers = [hoursOf([1], 10), ...Array.from({ length: 40 }, () => hoursOf([2], 20))];
    const beside = [
      ...own,
      work(500, { id: 2n, workClass: 1, deadlineSeconds: 5 * DAY }),
      work(10, { id: 3n, workClass: 2, deadlineSeconds: 5 * DAY }),
    ];
    const [alone, told] = [one(experts, own), one([...experts, ...strangers], beside)];
    expect(chance(told)).toBeLessThan(0.05);
    expect(told.availableHours / alone.availableHours).toBeCloseTo(1, 1);
    expect(told.binding).toEqual([0]);
  });
});
