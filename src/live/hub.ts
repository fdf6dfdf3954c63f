import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { EventBus, StreamHead } from '../services/events/bus.js';
import {
  createStreamStore,
  type FoundEvent,
  type Position,
  type StreamEvent,
  type StreamName,
  type StreamStore,
} from '../services/events/stream.js';
import type { Database } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import { Batched } from './batched.js';
import type { Coalesce } from './event-queue.js';
import { beginTelling, letGoOfOld } from './held-back.js';
import { keyOf, Pages } from './pages.js';
import { createRepeatingTask, type RepeatingTask } from './repeating-task.js';
import { isAhead, StreamReader } from './stream-reader.js';

/** Streams as this node's subscribers read them. */
export interface LiveHub {
  /** A reader on a stream; call `start` on it first, and `close` at the end. */
  open(source: StreamName, coalesce: Coalesce): StreamReader;
  /** How much is open: for metrics, and to see that nothing is left behind. */
  stats(): { readers: number; streams: number };
  /** Ends every reader, and resolves when nothing runs any more. */
  close(): Promise<void>;
}

export interface LiveHubOptions {
  readonly db: Database;
  readonly bus: EventBus;
  readonly log: Logger;
}

/** Without any wake-up a moved stream is seen within this time. */
const LOOK_EVERY_MS = 2_500;
const STREAMS_A_LOOK = 1_000;
const STREAMS_A_READ = 1_000;
/** Of one stream at once, and of all together, so that what is read at once has a bound. */
const EVENTS_A_STREAM = 200;
const EVENTS_A_READ = 10_000;
/** Telling goes on so long without a pause, in milliseconds: whatever else the process does waits meanwhile. */
const TELLING_MS = 10;
/**
 * After so long a telling a rest of so many times that, up to a bound: at rest every event is told at once; a process that
 * has much to tell reads less often and more at a time, which costs less each.
 */
const REST_PER_COST = 3;
const REST_MS = { min: 2, max: 150 };

interface Feed {
  readonly source: StreamName;
  readonly readers: Set<StreamReader>;
  offered: Position | null;
}

/** Opens the hub of this node; it looks and listens until it is closed. */
export function createLiveHub(options: LiveHubOptions): LiveHub {
  return new Hub(options);
}

/**
 * Reads each stream once for all of its readers on this node. Wake-ups say which streams have moved; one task reads what
 * is new in them, many streams a statement, and offers it. Heads are also looked up by a timer, and when wake-ups may
 * have been lost.
 */
class Hub implements LiveHub {
  readonly #store: StreamStore;
  readonly #feeds = new Map<string, Feed>();
  readonly #moved = new Set<Feed>();
  readonly #toLookAt = new Set<Feed>();
  readonly #heads: Batched<StreamName, StreamHead>;
  readonly #pages: Pages;
  readonly #read: RepeatingTask;
  readonly #look: RepeatingTask;
  readonly #stopListening: () => void;

