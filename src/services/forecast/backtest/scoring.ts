import { probabilityOf, quantileOf, type Sample } from '../sample.js';
import { brierOf, crpsOf, intervalOf } from '../scores.js';

/** A forecast whose batch has ended. Seconds from when it was made. */
export interface Scored {
  readonly sample: Sample;
  readonly actual: number;
  /** Deadlines that were still ahead. */
  readonly deadlines: readonly number[];
}

/** How good some forecasts were. Null where there is nothing to measure. */
export interface Scores {
  readonly batches: number;
  /** Mean over all batches and deadlines. */
  readonly brier: number | null;
  readonly crpsHours: number | null;
  /** Share of batches that ended within the interval that was to hold 80 %, and its mean width. */
  readonly coverage80: number | null;
  readonly width80Hours: number | null;
  /** Share that ended by the .9 quantile. */
  readonly q90Coverage: number | null;
  /** Share that ended after the median. */
  readonly medianExceeded: number | null;
}

const HOUR = 3600;

/** Scores forecasts together; each batch counts alike, and in Brier's score each of its deadlines. */
export function scoresOf(scored: readonly Scored[]): Scores {
  const mean = (of: (one: Scored) => number) => meanOf(scored.map(of));
  const briers = scored.flatMap(({ sample, actual, deadlines }) =>
    deadlines.map((deadline) => brierOf(probabilityOf(sample, deadline), actual <= deadline)),
  );
  const interval = ({ sample }: Scored) => intervalOf(sample, 0.8);
  return {
    batches: scored.length,
    brier: meanOf(briers),
    crpsHours: mean(({ sample, actual }) => crpsOf(sample, actual) / HOUR),
    coverage80: mean((one) => Number(interval(one).low <= one.actual && one.actual <= interval(one).high)),
    width80Hours: mean((one) => (interval(one).high - interval(one).low) / HOUR),
    q90Coverage: mean(({ sample, actual }) => Number(actual <= quantileOf(sample, 0.9))),
    medianExceeded: mean(({ sample, actual }) => Number(actual > quantileOf(sample, 0.5))),
  };
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}
