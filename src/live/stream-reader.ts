import type { Position, StreamEvent } from '../services/events/stream.js';
import { type Coalesce, EventQueue } from './event-queue.js';
import type { Handing } from './handed.js';

/** What a reader asks of the hub that it belongs to. */
export interface ReaderSource {
  /** Up to where the stream has been handed to its readers; null before the stream was first looked at. */
  offered(): Position | null;
  /** Looks up where the stream stands now, and sees to it that what is new is offered. */
  locate(): Promise<Position>;
  /** One page of the stream from PostgreSQL. */
  read(after: Position): Promise<readonly StreamEvent[]>;
  /** Takes the reader off the stream. */
  leave(): void;
}

/** In place of what was read for one whose reader was closed meanwhile. */
export const CLOSED = Symbol('closed');

const NOWHERE: Position = { epoch: 0, seq: 0 };

/**
 * One subscriber's way through one stream: each event once, in order, without a gap.
 *
 * A reader is either reading (pages from PostgreSQL, at the pace of its consumer) or live (what the hub offers, by a
 * bounded queue). It goes live in the moment in which it stands where the hub stands: everything later will be offered,
 * everything earlier is passed. An offer that leaves a gap sends it back to reading.
 */
export class StreamReader implements Handing<[event: StreamEvent]> {
  readonly #source: ReaderSource;
  readonly #queue: EventQueue;
  #state: 'waiting' | 'reading' | 'live' | 'lost' | 'overrun' | 'ended' = 'waiting';
  /** The last event that is in the queue or was handed out. */
  #tail: Position = NOWHERE;
  /** Ends the wait of a `next`; null where none waits for the hub. */
  #wake: (() => void) | null = null;
  #take: ((event: StreamEvent) => boolean) | null = null;
  #failure: Error | null = null;
  #onClosed: (() => void) | null = null;
  #onLost: (() => void) | null = null;
  /** What is read for its subscriber beside its events. */
  #reading: Promise<unknown> | null = null;
  /** The last event handed out, or where the reader began. */
  position: Position = this.#tail;

  constructor(source: ReaderSource, coalesce: Coalesce) {
    this.#source = source;
    this.#queue = new EventQueue(coalesce);
  }

  /**
   * Takes up a position. Resumed: everything after it will come. Fresh: it cannot be resumed from (none was given, or it
   * is of another epoch, or ahead of the stream), and the reader begins at the present head.
   */
  async start(after: Position | null): Promise<'resumed' | 'fresh'> {
    let head = this.#source.offered();
    if (head === null || (after !== null && isAhead(after, head))) {
      head = await this.#source.locate();
    }
    const resumed = after !== null && after.epoch === head.epoch && after.seq <= head.seq;
    const { epoch, seq } = resumed ? after : head;
    this.#queue.clear();
    this.#tail = { epoch, seq };
    this.position = this.#tail;
    if (this.#state !== 'ended') {
      this.#state = this.#hasCaughtUp() ? 'live' : 'reading';
    }
    return resumed ? 'resumed' : 'fresh';
  }

