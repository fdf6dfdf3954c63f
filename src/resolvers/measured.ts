import type { Histogram } from 'prom-client';
import { DomainError } from '../services/platform/errors.js';

/** Runs `work` and says how long it took, under the class of its outcome: see the histograms' help. */
export async function measured<T>(
  histogram: Histogram<'outcome'>,
  classOf: (result: T) => string,
  work: () => Promise<T>,
): Promise<T> {
  const end = histogram.startTimer();
  try {
    const result = await work();
    end({ outcome: classOf(result) });
    return result;
  } catch (error) {
    end({ outcome: error instanceof DomainError ? 'REFUSED' : 'ERROR' });
    throw error;
  }
}
