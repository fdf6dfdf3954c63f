import { probabilityOf, quantileOf, type Sample, sampleOf } from './sample.js';

/** How many quantiles of a forecast are kept: .05, .10, … .95. */
const KEPT = 19;

/** What is kept of a distribution of seconds: its quantiles at .05, .10, … .95. They are a sample themselves. */
export function keptOf(sample: Sample): Sample {
  return sampleOf(Array.from({ length: KEPT }, (_, place) => quantileOf(sample, (place + 1) / (KEPT + 1))));
}

/** The quantile at one of .05, .10, … .95 of what was kept. */
export function keptAt(kept: readonly number[] | Sample, probability: number): number {
  return kept[Math.round(probability * (KEPT + 1)) - 1] ?? Number.NaN;
}

/**
 * How likely work is done within some seconds: never quite certain either way while time is left, for a sample does not know
 * what lies beyond it.
 */
export function chanceWithin(sample: Sample, secondsLeft: number): number {
  if (secondsLeft <= 0) {
    return 0;
  }
  return (probabilityOf(sample, secondsLeft) * sample.length + 0.5) / (sample.length + 1);
}