  /**
   * The next event. Lost: the stream was trimmed or began anew, so that what comes next is not known; start again.
   * Overrun: the consumer was too slow; the reader has ended. Null: it was closed. Throws what it was closed with.
   */
  async next(): Promise<StreamEvent | 'lost' | 'overrun' | null> {
    for (;;) {
      const event = this.#queue.shift();
      if (event !== undefined) {
        this.position = { epoch: event.epoch, seq: event.seq };
        return event;
      }
      if (!this.isOpen) {
        return this.ending();
      }
      if (this.#state === 'lost' || this.#state === 'overrun') {
        return this.#state;
      }
      await (this.#state === 'reading' ? this.#readPage() : this.#arrival());
    }
  }

  /** Passes what waits: for a consumer who now reads the state itself. Lost, as `next` has it: start again. */
  skip(): 'passed' | 'lost' {
    this.#queue.clear();
    if (this.#state === 'live') {
      this.position = this.#tail;
    }
    return this.#state === 'lost' ? 'lost' : 'passed';
  }

  /** While `next` waits for the hub, what comes is offered to `take` first: see {@link Handing}. */
  handTo(take: (event: StreamEvent) => boolean): void {
    this.#take = take;
  }

  /** What the hub hands to every reader of the stream, and where it stands. */
  offer(event: StreamEvent, at: Position): void {
    if (this.#state !== 'live' || (event.epoch === this.#tail.epoch && event.seq <= this.#tail.seq)) {
      return;
    }
    if (event.epoch !== this.#tail.epoch) {
      this.#turn('lost');
    } else if (event.seq > this.#tail.seq + 1) {
      this.#turn('reading');
    } else if (this.#wake !== null && this.#take?.(event) === true) {
      this.#tail = this.position = at;
    } else if (this.#enqueue(event)) {
      this.#wake?.();
    } else {
      this.#queue.clear();
      this.#source.leave();
      this.#turn('overrun');
    }
  }

  /** The stream began anew: what waits, and where the reader stands, is of a past that is no more. */
  restart(): void {
    if (this.#state === 'live' || this.#state === 'reading') {
      this.#queue.clear();
      this.position = NOWHERE;
      this.#turn('lost');
      this.#onLost?.();
    }
  }

  /** Ends the reader at once: what waits is dropped, and a pending `next` resolves (or throws `failure`). */
  close(failure: Error | null = null): void {
    if (this.#state !== 'ended') {
      this.#failure = failure;
      this.#queue.clear();
      this.#source.leave();
      this.#turn('ended');
      this.#onClosed?.();
    }
  }

  /** Whether it has not been closed. */
  get isOpen(): boolean {
    return this.#state !== 'ended';
  }

  /** Calls back when it is closed, for one who waits for something else than its events. @returns what stops that */
  whenClosed(call: () => void): () => void {
    this.#onClosed = call;
    return () => {
      this.#onClosed = null;
    };
  }

  /** Calls back when the stream has begun anew. @returns what stops that */
  whenLost(call: () => void): () => void {
    this.#onLost = call;
    return () => {
      this.#onLost = null;
    };
  }

  /** What is read for its subscriber, unless it is closed meanwhile: then nothing of it is told. Throws what it was closed with. */
  async unlessClosed<T>(read: () => Promise<T>): Promise<T | typeof CLOSED> {
    if (this.isOpen) {
      const value = await new Promise<T | typeof CLOSED>((resolve, reject) => {
        const stop = this.whenClosed(() => resolve(CLOSED));
        this.#reads(read()).then(resolve, reject).finally(stop);
      });
      if (this.isOpen) {
        return value;
      }
    }
    return this.ending() ?? CLOSED;
  }

  /** What is still read for its subscriber, also where it was closed meanwhile; null: nothing. Never rejects. */
  get reading(): Promise<unknown> | null {
    return this.#reading;
  }

  #reads<T>(read: Promise<T>): Promise<T> {
    const end = () => {
      this.#reading = null;
    };
    this.#reading = read.then(end, end);
    return read;
  }

  /** What `next` of a reader that was closed comes to: null, or it throws what it was closed with. */
  ending(): null {
    if (this.#failure !== null) {
      throw this.#failure;
    }
    return null;
  }

  #turn(state: 'reading' | 'lost' | 'overrun' | 'ended'): void {
    this.#state = state;
    this.#wake?.();
  }

  #enqueue(event: StreamEvent): boolean {
    this.#tail = { epoch: event.epoch, seq: event.seq };
    return this.#queue.push(event);
  }

  async #readPage(): Promise<void> {
    const offered = this.#source.offered();
    const page = await this.#source.read(this.#tail);
    if (this.#state !== 'reading') {
      return;
    }
    // Judged by what had been offered before the page was read: those events were there to be found.
    const missing = page.length === 0 && offered !== null && isAhead(offered, this.#tail);
    // Trimming goes by age, so that what it has left of an old stream may have holes anywhere.
    const gap = page.some((event, index) => event.seq !== this.#tail.seq + 1 + index);
    if (missing || gap) {
      this.#state = 'lost';
      return;
    }
    for (const event of page) {
      this.#enqueue(event); // the queue was empty, so that one page bounds it
    }
    if (this.#hasCaughtUp()) {
      this.#state = 'live';
    }
  }

  #hasCaughtUp(): boolean {
    const offered = this.#source.offered();
    return offered === null || !isAhead(offered, this.#tail);
  }

  #arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = () => {
        this.#wake = null;
        resolve();
      };
    });
  }
}

/** Whether a place is later than another. */
export function isAhead(a: Position, b: Position): boolean {
  return a.epoch !== b.epoch ? a.epoch > b.epoch : a.seq > b.seq;
}
