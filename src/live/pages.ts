import { setTimeout as wait } from 'node:timers/promises';
import type { Position, StreamEvent, StreamName, StreamStore } from '../services/events/stream.js';
import { jitter } from '../services/platform/retry.js';
import { Batched } from './batched.js';
import { SharedPages } from './shared-pages.js';

/** At most half of a subscriber's queue, which a page may fill at once. */
const PAGE_EVENTS = 128;
/** Pages that are read by one statement: a crowd that comes back wants many. */
const PAGES_A_READ = 50;
/** After pauses of about 200, 400, 600 … 1,400 ms, 5.6 s in all, a reader gives up and its subscription ends. */
const TRIES = 8;
const PAUSE_MS = 200;

type From = StreamName & Position;

/**
 * What readers have missed, by pages. A crowd that comes back has missed much of the same: what one of them needs is read
 * once, and is there for the others, with all that was made of it, for as long as some catch up.
 */
export class Pages {
  readonly #shared = new Map<string, SharedPages>();
  readonly #read: Batched<From, readonly StreamEvent[]>;

  constructor(private readonly store: Pick<StreamStore, 'afterEach'>) {
    this.#read = new Batched((froms) => this.#readAll(froms), PAGES_A_READ);
  }

  /** One page; empty where nothing comes after. A reader lives through a restart of the database. */
  async after(source: StreamName, after: Position): Promise<readonly StreamEvent[]> {
    const from = { ...source, ...after };
    const known = this.#known(from);
    for (let attempt = 1; known === null; attempt++) {
      try {
        return await this.#read.ask(from);
      } catch (error) {
        if (attempt === TRIES) {
          throw error;
        }
        await wait(jitter(PAUSE_MS * attempt), undefined, { ref: false });
      }
    }
    return known;
  }

  /** Takes note of an event of a stream that is followed. */
  heard(source: StreamName, event: StreamEvent): void {
    if (this.#shared.size > 0) {
      this.#shared.get(keyOf(source))?.add(event);
    }
  }

  /** To be called now and then. */
  forgetIdle(): void {
    for (const [key, pages] of this.#shared) {
      if (pages.isIdle()) {
        this.#shared.delete(key);
      }
    }
  }

  #known(from: From): StreamEvent[] | null {
    return this.#shared.get(keyOf(from))?.after(from, PAGE_EVENTS) ?? null;
  }

  /** Of each stream the earliest first: the others are mostly known by then, or were when their turn came. */
  async #readAll(froms: readonly From[]): Promise<readonly (readonly StreamEvent[])[]> {
    const pages = new Map<string, readonly StreamEvent[]>();
    for (;;) {
      const left = new Map<string, From>();
      for (const from of froms) {
        const page = pages.get(placeOf(from)) ?? this.#known(from);
        if (page !== null) {
          pages.set(placeOf(from), page);
        } else if (from.seq <= (left.get(keyOf(from))?.seq ?? from.seq)) {
          left.set(keyOf(from), from);
        }
      }
      if (left.size === 0) {
        return froms.map((from) => pages.get(placeOf(from)) ?? []);
      }
      await this.#readInto(pages, [...left.values()]);
    }
  }

  async #readInto(pages: Map<string, readonly StreamEvent[]>, froms: readonly From[]): Promise<void> {
    const found: StreamEvent[][] = froms.map(() => []);
    for (const event of await this.store.afterEach(froms, PAGE_EVENTS)) {
      found[event.from]?.push(event);
    }
    froms.forEach((from, index) => {
      pages.set(placeOf(from), this.#keep(from, found[index] ?? []));
    });
  }

  #keep(source: StreamName, page: StreamEvent[]): StreamEvent[] {
    const key = keyOf(source);
    const shared = this.#shared.get(key) ?? new SharedPages();
    this.#shared.set(key, shared);
    return shared.keep(page);
  }
}

/** Names a stream among those of all tenants. */
export function keyOf({ tenantId, stream }: StreamName): string {
  return `${tenantId} ${stream}`;
}

function placeOf({ epoch, seq, ...source }: From): string {
  return `${keyOf(source)} ${epoch} ${seq}`;
}
