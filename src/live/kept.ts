import type { StreamEvent } from '../services/events/stream.js';

/** Not a WeakMap: thousands of short-lived keys in one are what the collector finds dearest. */
const KEPT = Symbol('what is made of an event');

/**
 * Of one event: a crowd asks for a few things. What many different questions are answered is made again for whoever comes
 * later, so that the memory of an event has a bound.
 */
const KEPT_MAX = 16;

/** Keeps what was made of an event, for those of a kind. */
export function keepWith(event: StreamEvent, { key, value }: { key: unknown; value: unknown }): void {
  const kept = keptWith(event);
  if (kept.size >= KEPT_MAX && !kept.has(key)) {
    kept.delete(kept.keys().next().value);
  }
  kept.set(key, value);
}

/** What is made of an event for all who are told of it: gone with the event itself. */
export function keptWith(event: StreamEvent & { [KEPT]?: Map<unknown, unknown> }): Map<unknown, unknown> {
  event[KEPT] ??= new Map();
  return event[KEPT];
}
