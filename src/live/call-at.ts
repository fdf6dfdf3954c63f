import { each } from './each.js';

/** Timers cannot be set for longer (2^31 - 1 ms, 24 days). */
const TIMER_MAX_MS = 2_147_483_647;

/** What is called at one instant: the subscriptions of one token end together. */
interface Due {
  readonly actions: Set<() => void>;
  timer: NodeJS.Timeout;
}

const dueAt = new Map<number, Due>();

/** Calls `action` at an instant, in milliseconds of the epoch, however far away. Returns how to cancel it. */
export function callAt(atMs: number, action: () => void): () => void {
  const due = dueAt.get(atMs) ?? { actions: new Set(), timer: timerOf(atMs) };
  dueAt.set(atMs, due);
  const called = () => action(); // The same action may be asked for twice.
  due.actions.add(called);
  return () => {
    due.actions.delete(called);
    if (due.actions.size === 0 && dueAt.get(atMs) === due) {
      dueAt.delete(atMs);
      clearTimeout(due.timer);
    }
  };
}

function timerOf(atMs: number): NodeJS.Timeout {
  const leftMs = atMs - Date.now();
  return setTimeout(() => goOff(atMs), Math.max(0, Math.min(TIMER_MAX_MS, leftMs))).unref();
}

function goOff(atMs: number): void {
  const due = dueAt.get(atMs);
  if (due !== undefined && atMs > Date.now()) {
    due.timer = timerOf(atMs);
  } else if (due !== undefined) {
    dueAt.delete(atMs);
    each(due.actions, (action) => action());
  }
}
