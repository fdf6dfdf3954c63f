/** Timers cannot be set for longer (2^31 - 1 ms, 24 days). */
const TIMER_MAX_MS = 2_147_483_647;

/** Calls `action` at an instant, in milliseconds of the epoch, however far away. Returns how to cancel it. */
export function callAt(atMs: number, action: () => void): () => void {
  let timer: NodeJS.Timeout;
  const set = () => {
    const leftMs = atMs - Date.now();
    const wait = leftMs > TIMER_MAX_MS ? set : action;
    timer = setTimeout(wait, Math.max(0, Math.min(TIMER_MAX_MS, leftMs))).unref();
  };
  set();
  return () => clearTimeout(timer);
}
