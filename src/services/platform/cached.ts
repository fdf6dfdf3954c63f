/**
 * Keeps what a read answered for so long, and lets everybody who asks meanwhile share the one that runs: for figures that
 * several gauges and collectors ask for at once. A failure is not kept.
 */
export function cachedFor<T>(ms: number, read: () => Promise<T>): () => Promise<T> {
  let kept: { value: Promise<T>; until: number } | null = null;
  return () => {
    // A monotonic clock of the process: nothing here is stored or compared with what others stored.
    const now = performance.now();
    if (kept === null || now >= kept.until) {
      const value = read();
      const mine = { value, until: now + ms };
      kept = mine;
      value.catch(() => {
        if (kept === mine) {
          kept = null;
        }
      });
    }
    return kept.value;
  };
}
