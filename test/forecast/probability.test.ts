import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeForecast } from '../../src/services/forecast/forecast.js';
import { probabilityWithin } from '../../src/services/forecast/probability.js';
import { isAtRisk } from '../../src/services/forecast/risk.js';

const NOW = new Date('2026-01-01T00:00:00Z');
const inSeconds = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);

describe('the probability to be done in time', () => {
  const progress = fc.record({
    remaining: fc.integer({ min: 1, max: 200_000 }),
    observed: fc.integer({ min: 0, max: 100_000 }),
    windowSeconds: fc.integer({ min: 60, max: 3_600 }),
  });
  const left = fc.integer({ min: 1, max: 10_000_000 });
  const more = fc.integer({ min: 1, max: 10_000 });
  const SLACK = 1e-9;

  test('is a probability, grows with what was observed and with the time, falls with what remains', () => {
    fc.assert(
      fc.property(progress, left, more, (known, secondsLeft, extra) => {
        const p = probabilityWithin(known, secondsLeft);
        expect(p).toBeGreaterThanOrEqual(0);
        expect(p).toBeLessThanOrEqual(1);
        const faster = { ...known, observed: known.observed + extra };
        expect(probabilityWithin(faster, secondsLeft)).toBeGreaterThanOrEqual(p - SLACK);
        expect(probabilityWithin(known, secondsLeft + extra)).toBeGreaterThanOrEqual(p - SLACK);
        const behind = { ...known, remaining: known.remaining + extra };
        expect(probabilityWithin(behind, secondsLeft)).toBeLessThanOrEqual(p + SLACK);
      }),
    );
  });

  test('is certain where nothing remains, and nil where no time does', () => {
    expect(probabilityWithin({ remaining: 0, observed: 0, windowSeconds: 60 }, 0)).toBe(1);
    expect(probabilityWithin({ remaining: 1, observed: 9, windowSeconds: 60 }, 0)).toBe(0);
  });
});

describe('a forecast', () => {
  const known = {
    remaining: 100,
    observed: 50,
    windowSeconds: 3_600,
    deadline: inSeconds(86_400),
    lastAnswerAt: null,
    now: NOW,
  };

  test('expects the end at the present rate', () => {
    expect(computeForecast(known)).toMatchObject({
      confidence: 'LOW',
      remainingAnswers: 100,
      answersPerHour: 50,
      expectedDoneAt: inSeconds(7_200),
      computedAt: NOW,
    });
  });

  test('does not guess an end while nothing was answered, nor one that is years away', () => {
    expect(computeForecast({ ...known, observed: 0 }).expectedDoneAt).toBeNull();
    expect(computeForecast({ ...known, remaining: 1e9, observed: 1 }).expectedDoneAt).toBeNull();
  });

  test('says nothing of the deadline before there is something to judge by', () => {
    const young = { ...known, observed: 0, windowSeconds: 5 };
    expect(computeForecast(young).probabilityOnTime).toBeNull();
    expect(computeForecast({ ...young, observed: 5 }).probabilityOnTime).not.toBeNull();
    expect(computeForecast({ ...young, deadline: inSeconds(4) }).probabilityOnTime).not.toBeNull();
    expect(computeForecast({ ...young, deadline: inSeconds(-1) }).probabilityOnTime).toBe(0);
    expect(computeForecast({ ...known, deadline: null }).probabilityOnTime).toBeNull();
  });

  test('of finished work says when it was finished, and whether in time', () => {
    const done = { ...known, remaining: 0, lastAnswerAt: inSeconds(-60) };
    expect(computeForecast(done)).toMatchObject({ expectedDoneAt: inSeconds(-60), probabilityOnTime: 1 });
    expect(computeForecast({ ...done, deadline: inSeconds(-90) }).probabilityOnTime).toBe(0);
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
