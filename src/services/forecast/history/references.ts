import { type Sample, sampleOf } from '../sample.js';
import { atMeanRate, type Finished, type Progress } from './progress.js';

// What others do, to be measured against.

/** The rest at the mean speed so far: one date. */
export const averageRate = (progress: Progress): Sample => sampleOf([atMeanRate(progress)]);

const DRAWS = 500;

/**
 * What boards of tickets do: the times between the batch's own answers so far, drawn again for each that is left, and added
 * up; five hundred times.
 * @param gaps seconds, the first from the start
 * @param random numbers in [0, 1)
 */
export function ownThroughput(
  { remainingAnswers }: Progress,
  gaps: Float64Array,
  random: () => number,
): Sample {
  return sampleOf(
    Array.from({ length: DRAWS }, () => {
      let seconds = 0;
      for (let left = remainingAnswers; left > 0; left -= 1) {
        seconds += gaps[Math.floor(random() * gaps.length)] ?? 0;
      }
      return seconds;
    }),
  );
}

/**
 * The blend: what finished batches took beyond their mean speed from the same progress, times this one's; and the seconds they
 * took for each answer that was left. Both together, each as likely; the mean speed alone where none had anything left.
 */
export function blend(progress: Progress, finished: readonly Finished[]): Sample {
  const known = finished.filter(({ remainingAnswers }) => remainingAnswers > 0);
  if (known.length === 0) {
    return averageRate(progress);
  }
  return sampleOf([
    ...known.map((one) => (atMeanRate(progress) * one.remainingSeconds) / atMeanRate(one)),
    ...known.map((one) => (progress.remainingAnswers * one.remainingSeconds) / one.remainingAnswers),
  ]);
}
