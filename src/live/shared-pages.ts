import type { Position, StreamEvent } from '../services/events/stream.js';

/** A page for whoever is furthest behind, and one more. */
const EVENTS_MAX = 256;
const BYTES_MAX = 256 * 1024;
/** What an event takes beside its body, and what is made of it, about: in bytes. */
const BYTES_AN_EVENT = 1_000;
/** How long after the last question, in milliseconds. */
const KEPT_MS = 10_000;

/**
 * The newest events of one stream, without a hole, kept while readers catch up with it: after a restart each subscriber
 * comes back from a place of its own, and what one has read for it is there for the others, with what was made of it.
 */
export class SharedPages {
  readonly #kept: StreamEvent[] = [];
  #bytes = 0;
  #askedMs = performance.now();

  /** The events after a position, at most `limit`; null where it is not known here what comes next. */
  after({ epoch, seq }: Position, limit: number): StreamEvent[] | null {
    this.#askedMs = performance.now();
    const [first] = this.#kept;
    if (first === undefined || first.epoch !== epoch || seq < first.seq - 1) {
      return null;
    }
    const from = seq + 1 - first.seq;
    return from < this.#kept.length ? this.#kept.slice(from, from + limit) : null;
  }

  /** Keeps what was read. @returns it, each event as it is kept already where it is */
  keep(page: readonly StreamEvent[]): StreamEvent[] {
    const [first] = this.#kept;
    const older = page.filter(({ epoch, seq }) => first?.epoch === epoch && seq < first.seq);
    if (older.at(-1)?.seq === (first?.seq ?? 0) - 1 && isDense(older)) {
      this.#kept.unshift(...older);
      this.#bytes += older.reduce((sum, { body }) => sum + body.length, 0);
    }
    for (const event of page.slice(older.length)) {
      this.add(event);
    }
    this.#shorten();
    return page.map((event) => this.#find(event) ?? event);
  }

  /** Keeps an event that has come after those that are kept. */
  add(event: StreamEvent): void {
    const last = this.#kept.at(-1);
    if (last !== undefined && last.epoch === event.epoch && event.seq <= last.seq) {
      return;
    }
    if (last !== undefined && (last.epoch !== event.epoch || event.seq > last.seq + 1)) {
      this.#kept.length = 0;
      this.#bytes = 0;
    }
    this.#kept.push(event);
    this.#bytes += event.body.length;
    this.#shorten();
  }

  /** About how much is kept, in bytes. */
  get size(): number {
    return this.#bytes + this.#kept.length * BYTES_AN_EVENT;
  }

  /** Whether nobody has asked for a while. */
  isIdle(): boolean {
    return performance.now() - this.#askedMs > KEPT_MS;
  }

  #find({ epoch, seq }: Position): StreamEvent | undefined {
    const first = this.#kept[0];
    return first?.epoch === epoch ? this.#kept[seq - first.seq] : undefined;
  }

  #shorten(): void {
    while (this.#kept.length > EVENTS_MAX || this.#bytes > BYTES_MAX) {
      this.#bytes -= this.#kept.shift()?.body.length ?? 0;
    }
  }
}

function isDense(events: readonly StreamEvent[]): boolean {
  return events.every(({ seq }, index) => seq === (events[0]?.seq ?? 0) + index);
}
