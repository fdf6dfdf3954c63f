import { quantileOf, type Sample } from './sample.js';

/**
 * The continuous ranked probability score of a forecast whose values are equally likely, in their unit; 0 is best, and of a
 * single value it is how far off it was. E|X - y| - E|X - X'| / 2 (Gneiting & Raftery 2007, JASA 102, equation 21), the second
 * part by the order of the values: n log n instead of n².
 */
export function crpsOf(sample: Sample, actual: number): number {
  const n = sample.length;
  let off = 0;
  let apart = 0;
  for (const [place, value] of sample.entries()) {
    off += Math.abs(value - actual);
    apart += (2 * place + 1 - n) * value;
  }
  return off / n - apart / (n * n);
}

/** Brier's score of one stated probability (Brier 1950): 0 is best, 1 worst, .25 is what a coin has. */
export function brierOf(probability: number, hasHappened: boolean): number {
  return (probability - Number(hasHappened)) ** 2;
}

/** The pinball loss of a quantile, in its unit; 0 is best (Koenker & Bassett 1978). */
export function pinballOf(quantile: number, probability: number, actual: number): number {
  return actual >= quantile ? probability * (actual - quantile) : (1 - probability) * (quantile - actual);
}

/** The ends between which a forecast says that the value is with the given probability: as likely below as above. */
export function intervalOf(
  sample: Sample,
  probability: number,
): { readonly low: number; readonly high: number } {
  const tail = (1 - probability) / 2;
  return { low: quantileOf(sample, tail), high: quantileOf(sample, 1 - tail) };
}
