import type { Histogram } from 'prom-client';
import { DomainError } from '../services/platform/errors.js';
import { inSpan } from '../services/platform/tracing.js';

/** What is measured of a service call. */
interface Measure<T> {
  readonly seconds: Histogram<'outcome'>;
  /** The name of its span. */
  readonly span: string;
  readonly classOf: (result: T) => string;
}

/** Runs `work` and says how long it took, under the class of its outcome: see the histograms' help. */
export async function measured<T>(measure: Measure<T>, work: () => Promise<T>): Promise<T> {
  const end = measure.seconds.startTimer();
  try {
    const result = await inSpan(measure.span, {}, work);
    end({ outcome: measure.classOf(result) });
    return result;
  } catch (error) {
    end({ outcome: error instanceof DomainError ? 'REFUSED' : 'ERROR' });
    throw error;
  }
}
