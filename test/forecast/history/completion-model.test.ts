import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { adaptiveSpread, INTERVAL } from '../../../src/services/forecast/history/adaptive-spread.js';
import { completionModel } from '../../../src/services/forecast/history/completion-model.js';
import { atMeanRate, type Finished } from '../../../src/services/forecast/history/progress.js';
import { probabilityOf, quantileOf } from '../../../src/services/forecast/sample.js';
import { intervalOf } from '../../../src/services/forecast/scores.js';
import { randomOf } from '../../../src/services/platform/random.js';

const progress = fc.record({
  elapsedSeconds: fc.integer({ min: 100, max: 1_000_000 }),
  answers: fc.integer({ min: 1, max: 10_000 }),
  remainingAnswers: fc.integer({ min: 1, max: 10_000 }),
});
const finished = fc
  .tuple(progress, fc.integer({ min: 100, max: 1_000_000 }))
  .map(([of, remainingSeconds]) => ({ ...of, remainingSeconds }));
const history = fc.array(finished, { minLength: 5, maxLength: 15 });

describe('completionModel', () => {
  test('with fewer than five finished batches: 1.8 times the mean speed by the median, nine in ten within five times', () => {
    const now = { elapsedSeconds: 3600, answers: 100, remainingAnswers: 200 };
    expect(atMeanRate(now)).toBe(7200);
    const few: Finished[] = Array.from({ length: 4 }, () => ({ ...now, remainingSeconds: 1 }));
    for (const past of [[], few]) {
      const sample = completionModel(past).remaining(now);
      expect(quantileOf(sample, 0.5) / 7200).toBeCloseTo(1.8, 2);
      expect(Math.abs(probabilityOf(sample, 5 * 7200) - 0.9)).toBeLessThan(0.03);
    }
  });

  test('says the same twice, and never less than nothing or for ever', () => {
    fc.assert(
      fc.property(history, progress, (past, now) => {
        const sample = completionModel(past).remaining(now);
        expect(completionModel(past).remaining(now)).toEqual(sample);
        expect(sample[0]).toBeGreaterThanOrEqual(0);
        expect(sample.every(Number.isFinite)).toBe(true);
      }),
    );
  });

  test('time has no unit: ten times as slow in all is ten times as long', () => {
    fc.assert(
      fc.property(history, progress, (past, now) => {
        const slow = past.map((one) => ({
          ...one,
          elapsedSeconds: one.elapsedSeconds * 10,
          remainingSeconds: one.remainingSeconds * 10,
        }));
        const once = completionModel(past).remaining(now);
        const tenfold = completionModel(slow).remaining({ ...now, elapsedSeconds: now.elapsedSeconds * 10 });
        for (const share of [0.05, 0.5, 0.95]) {
          expect(quantileOf(tenfold, share) / quantileOf(once, share)).toBeCloseTo(10, 4);
        }
      }),
    );
  });

  test('batches that all went alike leave little doubt, and are right', () => {
    const alike = Array.from({ length: 12 }, () => ({
      elapsedSeconds: 1000,
      answers: 50,
      remainingAnswers: 50,
      remainingSeconds: 4000,
    }));
    const { low, high } = intervalOf(
      completionModel(alike).remaining({ elapsedSeconds: 1000, answers: 50, remainingAnswers: 50 }),
      INTERVAL,
    );
    expect(low).toBeGreaterThan(3800);
    expect(high).toBeLessThan(4200);
  });

  test('one batch that was forgotten for a month does not make every date a month wide', () => {
    const usual = Array.from({ length: 15 }, (_, place) => ({
      elapsedSeconds: 1000,
      answers: 50,
      remainingAnswers: 50,
      remainingSeconds: 3000 + 100 * place,
    }));
    const forgotten = {
      ...usual[0],
      elapsedSeconds: 1000,
      answers: 50,
      remainingAnswers: 50,
      remainingSeconds: 2_600_000,
    };
    const now = { elapsedSeconds: 1000, answers: 50, remainingAnswers: 50 };
    const without = intervalOf(completionModel(usual).remaining(now), INTERVAL);
    const having = intervalOf(completionModel([forgotten, ...usual]).remaining(now), INTERVAL);
    expect(having.high).toBeLessThan(2 * without.high);
  });
});

describe('adaptiveSpread', () => {
  test.each([0.4, 1, 2.5])(
    'brings intervals that are %d times as wide as they should be to hold as often as they say',
    (width) => {
      const random = randomOf(7, `spread ${width}`);
      const spread = adaptiveSpread();
      let held = 0;
      const rounds = 4000;
      for (let round = 0; round < rounds; round += 1) {
        // Uniform on (-1, 1): four in five lie within .8.
        const hasHeld = Math.abs(random() * 2 - 1) <= 0.8 * width * spread.scale;
        held += Number(hasHeld);
        spread.learn(hasHeld);
      }
      expect(held / rounds).toBeGreaterThan(0.78);
      expect(held / rounds).toBeLessThan(0.82);
      expect(spread.scale * width).toBeGreaterThan(0.7);
    },
  );

  test('however long all holds or nothing does, the spread stays within a quarter and four times', () => {
    for (const hasHeld of [true, false]) {
      const spread = adaptiveSpread();
      for (let round = 0; round < 1000; round += 1) {
        spread.learn(hasHeld);
      }
      expect(spread.scale).toBeCloseTo(hasHeld ? 0.25 : 4, 10);
    }
  });
});