  constructor({ db, bus, log }: LiveHubOptions) {
    this.#store = createStreamStore(db);
    this.#heads = new Batched((sources) => this.#store.heads(sources), STREAMS_A_LOOK);
    this.#pages = new Pages(this.#store);
    this.#read = createRepeatingTask({
      name: 'live.read',
      log,
      hasWork: () => this.#moved.size > 0,
      work: () => this.#readMoved(),
    });
    this.#look = createRepeatingTask({
      name: 'live.look',
      log,
      hasWork: () => this.#toLookAt.size > 0,
      work: () => this.#lookAtSome(),
    });
    const timer = setInterval(() => this.#lookAtAll(), jitter(LOOK_EVERY_MS)).unref();
    const ends = [
      bus.onHeads((heads) => heads.forEach((h) => void this.#hear(h))),
      bus.onResync(() => this.#lookAtAll()),
    ];
    this.#stopListening = () => {
      clearInterval(timer);
      ends.forEach((end) => void end());
    };
  }

  open(source: StreamName, coalesce: Coalesce): StreamReader {
    const key = keyOf(source);
    const feed = this.#feeds.get(key) ?? { source, readers: new Set(), offered: null };
    this.#feeds.set(key, feed);
    const reader: StreamReader = new StreamReader(
      {
        offered: () => feed.offered,
        locate: () => this.#locate(feed),
        read: (after) => this.#pages.after(source, after),
        leave: () => this.#leave(feed, reader),
      },
      coalesce,
    );
    feed.readers.add(reader);
    return reader;
  }

  stats() {
    const readers = [...this.#feeds.values()].reduce((sum, feed) => sum + feed.readers.size, 0);
    return { readers, streams: this.#feeds.size };
  }

  async close() {
    this.#stopListening();
    for (const feed of [...this.#feeds.values()]) {
      for (const reader of [...feed.readers]) {
        reader.close();
      }
    }
    await Promise.all([this.#read.stop(), this.#look.stop()]);
  }

  #leave(feed: Feed, reader: StreamReader): void {
    feed.readers.delete(reader);
    if (feed.readers.size === 0 && this.#feeds.get(keyOf(feed.source)) === feed) {
      this.#feeds.delete(keyOf(feed.source));
      this.#moved.delete(feed);
      this.#toLookAt.delete(feed);
    }
  }

  /** A wake-up is a hint of whoever is on the bus: it makes us read, and nothing in it is believed. */
  #hear({ epoch, ...head }: StreamHead): void {
    const feed = this.#feeds.get(keyOf(head));
    if (feed === undefined || feed.offered === null) {
      return;
    }
    if (epoch !== feed.offered.epoch) {
      this.#toLookAt.add(feed);
      this.#look.run();
    } else if (head.seq > feed.offered.seq) {
      this.#moved.add(feed);
      this.#read.run();
    }
  }

  /**
   * Where PostgreSQL says that a stream stands, asked when `before` had been offered. What had been offered and is not there any more was
   * lost with a restore, and a restored database begins a new epoch: also of a stream in which nothing happens.
   */
  #move(head: StreamHead, before: Position | null): void {
    const feed = this.#feeds.get(keyOf(head));
    if (feed === undefined || feed.offered === null) {
      return;
    }
    const { epoch, seq } = head;
    if (epoch > feed.offered.epoch || (before !== null && isAhead(before, head))) {
      feed.offered = { epoch, seq };
      this.#pages.forget(feed.source);
      for (const reader of feed.readers) {
        reader.restart();
      }
    } else if (epoch === feed.offered.epoch) {
      this.#hear(head);
    }
  }

  async #readMoved(): Promise<void> {
    const batch = [...this.#moved].slice(0, STREAMS_A_READ);
    const froms = batch.map((feed) => ({ ...feed.source, ...(feed.offered ?? BEFORE_ALL) }));
    // Before the statement: a wake-up that comes while it runs may tell of what it does not see.
    this.#forget(batch);
    const limit = Math.min(EVENTS_A_STREAM, Math.ceil(EVENTS_A_READ / batch.length));
    const events = await this.#store.afterEach(froms, limit).catch((error: unknown) => {
      this.#remember(batch.filter((feed) => feed.readers.size > 0));
      throw error;
    });
    const counts = batch.map(() => 0);
    for (const { from } of events) {
      counts[from] = (counts[from] ?? 0) + 1;
    }
    this.#remember(batch.filter((_feed, index) => counts[index] === limit));
    const restMs = Math.min(REST_MS.max, REST_PER_COST * (await this.#tell(batch, events)));
    // (Not while more waits than was read: who is behind does not rest.)
    if (restMs >= REST_MS.min && batch.length < STREAMS_A_READ) {
      await wait(restMs, undefined, { ref: false });
    }
  }

  /** Hands events to the readers of their streams. @returns how long the process was busy with it, in milliseconds */
  async #tell(batch: readonly Feed[], events: readonly FoundEvent[]): Promise<number> {
    let [busyMs, beganMs] = [0, performance.now()];
    const pause = async () => {
      await nextTurn(); // By then it has been written to sockets, if it was not held back.
      busyMs += performance.now() - beganMs;
      beganMs = performance.now();
    };
    const endTelling = beginTelling();
    try {
      for (const event of events) {
        const feed = batch[event.from];
        if (feed !== undefined) {
          this.#pages.heard(feed.source, event);
          offer(feed, event);
        }
        if (performance.now() - beganMs > TELLING_MS) {
          letGoOfOld();
          await pause();
        }
      }
    } finally {
      await endTelling();
    }
    await pause();
    return busyMs;
  }

  #forget(feeds: readonly Feed[]): void {
    for (const feed of feeds) {
      this.#moved.delete(feed);
    }
  }

  #remember(feeds: readonly Feed[]): void {
    for (const feed of feeds) {
      this.#moved.add(feed);
    }
  }

  #lookAtAll(): void {
    this.#pages.forgetIdle();
    for (const feed of this.#feeds.values()) {
      this.#toLookAt.add(feed);
    }
    this.#look.run();
  }

  async #lookAtSome(): Promise<void> {
    const some = [...this.#toLookAt].slice(0, STREAMS_A_LOOK);
    for (const feed of some) {
      this.#toLookAt.delete(feed);
    }
    const before = some.map((feed) => feed.offered);
    const heads = await this.#store.heads(some.map((feed) => feed.source)).catch((error: unknown) => {
      for (const feed of some.filter(({ readers }) => readers.size > 0)) {
        this.#toLookAt.add(feed);
      }
      throw error;
    });
    heads.forEach((head, index) => void this.#move(head, before[index] ?? null));
  }

  async #locate(feed: Feed): Promise<Position> {
    const before = feed.offered;
    const head = await this.#heads.ask(feed.source);
    if (feed.offered === null) {
      feed.offered = { epoch: head.epoch, seq: head.seq };
    } else {
      this.#move(head, before);
    }
    return { epoch: head.epoch, seq: head.seq };
  }
}

const BEFORE_ALL: Position = { epoch: 0, seq: 0 };

function offer(feed: Feed, event: StreamEvent): void {
  const { epoch, seq } = feed.offered ?? BEFORE_ALL;
  if (event.epoch !== epoch || event.seq <= seq) {
    return; // the stream began a new epoch while the statement ran
  }
  const at = { epoch: event.epoch, seq: event.seq };
  feed.offered = at;
  for (const reader of feed.readers) {
    try {
      reader.offer(event, at);
    } catch (error) {
      // An event that one subscription cannot make sense of is that one's end, not the others'.
      reader.close(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
