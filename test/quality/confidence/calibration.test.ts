import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  accuracyOfAnswer,
  calibrateConfidence,
  expectedCalibrationError,
  PAIRS_MAX,
} from '../../../src/services/quality/confidence/calibration.js';
import { applyPlatt } from '../../../src/services/quality/confidence/platt.js';
import { statedOf } from './stated.js';

const truthful = (pairs: number, seed = 1) => statedOf({ pairs, seed, stated: (p) => p });

describe('the calibration error', () => {
  test('of groups that each are .1 off is .1, and does not part what was stated alike', () => {
    const pairs = [0.6, 0.7, 0.8, 0.9].flatMap((probability) =>
      Array.from({ length: 10 }, (_, n) => ({ probability, isRight: n < probability * 10 - 1 })),
    );
    expect(expectedCalibrationError(pairs)).toBeCloseTo(0.1, 12);
    expect(expectedCalibrationError([...pairs].reverse())).toBeCloseTo(0.1, 12);
  });

  test('is within 0 and 1, and at most what a single group cannot hide', () => {
    const pairs = fc.array(
      fc.record({ probability: fc.double({ min: 0, max: 1, noNaN: true }), isRight: fc.boolean() }),
      { maxLength: 60 },
    );
    fc.assert(
      fc.property(pairs, (all) => {
        const error = expectedCalibrationError(all);
        const { stated, actual } = calibrateConfidence(all);
        expect(error).toBeLessThanOrEqual(1 + 1e-12);
        // Groups can only add up to more than the whole is off.
        expect(error).toBeGreaterThanOrEqual(Math.abs(stated - actual) - 1e-9);
      }),
    );
  });

  test('of nothing is 0', () => {
    expect(calibrateConfidence([])).toMatchObject({ pairs: 0, error: 0, brier: 0, use: 'TOO_FEW' });
  });
});

describe('what an expert says of their answers', () => {
  test('is not used before thirty pairs', () => {
    expect(calibrateConfidence(truthful(29)).use).toBe('TOO_FEW');
  });

  test('is used where it tells right from wrong', () => {
    const uses = Array.from({ length: 40 }, (_, seed) => calibrateConfidence(truthful(150, seed)).use);
    expect(uses.filter((use) => use === 'USABLE').length).toBeGreaterThan(34);
  });

  test('is not used where it is always the same, or at random', () => {
    const uses = Array.from({ length: 100 }, (_, seed) => [
      calibrateConfidence(statedOf({ pairs: 150, seed, stated: () => 0.9 })).use,
      calibrateConfidence(statedOf({ pairs: 150, seed, stated: (_p, uniform) => uniform })).use,
    ]).flat();
    expect(uses.filter((use) => use === 'USABLE').length).toBeLessThanOrEqual(6);
  });

  test('is shown for what it is: somebody who says 1 and is right in three of four is .25 off', () => {
    const sure = Array.from({ length: 100 }, (_, n) => ({ probability: 1, isRight: n % 4 !== 0 }));
    expect(calibrateConfidence(sure)).toMatchObject({ stated: 1, actual: 0.75, error: 0.25, brier: 0.25 });
  });

  test('counts by the last two hundred pairs', () => {
    const wrong = Array.from({ length: 500 }, () => ({ probability: 0.9, isRight: false }));
    const right = Array.from({ length: PAIRS_MAX }, () => ({ probability: 0.9, isRight: true }));
    expect(calibrateConfidence([...wrong, ...right])).toMatchObject({ pairs: 200, actual: 1 });
  });

  test('once usable says how much surer than usual; without it the accuracy stands', () => {
    const boasts = calibrateConfidence(statedOf({ pairs: 200, seed: 3, stated: (p) => p ** 0.3 }));
    expect(boasts.use).toBe('USABLE');
    expect(accuracyOfAnswer(0.8, boasts, 0.85)).toBeLessThan(accuracyOfAnswer(0.8, boasts, 0.99));
    expect(accuracyOfAnswer(boasts.actual, boasts, 0.85)).toBeLessThan(boasts.actual);
    expect(accuracyOfAnswer(boasts.actual, boasts, 0.85)).toBeCloseTo(applyPlatt(boasts.map, 0.85), 9);
    expect(accuracyOfAnswer(0.8, boasts, null)).toBe(0.8);
    expect(accuracyOfAnswer(0.8, null, 0.99)).toBe(0.8);
  });

  test('does not carry what somebody is good at into what they guess at', () => {
    const good = calibrateConfidence(statedOf({ pairs: 200, seed: 3, stated: (p) => p }));
    expect(good.use).toBe('USABLE');
    const odds = (p: number) => p / (1 - p);
    // Each statement moves the odds of every skill by as much.
    const moved = odds(applyPlatt(good.map, 0.95)) / odds(good.actual);
    expect(odds(accuracyOfAnswer(0.5, good, 0.95))).toBeCloseTo(moved, 9);
    expect(odds(accuracyOfAnswer(0.9, good, 0.95))).toBeCloseTo(9 * moved, 6);
    expect(accuracyOfAnswer(0.5, good, 0.95)).toBeLessThan(applyPlatt(good.map, 0.95));
  });
});
