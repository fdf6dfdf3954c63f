import type { StreamEvent } from '../services/events/stream.js';

/** What waits for one subscriber: enough for a burst, too little for a stuck reader to matter. */
export const QUEUE_EVENTS = 256;
export const QUEUE_BYTES = 1024 * 1024;

/** How a stream may be shortened: a log not at all; of a state, only the newest event of each key matters. */
export type Coalesce = ((event: StreamEvent) => string) | null;

/** A bounded queue in the order of the stream. */
export class EventQueue {
  readonly #coalesce: Coalesce;
  /** By coalescing key, or by number: a map keeps the order in which its keys were set. */
  readonly #waiting = new Map<string | number, StreamEvent>();
  #bytes = 0;

  constructor(coalesce: Coalesce) {
    this.#coalesce = coalesce;
  }

  /** Takes an event; false when the queue is now over its bounds. */
  push(event: StreamEvent): boolean {
    const key = this.#coalesce?.(event) ?? event.seq;
    const older = this.#waiting.get(key);
    if (older !== undefined) {
      this.#waiting.delete(key);
      this.#bytes -= older.body.length;
    }
    this.#waiting.set(key, event);
    this.#bytes += event.body.length;
    return this.#waiting.size <= QUEUE_EVENTS && this.#bytes <= QUEUE_BYTES;
  }

  shift(): StreamEvent | undefined {
    for (const [key, event] of this.#waiting) {
      this.#waiting.delete(key);
      this.#bytes -= event.body.length;
      return event;
    }
    return undefined;
  }

  clear(): void {
    this.#waiting.clear();
    this.#bytes = 0;
  }
}
