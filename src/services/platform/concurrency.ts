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
