import { setMaxListeners } from 'node:events';
import { live, ReplayBrokenError, type World } from './person.js';
import type { PersonPlan } from './plan.js';

/** Nobody had a receipt for so long that waiting on makes no sense. */
export class ReplayStuckError extends Error {
  override readonly name = 'ReplayStuckError';
}

export interface CrowdOptions {
  readonly world: Omit<World, 'signal'>;
  readonly plans: readonly PersonPlan[];
  /** How many work at once. */
  readonly concurrency: number;
  /** How long there may be no receipt at all. */
  readonly patienceMs: number;
  readonly signal?: AbortSignal | undefined;
}

const WATCH_MS = 1000;

/**
 * Lets everybody work, and resolves when everybody is done. Throws ReplayStuckError when patience ends,
 * ReplayBrokenError at the first thing that must never happen, what a client throws, or the signal's reason.
 */
export async function replayCrowd({
  world,
  plans,
  concurrency,
  patienceMs,
  signal,
}: CrowdOptions): Promise<void> {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // every client listens, that is what it is for
  const follow = () => stop.abort(signal?.reason);
  signal?.addEventListener('abort', follow, { once: true });
  const watch = setInterval(() => {
    if (world.log.idleMs() > patienceMs) {
      stop.abort(
        new ReplayStuckError(`No answer was accepted for ${Math.round(patienceMs / 1000)} seconds.`),
      );
    }
  }, WATCH_MS);
  try {
    signal?.throwIfAborted();
    await eachOf(plans, concurrency, async (plan) => {
      try {
        await live({ ...world, signal: stop.signal }, plan);
        stop.signal.throwIfAborted();
      } catch (error) {
        stop.abort(error); // the first failure ends everybody, and is the one that is told
        throw stop.signal.reason;
      }
    });
    requireUnbroken(world);
  } finally {
    clearInterval(watch);
    signal?.removeEventListener('abort', follow);
  }
}

function requireUnbroken({ log }: Pick<World, 'log'>): void {
  const [first] = log.counts().broken;
  if (first !== undefined) {
    throw new ReplayBrokenError(first);
  }
}

/** Runs `work` over all values, at most `limit` at once; resolves or throws when none runs any more. */
async function eachOf<T>(
  values: readonly T[],
  limit: number,
  work: (value: T) => Promise<void>,
): Promise<void> {
  const waiting = values.values();
  const lanes = Array.from({ length: Math.min(limit, values.length) }, async () => {
    for (const value of waiting) {
      await work(value);
    }
  });
  const failed = (await Promise.allSettled(lanes)).find((lane) => lane.status === 'rejected');
  if (failed) {
    throw failed.reason;
  }
}
