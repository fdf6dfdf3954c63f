import { setTimeout as wait } from 'node:timers/promises';
import type { Position, StreamEvent, StreamName, StreamStore } from '../services/events/stream.js';
import { jitter } from '../services/platform/retry.js';
import { Batched } from './batched.js';
import { SharedPages } from './shared-pages.js';

/** At most half of a subscriber's queue, which a page may fill at once. */
const PAGE_EVENTS = 128;
/** What is kept of all streams, in bytes, about: of those that nobody has asked for the longest, nothing is. */
const BYTES_MAX = 64 * 1024 * 1024;
/** Pages that are read by one statement: a crowd that comes back wants many. */
const PAGES_A_READ = 50;
/** After pauses of about 200, 400, 600 … 1,400 ms, 5.6 s in all, a reader gives up and its subscription ends. */
const TRIES = 8;
const PAUSE_MS = 200;

type From = StreamName & Position;

/** Places of one stream that one page serves: of the first, and of those that come soon after. */
interface Asked {
  readonly first: From;
  readonly after: From[];
}

/**
 * What readers have missed, by pages. A crowd that comes back has missed much of the same: what one of them needs is read
 * once, and is there for the others, with all that was made of it, for as long as some catch up.
 */
export class Pages {
  /** The one asked last comes last. */
  readonly #shared = new Map<string, SharedPages>();
  #bytes = 0;
  readonly #read: Batched<From, readonly StreamEvent[]>;

  constructor(
    private readonly store: Pick<StreamStore, 'afterEach'>,
    private readonly bytesMax = BYTES_MAX,
  ) {
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
    const shared = this.#shared.size > 0 ? this.#shared.get(keyOf(source)) : undefined;
    if (shared !== undefined) {
      this.#changing(shared, () => shared.add(event));
    }
  }

  /** To be called now and then. */
  forgetIdle(): void {
    for (const [key, pages] of this.#shared) {
      if (pages.isIdle()) {
        this.#forget(key, pages);
      }
    }
  }

  /** To be called when a stream began anew. */
  forget(source: StreamName): void {
    const key = keyOf(source);
    const shared = this.#shared.get(key);
    if (shared !== undefined) {
      this.#forget(key, shared);
    }
  }

  #forget(key: string, pages: SharedPages): void {
    this.#shared.delete(key);
    this.#bytes -= pages.size;
  }

  #known(from: From): StreamEvent[] | null {
    const key = keyOf(from);
    const shared = this.#shared.get(key);
    if (shared === undefined) {
      return null;
    }
    this.#shared.delete(key);
    this.#shared.set(key, shared);
    return shared.after(from, PAGE_EVENTS);
  }

  /** In two rounds: places that the page of another serves are asked for only where it did not serve them after all. */
  async #readAll(froms: readonly From[]): Promise<readonly (readonly StreamEvent[])[]> {
    const pages = new Map<string, readonly StreamEvent[]>();
    const left = () => froms.filter((from) => !pages.has(placeOf(from)));
    for (const from of froms) {
      const page = this.#known(from);
      if (page !== null) {
        pages.set(placeOf(from), page);
      }
    }
    await this.#readInto(pages, byPages(left()));
    await this.#readInto(pages, eachAlone(left()));
    return froms.map((from) => pages.get(placeOf(from)) ?? []);
  }

  async #readInto(pages: Map<string, readonly StreamEvent[]>, asked: readonly Asked[]): Promise<void> {
    if (asked.length === 0) {
      return;
    }
    const froms = asked.map(({ first }) => first);
    const found: StreamEvent[][] = asked.map(() => []);
    for (const event of await this.store.afterEach(froms, PAGE_EVENTS)) {
      found[event.from]?.push(event);
    }
    asked.forEach(({ first, after }, index) => {
      const page = this.#keep(first, found[index] ?? []);
      pages.set(placeOf(first), page);
      for (const from of after) {
        const at = from.seq - first.seq;
        if (page[at]?.seq === from.seq + 1) {
          pages.set(placeOf(from), page.slice(at));
        }
      }
    });
  }

  #keep(source: StreamName, page: StreamEvent[]): StreamEvent[] {
    const key = keyOf(source);
    const shared = this.#shared.get(key) ?? new SharedPages();
    this.#shared.set(key, shared);
    return this.#changing(shared, () => shared.keep(page));
  }

  /** Keeps within the bound whatever a change of one stream's pages adds. */
  #changing<T>(shared: SharedPages, change: () => T): T {
    const before = shared.size;
    const made = change();
    this.#bytes += shared.size - before;
    for (const [key, pages] of this.#shared) {
      if (this.#bytes <= this.bytesMax) {
        break;
      }
      this.#forget(key, pages);
    }
    return made;
  }
}

/** The fewest pages that serve all places, where streams have no holes. */
function byPages(froms: readonly From[]): Asked[] {
  const newest = new Map<string, Asked>();
  const asked: Asked[] = [];
  for (const from of [...froms].sort((a, b) => a.seq - b.seq)) {
    const epoch = `${keyOf(from)} ${from.epoch}`;
    const last = newest.get(epoch);
    if (last !== undefined && from.seq < last.first.seq + PAGE_EVENTS) {
      last.after.push(from);
    } else {
      const next = { first: from, after: [] };
      asked.push(next);
      newest.set(epoch, next);
    }
  }
  return asked;
}

function eachAlone(froms: readonly From[]): Asked[] {
  const places = new Map(froms.map((from) => [placeOf(from), from]));
  return [...places.values()].map((first) => ({ first, after: [] }));
}

/** Names a stream among those of all tenants. */
export function keyOf({ tenantId, stream }: StreamName): string {
  return `${tenantId} ${stream}`;
}

function placeOf({ epoch, seq, ...source }: From): string {
  return `${keyOf(source)} ${epoch} ${seq}`;
}
