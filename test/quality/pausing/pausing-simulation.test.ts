import { expect, test } from 'vitest';
import { simulatePauses } from '../../../bench/quality/pausing.js';

const of = (accuracy: number) => simulatePauses(accuracy, { experts: 2000, seed: 1 });

test.each([
  { accuracy: 0.5, min: 0.95 },
  { accuracy: 0.6, min: 0.7 },
])('within sixty gold at least $min of experts at $accuracy are paused', ({ accuracy, min }) => {
  expect(of(accuracy).paused).toBeGreaterThanOrEqual(min);
});

test.each([
  { accuracy: 0.8, max: 0.03 },
  { accuracy: 0.85, max: 0.01 },
])('within sixty gold at most $max of experts at $accuracy are paused', ({ accuracy, max }) => {
  expect(of(accuracy).paused).toBeLessThanOrEqual(max);
});

test('a re-test returns who is good and hardly ever who guesses', () => {
  expect(of(0.85).returned).toBeGreaterThan(0.85);
  expect(of(0.9).returned).toBeGreaterThan(0.95);
  expect(of(0.5).returned).toBeLessThan(0.1);
});
