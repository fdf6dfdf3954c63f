import type { StreamEvent } from '../services/events/stream.js';

/** Not a WeakMap: thousands of short-lived keys in one are what the collector finds dearest. */
const KEPT = Symbol('what is made of an event');

/** What is made of an event for all who are told of it: gone with the event itself. */
export function keptWith(event: StreamEvent & { [KEPT]?: Map<unknown, unknown> }): Map<unknown, unknown> {
  event[KEPT] ??= new Map();
  return event[KEPT];
}
