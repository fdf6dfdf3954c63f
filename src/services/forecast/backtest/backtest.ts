import { adaptiveSpread, INTERVAL } from '../history/adaptive-spread.js';
import { completionModel, FINISHED_MIN } from '../history/completion-model.js';
import type { Finished, Progress } from '../history/progress.js';
import { averageRate, blend, ownThroughput } from '../history/references.js';
import { quantileOf, type Sample, sampleOf } from '../sample.js';
import { intervalOf } from '../scores.js';
import { type Scored, type Scores, scoresOf } from './scoring.js';
import { finishedAt, gapsUntil, momentOf, progressOf, type TimedBatch } from './timed-batch.js';

/** Ours, and what it is measured against: ../history/references.ts. */
export const BACKTEST_METHODS = ['ours', 'average', 'monteCarlo', 'blend'] as const;
export type BacktestMethod = (typeof BACKTEST_METHODS)[number];
export type BacktestResult = Readonly<Record<BacktestMethod, Scores>>;

/** Deadlines that a log does not have: the start, and so many times what the finished batches took by their median. */
const DEADLINES = [0.5, 1, 1.5, 2, 3] as const;

/** What was forecast of one batch, and what became of it. Seconds from `now`. */
export interface Forecasted extends Omit<Scored, 'sample'> {
  readonly batch: TimedBatch;
  readonly now: number;
  readonly samples: Readonly<Record<BacktestMethod, Sample>>;
}

/** Numbers in [0, 1) for a batch: what Monte Carlo draws by. */
export type RandomOf = (batch: string) => () => number;

/** Forecasts batches of a log as {@link forecastsAt} does, and scores each method over all of them. */
export function backtest(batches: readonly TimedBatch[], share: number, randomOf: RandomOf): BacktestResult {
  const made = forecastsAt(batches, share, randomOf);
  const of = (method: BacktestMethod) =>
    scoresOf(made.map(({ samples, ...rest }) => ({ ...rest, sample: samples[method] })));
  return { ours: of('ours'), average: of('average'), monteCarlo: of('monteCarlo'), blend: of('blend') };
}

/**
 * Forecasts every batch at the moment at which a share of its answers was in, knowing what was known at that moment and
 * nothing that came later: its own answers so far, and the batches that had ended. Only batches with at least five such,
 * and something left to come; the same ones, in the order of their moments, for every method.
 * @param share of a batch's answers, above 0 and below 1
 */
export function forecastsAt(batches: readonly TimedBatch[], share: number, randomOf: RandomOf): Forecasted[] {
  const byEnd = batches.toSorted((one, other) => one.end - other.end || (one.name < other.name ? -1 : 1));
  const moments = byEnd
    .map((batch) => ({ batch, now: momentOf(batch, share) }))
    .filter(({ batch, now }) => now < batch.end)
    .sort((one, other) => one.now - other.now || (one.batch.name < other.batch.name ? -1 : 1));
  const ours = ourForecasts();
  return moments.flatMap(({ batch, now }) => {
    const past = byEnd.filter((one) => one.end <= now);
    if (past.length < FINISHED_MIN) {
      return [];
    }
    const progress = progressOf(batch, now);
    const finished = past.map((one) => finishedAt(one, share));
    const samples = {
      ours: ours.make({ progress, finished }, { now, end: batch.end }),
      average: averageRate(progress),
      monteCarlo: ownThroughput(progress, gapsUntil(batch, now), randomOf(batch.name)),
      blend: blend(progress, finished),
    };
    return [{ batch, now, samples, actual: batch.end - now, deadlines: deadlinesOf(batch, past, now) }];
  });
}

/** Those that are still ahead, in seconds from now. */
function deadlinesOf({ start }: TimedBatch, past: readonly TimedBatch[], now: number): number[] {
  const median = quantileOf(sampleOf(past.map((batch) => batch.end - batch.start)), 0.5);
  return DEADLINES.map((times) => start + times * median - now).filter((seconds) => seconds > 0);
}

interface Known {
  readonly progress: Progress;
  readonly finished: readonly Finished[];
}

/** Makes our forecasts one after the other; what has become of a forecast teaches the next one once its batch has ended. */
function ourForecasts() {
  const spread = adaptiveSpread();
  let made: { readonly end: number; readonly hasHeld: boolean }[] = [];
  return {
    make({ progress, finished }: Known, { now, end }: { now: number; end: number }): Sample {
      const ended = made.filter((one) => one.end <= now).sort((one, other) => one.end - other.end);
      made = made.filter((one) => one.end > now);
      for (const { hasHeld } of ended) {
        spread.learn(hasHeld);
      }
      const sample = completionModel(finished).remaining(progress, spread.scale);
      const { low, high } = intervalOf(sample, INTERVAL);
      made.push({ end, hasHeld: low <= end - now && end - now <= high });
      return sample;
    },
  };
}
