/**
 * A distribution as numbers that are equally likely, smallest first: what a forecast says of the time until work is done, in
 * seconds. Never empty.
 */
export type Sample = Float64Array;

/** Puts equally likely numbers in order. Throws RangeError where there are none, or one is no number. */
export function sampleOf(values: Iterable<number>): Sample {
  const sample = Float64Array.from(values).sort();
  // Sorting puts NaN last.
  if (sample.length === 0 || Number.isNaN(sample[sample.length - 1])) {
    throw new RangeError('A sample needs numbers, at least one.');
  }
  return sample;
}

/**
 * The value that is not exceeded with the given probability, 0 to 1, linear between neighbours (Hyndman & Fan 1996, type 7:
 * what numpy and R say).
 */
export function quantileOf(sample: Sample, probability: number): number {
  const at = Math.min(1, Math.max(0, probability)) * (sample.length - 1);
  const below = sample[Math.floor(at)] ?? Number.NaN;
  const above = sample[Math.ceil(at)] ?? Number.NaN;
  return below + (above - below) * (at - Math.floor(at));
}

/** The probability of at most `value`. */
export function probabilityOf(sample: Sample, value: number): number {
  let low = 0;
  let high = sample.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sample[middle] ?? Number.NaN) <= value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low / sample.length;
}

/** A value, and how much of the whole it stands for. */
export interface Weighted {
  readonly value: number;
  readonly weight: number;
}

/**
 * So many equally likely numbers that stand for weighted ones: number i of n is the smallest value up to which at least
 * (i + 1/2) / n of the weight lies. Throws RangeError where there is no weight.
 */
export function evenly(points: readonly Weighted[], count: number): Sample {
  const sorted = points.filter(({ weight }) => weight > 0).sort((one, other) => one.value - other.value);
  const whole = sorted.reduce((sum, { weight }) => sum + weight, 0);
  let at = 0;
  let passed = sorted[0]?.weight ?? 0;
  const value = (_: unknown, place: number) => {
    while (passed < ((place + 0.5) / count) * whole && at < sorted.length - 1) {
      at += 1;
      passed += sorted[at]?.weight ?? 0;
    }
    return sorted[at]?.value ?? Number.NaN;
  };
  return sampleOf(Array.from({ length: count }, value));
}
