// @once: arithmetic of pages
import { expect, test } from 'vitest';
import { bandsOf, medianOf, thinned, type Way, wayOfAll } from '../../web/src/customer/burn-up-data.js';

const way = (change: Partial<Way>): Way => ({
  startedAt: 0,
  wanted: 20,
  counted: 0,
  doneAt: null,
  points: [],
  ...change,
});

test('the way of several batches adds what each had at every moment', () => {
  const first = way({
    counted: 20,
    doneAt: 40,
    points: [
      { at: 10, answers: 10 },
      { at: 40, answers: 20 },
    ],
  });
  const second = way({ startedAt: 20, counted: 7, points: [{ at: 30, answers: 5 }] });
  expect(wayOfAll([first, second], 50)).toEqual([
    { at: 0, answers: 0 },
    { at: 10, answers: 10 },
    { at: 20, answers: 10 },
    { at: 30, answers: 15 },
    { at: 40, answers: 25 },
    { at: 50, answers: 27 },
  ]);
});

test('a way never goes back, and never beyond now', () => {
  const late = way({
    counted: 8,
    points: [
      { at: 10, answers: 9 },
      { at: 90, answers: 12 },
    ],
  });
  expect(wayOfAll([late], 50)).toEqual([
    { at: 0, answers: 0 },
    { at: 10, answers: 9 },
    { at: 50, answers: 9 },
  ]);
  expect(wayOfAll([], 50)).toEqual([]);
});

test('bands are of half and of nine in ten futures, the widest first; what has no end is none', () => {
  const quantiles = [0.05, 0.25, 0.5, 0.75, 0.95].map((probability) => ({
    probability,
    at: probability * 100,
  }));
  expect(bandsOf(quantiles)).toEqual([
    { share: 0.9, from: 5, to: 95 },
    { share: 0.5, from: 25, to: 75 },
  ]);
  expect(medianOf(quantiles)).toBe(50);
  const endless = quantiles.map((one) => (one.probability > 0.9 ? { ...one, at: null } : one));
  expect(bandsOf(endless)).toEqual([{ share: 0.5, from: 25, to: 75 }]);
  expect(bandsOf([])).toEqual([]);
  expect(medianOf([])).toBeNull();
});

test('thinning keeps the first point and the last', () => {
  const points = Array.from({ length: 1000 }, (_, n) => ({ at: n, answers: n }));
  const few = thinned(points, 50);
  expect(few.length).toBe(50);
  expect([few[0], few.at(-1)]).toEqual([points[0], points.at(-1)]);
  expect(thinned(points.slice(0, 3), 50)).toEqual(points.slice(0, 3));
});
