import { describe, expect, test } from 'vitest';
import { ratiosOf } from '../../../src/services/forecast/capacity/calibrate.js';
import type { Work } from '../../../src/services/forecast/capacity/one-future.js';
import { outlook } from '../../../src/services/forecast/capacity/outlook.js';
import type { WorkOutlook } from '../../../src/services/forecast/capacity/tell.js';
import { chanceWithin } from '../../../src/services/forecast/quantiles.js';
import { quantileOf, sampleOf } from '../../../src/services/forecast/sample.js';
import { hoursOf } from '../support/even-hours.js';

const DAY = 86_400;
const NOW = new Date('2026-03-02T00:00:00Z');
const [A, B, C] = [0, 1, 2] as const;

const told = (more: Partial<Work>, experts = [A, B, C].map(() => hoursOf([0], 20))): WorkOutlook => {
  const work: Work = {
    id: 1n,
    projectId: 1n,
    workClass: 0,
    seconds: 50 * 3_600,
    spread: 0.1,
    items: 100,
    handlingSeconds: 1_200,
    leaseSeconds: 1_800,
    deadlineSeconds: 7 * DAY,
    ...more,
  };
  return outlook({ now: NOW, experts, works: [work] })[0] as WorkOutlook;
};
const chance = (one: WorkOutlook, days: number) => chanceWithin(sampleOf(one.worlds), days * DAY);

describe('where each answers each item once', () => {
  test('what is left hangs on who has not answered yet', () => {
    // 100 items want three answers: A has given 100, B 50, C none. C alone has 33 hours of work, and 20 a week.
    const open = { answers: 150, redundancy: 3, answersEach: 2 };
    expect(chance(told(open), 8)).toBeGreaterThan(0.9);
    const one = told({
      ...open,
      answered: new Map([
        [A, 100],
        [B, 50],
      ]),
    });
    expect(chance(one, 8)).toBeLessThan(0.02);
    expect(chance(one, 11)).toBeLessThan(0.3);
    // And it is no never, however much longer it takes than was thought.
    expect(chance(one, 20)).toBeGreaterThan(0.9);
  });

  test('the last tasks may wait for gold in their place, twice at most', () => {
    const last = { seconds: 240, items: 4, answers: 4, handlingSeconds: 60 };
    const foreseen = (goldShare: number) => sampleOf(told({ ...last, goldShare }).worlds);
    const later = [0.5, 0.9].map(
      (share) => quantileOf(foreseen(0.49), share) - quantileOf(foreseen(0), share),
    );
    expect(Math.min(...later)).toBeGreaterThan(100);
    expect(Math.max(...later)).toBeLessThan(2 * (320 + 120));
  });

  test('fifteen experts give no item twenty answers, and all of them work where it wants fifteen', () => {
    const many = Array.from({ length: 15 }, () => hoursOf([0], 20));
    const never = told({ answers: 2_000, redundancy: 20, answersEach: 20 }, many);
    expect(chance(never, 3_000)).toBeLessThan(0.02);
    // 14 who have time, and one with an hour a week: each item waits for that one.
    const slow = [...many.slice(1), hoursOf([0], 1)];
    const each = { items: 20, answers: 300, redundancy: 15, answersEach: 15, handlingSeconds: 600 };
    expect(chance(told(each, slow), 7)).toBeLessThan(0.05);
    expect(chance(told({ ...each, redundancy: 3, answersEach: 3 }, slow), 7)).toBeGreaterThan(0.9);
  });
});

describe('with one or two experts', () => {
  const finished = Array.from({ length: 30 }, () => ({
    elapsedSeconds: 1,
    answers: 1,
    remainingAnswers: 1,
    remainingSeconds: 1e5,
    capacitySeconds: 1e5,
  }));
  const width = (isFew: boolean) => {
    const ratios = ratiosOf({ finished, scale: 0.25 }, { isFew });
    return quantileOf(ratios, 0.9) / quantileOf(ratios, 0.1);
  };

  test('nothing is narrow, however exactly thirty finished batches took what was said', () => {
    expect(width(false)).toBeLessThan(1.2);
    expect(width(true)).toBeGreaterThan(1.6);
  });
});
