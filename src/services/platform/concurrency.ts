import { CancelledError } from './errors.js';

/**
 * Runs `work` on every item, at most `limit` at a time. The first failure is thrown after the running ones have
 * ended, and no further item is begun.
 */
export async function forEachBounded<T>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<unknown>,
): Promise<void> {
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (!failed && next < items.length) {
      const item = items[next] as T;
      next += 1;
      await work(item).catch((error: unknown) => {
        failed = true;
        throw error;
      });
    }
  };
  const ended = await Promise.allSettled(Array.from({ length: Math.min(limit, items.length) }, lane));
  for (const one of ended) {
    if (one.status === 'rejected') {
      throw one.reason;
    }
  }
}

/** Work that takes turns; more than a bound may not wait for one. */
export interface Turns {
  /** Runs `work` when it is its turn; null where too many wait already. @throws CancelledError while it waits */
  take<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T | null>;
  /** How many wait. */
  waiting(): number;
}

/** Lets `atOnce` run, and at most `waitingMax` wait, first come first served. */
export function createTurns(atOnce: number, waitingMax: number): Turns {
  const line = new Set<() => void>();
  let running = 0;
  const next = () => {
    const [first] = line;
    if (first === undefined) {
      running -= 1;
    } else {
      line.delete(first);
      first(); // takes over this turn
    }
  };
  const wait = (signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        line.delete(begin);
        reject(new CancelledError());
      };
      const begin = () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      line.add(begin);
    });
  return {
    waiting: () => line.size,
    async take(work, signal) {
      if (signal?.aborted) {
        throw new CancelledError();
      }
      if (running < atOnce) {
        running += 1;
      } else if (line.size >= waitingMax) {
        return null;
      } else {
        await wait(signal);
      }
      try {
        return await work();
      } finally {
        next();
      }
    },
  };
}
