import { sleep } from './abort.js';
import { ClientError } from './errors.js';

/** How a call is sent again after it got no answer. */
export interface RetryPolicy {
  /** The first wait, in milliseconds; it doubles with each failure (default 200). */
  readonly baseMs: number;
  /** The longest wait (default 15,000). */
  readonly capMs: number;
  /** How long one call is tried before its failure is the caller's (default 300,000). */
  readonly patienceMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { baseMs: 200, capMs: 15_000, patienceMs: 300_000 };

/**
 * The wait before try number `failures + 1`: half to all of `base × 2^(failures - 1)`, at most the cap. The spread
 * keeps clients that one outage stopped together from coming back together. With the defaults: 0.1-0.2 s, 0.2-0.4 s,
 * 0.4-0.8 s … 7.5-15 s. A wait that the server asked for is a floor, itself spread by up to a quarter.
 */
export function waitBeforeRetry(
  policy: Pick<RetryPolicy, 'baseMs' | 'capMs'>,
  failures: number,
  { retryAfterMs = null, random = Math.random }: { retryAfterMs?: number | null; random?: () => number } = {},
): number {
  const full = Math.min(policy.capMs, policy.baseMs * 2 ** Math.min(failures - 1, 30));
  const own = full * (0.5 + 0.5 * random());
  return retryAfterMs === null ? own : Math.max(own, retryAfterMs * (1 + 0.25 * random()));
}

export interface RetryHooks {
  readonly signal?: AbortSignal | undefined;
  /** Told of each failure that will be tried again. */
  readonly onRetry?:
    | ((failure: { error: ClientError; failures: number; waitMs: number }) => void)
    | undefined;
}

/** Runs `call` until it is answered, waiting longer each time. Throws the last failure when patience ends. */
export async function withRetries<T>(
  policy: RetryPolicy,
  call: () => Promise<T>,
  { signal, onRetry }: RetryHooks = {},
): Promise<T> {
  let impatientAt = Number.POSITIVE_INFINITY;
  for (let failures = 1; ; failures++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ClientError) || !error.retryable || signal?.aborted) {
        throw error;
      }
      const waitMs = waitBeforeRetry(policy, failures, { retryAfterMs: error.retryAfterMs });
      impatientAt = Math.min(impatientAt, performance.now() + policy.patienceMs);
      if (performance.now() + waitMs > impatientAt) {
        throw error;
      }
      onRetry?.({ error, failures, waitMs });
      await sleep(waitMs, signal);
    }
  }
}
