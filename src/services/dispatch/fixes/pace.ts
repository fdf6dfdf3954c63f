/** How much one worker may report: so many fixes a second, and a burst after a silence, such as a tunnel. */
export interface FixPace {
  /** @returns 0 where `count` fixes may come now; otherwise the seconds after which they may */
  take(worker: string, count: number): number;
}

const FIXES_A_SECOND = 5;
/** Ten minutes at one fix in ten seconds: what a phone has collected without a network. */
const BURST = 60;
/** Workers remembered at once; who reported longest ago goes first, with all their tokens. */
const WORKERS_MAX = 200_000;

interface Bucket {
  tokens: number;
  atMs: number;
}

/**
 * A bucket of tokens for each worker: one who reports too much is held up, never the region or the tenant they are in.
 * @param nowMs a clock that never goes back
 */
export function createFixPace(nowMs: () => number = () => performance.now()): FixPace {
  const buckets = new Map<string, Bucket>();
  return {
    take(worker, count) {
      const now = nowMs();
      const bucket = buckets.get(worker) ?? { tokens: BURST, atMs: now };
      bucket.tokens = Math.min(BURST, bucket.tokens + ((now - bucket.atMs) / 1_000) * FIXES_A_SECOND);
      bucket.atMs = now;
      remember(buckets, worker, bucket);
      if (bucket.tokens < count) {
        return Math.ceil((count - bucket.tokens) / FIXES_A_SECOND);
      }
      bucket.tokens -= count;
      return 0;
    },
  };
}

function remember(buckets: Map<string, Bucket>, worker: string, bucket: Bucket): void {
  if (!buckets.has(worker) && buckets.size >= WORKERS_MAX) {
    const [oldest = ''] = buckets.keys();
    buckets.delete(oldest);
  }
  buckets.set(worker, bucket);
}
