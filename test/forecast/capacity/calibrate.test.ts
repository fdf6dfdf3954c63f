import { describe, expect, test } from 'vitest';
import { ratiosOf } from '../../../src/services/forecast/capacity/calibrate.js';
import type { Work } from '../../../src/services/forecast/capacity/one-future.js';
import { outlook } from '../../../src/services/forecast/capacity/outlook.js';
import type { WorkOutlook } from '../../../src/services/forecast/capacity/tell.js';
import type { History } from '../../../src/services/forecast/history/history.js';
import type { Finished } from '../../../src/services/forecast/history/progress.js';
import { quantileOf } from '../../../src/services/forecast/sample.js';
import { hoursOf } from '../support/even-hours.js';

const DAY = 86_400;
const NOW = new Date('2026-03-02T00:00:00Z');
const EXPERTS = Array.from({ length: 20 }, () => hoursOf([0], 20));

const WORK: Work = {
  id: 1n,
  projectId: 1n,
  workClass: 0,
  seconds: 200 * 3_600,
  spread: 0.1,
  items: 100_000,
  handlingSeconds: 60,
  leaseSeconds: 1_800,
  deadlineSeconds: 7 * DAY,
};

const toldWith = (history: History): WorkOutlook =>
  outlook({ now: NOW, experts: EXPERTS, works: [{ ...WORK, ratios: ratiosOf(history) }] })[0] as WorkOutlook;

const tookFrom = (told: WorkOutlook, seconds: number): Finished => ({
  elapsedSeconds: DAY,
  answers: 100,
  remainingAnswers: 1_000,
  remainingSeconds: seconds,
  capacitySeconds: told.rawSeconds,
});

/** Finished batches, each forecast with what those before it had taken. */
function finishedAt(times: number, count: number): History {
  let history: History = { finished: [], scale: 1 };
  const honest = toldWith(history).rawSeconds ?? Number.NaN;
  for (let batch = 0; batch < count; batch += 1) {
    history = {
      ...history,
      finished: [...history.finished, tookFrom(toldWith(history), times * honest)],
    };
  }
  return history;
}

describe('what finished batches took against the hours of experts', () => {
  test('is learned whole by those that were corrected by it before', () => {
    expect(quantileOf(ratiosOf(finishedAt(2, 20)), 0.5)).toBeCloseTo(2, 1);
  });

  test('is as wide as they differed beyond their possible futures, for those are in each forecast', () => {
    const [low, high] = [Math.exp(-0.3), Math.exp(0.3)];
    const of = (capacitySpread: number): History => ({
      finished: Array.from({ length: 20 }, (_, n) => ({
        ...tookFrom(toldWith({ finished: [], scale: 1 }), DAY),
        remainingSeconds: DAY * (n % 2 === 0 ? low : high),
        capacitySeconds: DAY,
        capacitySpread,
      })),
      scale: 1,
    });
    const widthOf = (history: History) =>
      quantileOf(ratiosOf(history), 0.9) / quantileOf(ratiosOf(history), 0.1);
    expect(widthOf(of(0))).toBeGreaterThan(1.7);
    expect(widthOf(of(0.3))).toBeLessThan(1.4);
    expect(widthOf(of(0.2))).toBeGreaterThan(widthOf(of(0.3)));
    // What could have taken anything says nothing: it is as if none had finished.
    expect(widthOf(of(9))).toBeGreaterThan(widthOf(of(0.3)));
    expect(widthOf(of(9))).toBeLessThan(widthOf({ finished: [], scale: 1 }));
  });

  test('is told best by those that were foreseen best', () => {
    const medianOf = (capacitySpread: number) => {
      const one = { ...tookFrom(toldWith({ finished: [], scale: 1 }), 2 * DAY), capacitySeconds: DAY };
      const finished = Array.from({ length: 6 }, () => ({ ...one, capacitySpread }));
      return quantileOf(ratiosOf({ finished, scale: 1 }), 0.5);
    };
    expect(medianOf(0)).toBeGreaterThan(1.5);
    expect(medianOf(0.6)).toBeLessThan(1.35);
    expect(medianOf(0.6)).toBeGreaterThan(1.1);
  });

  test('is wide before there are any, and less so with each that took what was said', () => {
    const widths = [0, 1, 2, 3, 5, 12].map((count) => {
      const logs = Array.from(ratiosOf(finishedAt(1.1, count)), Math.log);
      const mean = logs.reduce((sum, one) => sum + one, 0) / logs.length;
      return Math.sqrt(logs.reduce((sum, one) => sum + (one - mean) ** 2, 0) / logs.length);
    });
    expect(widths.every((width, place) => place === 0 || width < (widths[place - 1] ?? 0))).toBe(true);
    expect(widths[0]).toBeGreaterThan(0.17);
    expect(widths[4]).toBeLessThan(0.12);
  });

  test('is nothing where nobody was there to be forecast by', () => {
    const [never] = outlook({ now: NOW, experts: [], works: [WORK] });
    expect(never?.rawSeconds).toBeNull();
    const history = {
      finished: Array.from({ length: 9 }, () => tookFrom(never as WorkOutlook, DAY)),
      scale: 1,
    };
    expect(ratiosOf(history)).toEqual(ratiosOf({ finished: [], scale: 1 }));
  });

  test('is never thousands of times as much, whatever is kept of a batch', () => {
    const mad = { ...tookFrom(toldWith({ finished: [], scale: 1 }), DAY), capacitySeconds: 5e8 };
    const ratios = ratiosOf({ finished: Array.from({ length: 5 }, () => mad), scale: 1 });
    expect(quantileOf(ratios, 0)).toBeGreaterThan(0.02);
  });
});
