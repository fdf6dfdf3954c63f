import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fitLine, type Point } from '../../../src/services/forecast/history/line.js';

const coordinate = fc.double({ min: -5, max: 12, noNaN: true });
const point = fc.record({ x: fc.tuple(coordinate, coordinate), y: coordinate });
const points = fc.array(point, { minLength: 6, maxLength: 25 });

/** What the slopes, and the level that makes the mean right, cost: what the fit is to make least. */
function cost(of: readonly Point[], [a, b]: readonly [number, number], freshness: number): number {
  const weights = of.map((_, place) => freshness ** (of.length - 1 - place));
  const rests = of.map(({ x, y }) => y - a * x[0] - b * x[1]);
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  const level = rests.reduce((sum, rest, place) => sum + rest * (weights[place] ?? 0), 0) / whole;
  const squares = rests.reduce((sum, rest, place) => sum + (weights[place] ?? 0) * (rest - level) ** 2, 0);
  return squares + 6 * ((a - 0.5) ** 2 + (b - 0.5) ** 2);
}

test('the slopes are those of least weighted squares and least distance from one half, whatever the points', () => {
  fc.assert(
    fc.property(points, (of) => {
      const line = fitLine(of, 0.9);
      const slope = (x: readonly [number, number]) => line.at(x).centre - line.at([0, 0]).centre;
      const [a, b] = [slope([1, 0]), slope([0, 1])];
      const least = cost(of, [a, b], 0.9);
      for (const [da, db] of [
        [1e-3, 0],
        [-1e-3, 0],
        [0, 1e-3],
        [0, -1e-3],
      ] as const) {
        expect(cost(of, [a + da, b + db], 0.9)).toBeGreaterThan(least);
      }
    }),
  );
});

test('a residual is how far off the line is that was fitted without the point', () => {
  fc.assert(
    fc.property(points, fc.nat(), (of, pick) => {
      const place = pick % of.length;
      const left = of[place];
      if (left === undefined) {
        return;
      }
      const without = fitLine(
        of.filter((_, other) => other !== place),
        1,
      );
      const off = left.y - without.at(left.x).centre;
      const found = fitLine(of, 1).residual(left, place);
      // A point that all but decides the line has its residual held back, never blown up.
      expect(Math.abs(found)).toBeLessThanOrEqual(Math.abs(off) + 1e-6);
      if (fitLine(of, 1).at(left.x).stretch ** 2 - 1 < 0.7) {
        expect(found).toBeCloseTo(off, 6);
      }
    }),
  );
});

test('the further from what is known, the wider', () => {
  const line = fitLine(
    [0, 1, 2, 3, 4].map((place) => ({ x: [place, 4 - place] as const, y: place })),
    0.9,
  );
  expect(line.at([20, 20]).stretch).toBeGreaterThan(line.at([2, 2]).stretch);
});
