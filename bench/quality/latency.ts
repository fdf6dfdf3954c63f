import { probabilityLarger } from '../../src/services/quality/watch/ranks.js';

/** What a client can time: milliseconds of calls that were given gold, and of calls that were not. */
export interface Latencies {
  readonly goldMs: readonly number[];
  readonly otherMs: readonly number[];
}

/** Times claims and submits of gold and of other tasks through the service, one after the other. */
export type MeasureLatencies = () => Promise<Latencies>;

/**
 * The area under the ROC curve of a classifier that tells gold by latency: .5 if it cannot. Null where nothing is there
 * that could be timed.
 */
export async function goldLatencyAuc(measure: MeasureLatencies | null): Promise<number | null> {
  if (measure === null) {
    return null;
  }
  const { goldMs, otherMs } = await measure();
  return probabilityLarger(goldMs, otherMs);
}
