import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeForecast } from '../../src/services/forecast/forecast.js';
import { keptAt } from '../../src/services/forecast/quantiles.js';
import { byRate } from '../../src/services/forecast/rate.js';
import { isAtRisk } from '../../src/services/forecast/risk.js';
import { probabilityOf, quantileOf, sampleOf } from '../../src/services/forecast/sample.js';
import { regularisedBeta } from '../../src/services/platform/beta.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
const forecast = (...args: Parameters<typeof computeForecast>) => computeForecast(...args).forecast;

describe('by the rate alone', () => {
  const work = fc.record({
    remaining: fc.integer({ min: 1, max: 20_000 }),
    observed: fc.integer({ min: 0, max: 10_000 }),
    windowSeconds: fc.integer({ min: 60, max: 3_600 }),
  });
  const more = fc.integer({ min: 1, max: 10_000 });

  test('it is later the more remains, and sooner the more was observed, at every quantile', () => {
    fc.assert(
      fc.property(work, more, (known, extra) => {
        const [now, behind, faster] = [
          byRate(known),
          byRate({ ...known, remaining: known.remaining + extra }),
          byRate({ ...known, observed: known.observed + extra }),
        ];
        for (const share of [0.1, 0.5, 0.9]) {
          expect(quantileOf(behind, share)).toBeGreaterThanOrEqual(quantileOf(now, share) * (1 - 1e-6));
          expect(quantileOf(faster, share)).toBeLessThanOrEqual(quantileOf(now, share) * (1 + 1e-6));
        }
      }),
      { numRuns: 60 },
    );
  });

  test('with much evidence it is the rate times 1.8 by the median, and within five times in nine of ten', () => {
    const sample = byRate({ remaining: 20_000, observed: 50_000, windowSeconds: 3_600 });
    expect(quantileOf(sample, 0.5) / 1_440).toBeCloseTo(1.8, 1);
    expect(Math.abs(probabilityOf(sample, 5 * 1_440) - 0.9)).toBeLessThan(0.03);
  });

  test('three answers in an hour promise less than three hundred in a hundred', () => {
    const few = byRate({ remaining: 3, observed: 3, windowSeconds: 3_600 });
    const many = byRate({ remaining: 300, observed: 300, windowSeconds: 3_600 });
    expect(quantileOf(few, 0.95)).toBeGreaterThan(quantileOf(many, 0.95) * 1.3);
  });

  test('without the slow tail of others it is the count of a Poisson process whose rate is unknown', () => {
    // P(R answers within D) = I(D / (D + T); R, n + 1/2), averaged over how much longer than its speed such work takes.
    const known = { remaining: 40, observed: 25, windowSeconds: 3_600 };
    const sample = byRate(known);
    for (const seconds of [3_000, 9_000, 30_000]) {
      let exact = 0;
      const draws = 400;
      for (let draw = 0; draw < draws; draw++) {
        // Lognormal, median 1.8 and .9 quantile 5, by its own quantiles.
        const z = normalQuantile((draw + 0.5) / draws);
        const ratio = 1.8 * Math.exp((z * Math.log(5 / 1.8)) / 1.2816);
        const left = seconds / ratio;
        exact += regularisedBeta(left / (left + 3_600), known.remaining, known.observed + 0.5) / draws;
      }
      expect(Math.abs(probabilityOf(sample, seconds) - exact)).toBeLessThan(0.03);
    }
  });
});

/** By bisection of the normal distribution function, itself by Simpson's rule. */
function normalQuantile(share: number): number {
  const density = (z: number) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  const below = (z: number) => {
    const steps = 200;
    let sum = 0;
    for (let step = 0; step <= steps; step++) {
      const weight = step === 0 || step === steps ? 1 : 2 + 2 * (step % 2);
      sum += weight * density((z * step) / steps);
    }
    return 0.5 + (sum * z) / steps / 3;
  };
  let [low, high] = [-6, 6];
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2;
    [low, high] = below(middle) < share ? [middle, high] : [low, middle];
  }
  return low;
}

const known = {
  remaining: 100,
  observed: 50,
  windowSeconds: 3_600,
  answers: 100,
  elapsedSeconds: 7_200,
  deadline: inSeconds(86_400),
  lastAnswerAt: null,
  now: NOW,
};
const past = Array.from({ length: 8 }, (_, place) => ({
  elapsedSeconds: 7_000 + 100 * place,
  answers: 100,
  remainingAnswers: 100,
  remainingSeconds: 30_000 + 1_000 * place,
}));

