import { evenly, type Sample, type Weighted } from '../sample.js';
import { fitLine, type Line, type Point } from './line.js';
import { NORMAL, priorRatios } from './prior.js';
import { atMeanRate, type Finished, type Progress } from './progress.js';

/**
 * How long work still takes, judged by how long it took from the same progress where it has ended. Without drawing: the
 * same history says the same.
 *
 * The logarithm of the seconds that remain is a line in those of the seconds that have passed and of the answers that remain
 * (./line.ts), so that both old ways are cases of it: the past ratio to one's own speed, and the past seconds for each
 * answer left. What is left over (residuals) is the spread, each as it would have been had its own batch not been known
 * (leave-one-out), and as heavy in the tails as it was: the mean of such times does not exist, quantiles do (Wang, Faridani,
 * Ipeirotis 2011). Measured against the blend of the two old ways: docs/forecast.md.
 */
export interface CompletionModel {
  /** @param scale widens (above 1) or narrows the spread: see ./adaptive-spread.ts */
  remaining(progress: Progress, scale?: number): Sample;
}

/** With fewer finished batches nothing is measured: the spread is what such work has shown elsewhere. */
export const FINISHED_MIN = 5;

/** Of a finished batch the next one counts so much more: people, prices and instructions change. */
const FRESHNESS = { line: 0.9, spread: 0.97 } as const;
const SAMPLE_SIZE = 199;

/** @param finished in the order in which they ended */
export function completionModel(finished: readonly Finished[]): CompletionModel {
  const points = finished.filter(({ remainingAnswers }) => remainingAnswers > 0).map(pointOf);
  if (points.length < FINISHED_MIN) {
    return { remaining: priorOf };
  }
  const line = fitLine(points, FRESHNESS.line);
  const rests = spreadOf(line, points);
  return {
    remaining(progress, scale = 1) {
      const { centre, stretch } = line.at(xOf(progress));
      return evenly(
        rests.map(({ value, weight }) => ({ value: Math.exp(centre + value * stretch * scale), weight })),
        SAMPLE_SIZE,
      );
    },
  };
}

const xOf = ({ elapsedSeconds, remainingAnswers }: Progress): readonly [number, number] => [
  Math.log(Math.max(1, elapsedSeconds)),
  Math.log(Math.max(1, remainingAnswers)),
];

const pointOf = (batch: Finished): Point => ({
  x: xOf(batch),
  y: Math.log(Math.max(1, batch.remainingSeconds)),
});

/** Beyond so many robust standard deviations from the median a residual says "late", not how late. */
const OUTLIER = 2.5;
/** Of the spread, by which each residual stands for its neighbourhood: between few of them lie values too. */
const SMOOTHING = 0.2;
/** From median absolute deviation to standard deviation, of a normal distribution. */
const MAD = 1.4826;
/** Of two batches that agree exactly a third may still be 5 % off. */
const SPREAD_MIN = 0.05;
function spreadOf(line: Line, points: readonly Point[]): Weighted[] {
  const rests = points.map((point, place) => ({
    value: line.residual(point, place),
    weight: FRESHNESS.spread ** (points.length - 1 - place),
  }));
  const middle = medianOf(rests.map(({ value }) => value));
  const spread = SPREAD_MIN + MAD * medianOf(rests.map(({ value }) => Math.abs(value - middle)));
  const within = (value: number) =>
    Math.min(middle + OUTLIER * spread, Math.max(middle - OUTLIER * spread, value));
  return rests.flatMap(({ value, weight }) =>
    NORMAL.map((z) => ({ value: within(value) + z * SMOOTHING * spread, weight })),
  );
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]];
  return (low + high) / 2;
}

function priorOf(progress: Progress, scale = 1): Sample {
  const seconds = atMeanRate(progress);
  return evenly(
    priorRatios(scale).map((ratio) => ({ value: seconds * ratio, weight: 1 })),
    SAMPLE_SIZE,
  );
}
