import type { Scale } from '../../../src/services/quality/agreement/scales.js';

type Said = string | number;

/** Krippendorff's squared difference of two values, with all values that have a partner laid out. */
function squaredOf(all: readonly Said[], scale: Scale) {
  const between = (low: number, high: number) =>
    all.filter((x) => Number(x) > low && Number(x) < high).length +
    (all.filter((x) => x === low).length + all.filter((x) => x === high).length) / 2;
  return (one: Said, other: Said): number => {
    if (one === other) {
      return 0;
    }
    if (scale === 'NOMINAL') {
      return 1;
    }
    const [low, high] = [Math.min(Number(one), Number(other)), Math.max(Number(one), Number(other))];
    const distances = {
      ORDINAL: between(low, high),
      INTERVAL: high - low,
      RATIO: (high - low) / (high + low),
    };
    return distances[scale] ** 2;
  };
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0);

/** By the definition, pair by pair: the differences within units over those of all answers that have a partner. */
export function textbookAlpha(given: readonly (readonly Said[])[], scale: Scale): number | null {
  const paired = given.filter((unit) => unit.length > 1);
  const all = paired.flat();
  const squared = squaredOf(all, scale);
  const mean = (values: readonly Said[]) =>
    sum(values.flatMap((x, i) => values.map((y, k) => (i === k ? 0 : squared(x, y))))) / (values.length - 1);
  const expected = mean(all) / all.length;
  const observed = paired.reduce((total, unit) => total + mean(unit), 0) / all.length;
  return all.length === 0 ? null : expected === 0 ? 1 : 1 - observed / expected;
}

/** An answer and those of the same unit that it is compared with, each such answer being one unit's share. */
export interface Compared {
  readonly said: Said;
  readonly others: readonly Said[];
}

/** How some answers agree with those they are compared with, by the chance of all answers that have a partner. */
export function textbookAlphaOfPart(
  part: readonly Compared[],
  given: readonly (readonly Said[])[],
  scale: Scale,
): number | null {
  const all = given.filter((unit) => unit.length > 1).flat();
  const squared = squaredOf(all, scale);
  const expected =
    sum(all.flatMap((x, i) => all.map((y, k) => (i === k ? 0 : squared(x, y))))) /
    (all.length * (all.length - 1));
  const observed = sum(
    part.map(({ said, others }) => sum(others.map((other) => squared(said, other))) / others.length),
  );
  return part.length === 0 ? null : expected === 0 ? 1 : 1 - observed / part.length / expected;
}