describe('a forecast', () => {
  test('without finished batches goes by the rate, widely, and says that it is worth little', () => {
    const found = forecast(known);
    expect(found).toMatchObject({
      confidence: 'LOW',
      finished: 0,
      remainingAnswers: 100,
      answersPerHour: 50,
      computedAt: NOW,
    });
    // Two hours by the rate: 3.6 by the median, and one in twenty beyond ten.
    expect(found.expectedDoneAt?.getTime()).toBeGreaterThan(inSeconds(3.4 * 3_600).getTime());
    expect(found.expectedDoneAt?.getTime()).toBeLessThan(inSeconds(3.9 * 3_600).getTime());
    expect(found.doneBy).toHaveLength(19);
    expect(found.doneBy.at(-1)?.getTime()).toBeGreaterThan(inSeconds(10 * 3_600).getTime());
  });

  test('learns from five finished batches on how long it really takes, whatever the rate of the hour', () => {
    const night = { ...known, observed: 0 };
    expect(forecast(night).expectedDoneAt).toBeNull();
    expect(forecast(night, { finished: past.slice(0, 4), scale: 1 })).toMatchObject({
      confidence: 'LOW',
      doneBy: [],
    });
    const learned = forecast(night, { finished: past, scale: 1 });
    expect(learned).toMatchObject({ confidence: 'MEDIUM', finished: 8 });
    expect(learned.expectedDoneAt?.getTime()).toBeGreaterThan(inSeconds(30_000).getTime());
    expect(learned.expectedDoneAt?.getTime()).toBeLessThan(inSeconds(38_000).getTime());
    expect(learned.probabilityOnTime).toBeGreaterThan(0.95);
    const many = [...past, ...past, ...past];
    expect(forecast(night, { finished: many, scale: 1 }).confidence).toBe('HIGH');
  });

  test('what was too narrow before is wider now', () => {
    const width = (scale: number) => {
      const { seconds } = computeForecast(known, { finished: past, scale });
      return keptAt(seconds ?? sampleOf([0]), 0.9) - keptAt(seconds ?? sampleOf([0]), 0.1);
    };
    expect(width(2)).toBeGreaterThan(1.8 * width(1));
  });

  test('does not guess an end while nothing was answered, nor one that is years away', () => {
    expect(forecast({ ...known, observed: 0 }).expectedDoneAt).toBeNull();
    expect(forecast({ ...known, remaining: 1e9, observed: 1 })).toMatchObject({ expectedDoneAt: null });
  });

  test('is never quite sure while there is time, and is once there is none', () => {
    const never = forecast({ ...known, deadline: inSeconds(1) }).probabilityOnTime;
    const surely = forecast({ ...known, deadline: inSeconds(1e8) }).probabilityOnTime;
    expect(never).toBeGreaterThan(0);
    expect(never).toBeLessThan(0.01);
    expect(surely).toBeLessThan(1);
    expect(surely).toBeGreaterThan(0.99);
    expect(forecast({ ...known, deadline: inSeconds(0) }).probabilityOnTime).toBe(0);
  });

  test('says nothing of the deadline before there is something to judge by', () => {
    const young = { ...known, observed: 0, windowSeconds: 5 };
    expect(forecast(young).probabilityOnTime).toBeNull();
    expect(forecast({ ...young, observed: 5 }).probabilityOnTime).not.toBeNull();
    expect(forecast({ ...young, deadline: inSeconds(4) }).probabilityOnTime).not.toBeNull();
    expect(forecast({ ...young, deadline: inSeconds(-1) }).probabilityOnTime).toBe(0);
    expect(forecast({ ...known, deadline: null }).probabilityOnTime).toBeNull();
  });

  test('of finished work says when it was finished, and whether in time', () => {
    const done = { ...known, remaining: 0, lastAnswerAt: inSeconds(-60) };
    expect(forecast(done)).toMatchObject({
      expectedDoneAt: inSeconds(-60),
      probabilityOnTime: 1,
      doneBy: [],
    });
    expect(forecast({ ...done, deadline: inSeconds(-90) }).probabilityOnTime).toBe(0);
  });
});

test('risk has a memory: below .8 it begins, from .9 it ends, in between it stays', () => {
  const at = (probabilityOnTime: number | null) => ({
    remainingAnswers: 1,
    deadline: NOW,
    probabilityOnTime,
  });
  const path = [0.85, 0.79, 0.85, 0.89, null, 0.9, 0.85, 0.8, 0.799];
  const told: boolean[] = [];
  path.reduce((was, p) => {
    const is = isAtRisk(was, at(p));
    told.push(is);
    return is;
  }, false);
  expect(told).toEqual([false, true, true, true, true, false, false, false, true]);
  expect(isAtRisk(true, { ...at(0.1), remainingAnswers: 0 })).toBe(false);
  expect(isAtRisk(true, { ...at(0.1), deadline: null })).toBe(false);
});
