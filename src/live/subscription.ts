import type { Position, StreamEvent } from '../services/events/stream.js';
import { callAt } from './call-at.js';
import type { CursorCodec } from './cursor.js';
import { SubscriptionError } from './errors.js';
import type { HandedItems, ItemSource, Standing } from './handed.js';
import { CLOSED, type StreamReader } from './stream-reader.js';

/** Watches for something else that ends a subscription. @returns what stops that */
export type Ending = (end: (why: SubscriptionError) => void) => () => void;

/** One item of a subscription. */
export interface LiveItem<T> {
  /** `after:` this, a later subscription goes on without gap or repeat. */
  readonly cursor: string;
  /** Forget what you know: this begins the state afresh, because the cursor given could not be resumed from. */
  readonly reset: boolean;
  /** With `reset`: how many events were passed over that will not be told; null where that is not known, and without `reset`. */
  readonly skipped: number | null;
  readonly value: T;
  /** The event that it is made of; absent of a state. */
  readonly event?: StreamEvent;
}

export interface SubscriptionPlan<T> {
  readonly reader: StreamReader;
  readonly cursors: CursorCodec;
  /** The cursor that the subscriber gave. */
  readonly after: string | null;
  /** When the subscriber's token ends, in milliseconds of the epoch. */
  readonly expiresAtMs: number;
  /** The present state, at least one value, read after it is called. The signal aborts when the subscriber leaves meanwhile. */
  readonly state: (signal: AbortSignal) => AsyncIterable<T>;
  /** What a subscriber may see of an event; null: nothing. */
  readonly change: (event: StreamEvent) => T | null;
  /** What ends it, beside the token. */
  readonly until?: Ending | undefined;
}

/**
 * The items of one subscription: from a cursor that can be resumed from, all changes after it; else the present state,
 * then all changes after that.
 *
 * Ends when the consumer returns it, when the reader is closed, and, with a {@link SubscriptionError}, when the token
 * ends, when what it is let last until comes, or when the consumer is too slow.
 */
export function subscription<T>(plan: SubscriptionPlan<T>): HandedItems<LiveItem<T>> & Standing {
  const stopWatching = plan.until?.((why) => plan.reader.close(why));
  return endingWith(new Items(plan), plan, stopWatching);
}

/** Items that come from `reader`, ended when the token ends or the consumer leaves; `onEnd` then. */
export function endingWith<T>(
  generator: Source<LiveItem<T>>,
  { reader, expiresAtMs }: Pick<SubscriptionPlan<T>, 'reader' | 'expiresAtMs'>,
  onEnd: () => void = () => undefined,
): HandedItems<LiveItem<T>> & Standing {
  const cancelExpiry = callAt(expiresAtMs, () => reader.close(expired()));
  let hasEnded = false;
  const items = endable(generator, () => {
    if (!hasEnded) {
      hasEnded = true;
      cancelExpiry();
      reader.close();
      onEnd();
    }
  });
  return Object.assign(items, {
    reading: () => reader.reading,
    standsAt: () => generator.standsAt?.() ?? null,
  });
}

/** What an iterator of items is made of. */
interface Source<T> extends Partial<Pick<HandedItems<T> & Standing, 'handTo' | 'standsAt'>> {
  next(): Promise<IteratorResult<T, undefined>>;
  /** Called when whatever it reads from was closed. */
  return(value: undefined): Promise<IteratorResult<T, undefined>>;
}

/** By hand: as generators within generators the same takes twice the time, and each of many subscribers pays it. */
class Items<T> implements Source<LiveItem<T>>, ItemSource<LiveItem<T>> {
  /** The state, while it is told. */
  #state: AsyncIterator<LiveItem<T>> | null = null;
  #hasBegun = false;
  #take: (event: StreamEvent) => boolean = () => false;
  /** Ends the reading of the state, while it is told. */
  #leaving: AbortController | null = null;

  constructor(private readonly plan: SubscriptionPlan<T>) {}

  handTo(take: (event: StreamEvent, source: ItemSource<LiveItem<T>>) => boolean): void {
    this.#take = (event) => take(event, this);
    this.plan.reader.handTo(this.#take);
  }

  async next(): Promise<IteratorResult<LiveItem<T>, undefined>> {
    const { reader, cursors, after } = this.plan;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const begin = await reader.start(after === null ? null : cursors.decode(after));
      this.#state = begin === 'fresh' ? this.#stateWith({ reset: after !== null, skipped: null }) : null;
    }
    for (;;) {
      if (this.#state !== null) {
        const item = await this.#nextOf(this.#state);
        if (item === CLOSED) {
          return { done: true, value: undefined };
        }
        if (!item.done) {
          return item;
        }
        this.#state = null;
        this.#leaving = null;
      }
      const event = await reader.next();
      if (event === null) {
        return { done: true, value: undefined };
      }
      if (event === 'overrun') {
        throw tooSlow(cursors.encode(reader.position));
      }
      if (event === 'lost') {
        const before = reader.position;
        await reader.start(null);
        const skipped = eventsBetween(before, reader.position);
        this.#state = this.#stateWith({ reset: true, skipped });
        continue;
      }
      // Also of what was missed: a crowd that comes back has missed the same, and an item is made for the first of them.
      const item = this.#take(event) ? null : this.itemOf(event);
      if (item !== null) {
        return { done: false, value: item };
      }
    }
  }

  standsAt(): string | null {
    const { reader, cursors } = this.plan;
    return this.#hasBegun && this.#state === null && reader.isOpen && reader.position.epoch > 0
      ? cursors.encode(reader.position)
      : null;
  }

  /** Nothing of a state is told after the end of a token, and nobody waits for it until then. */
  async #nextOf(state: AsyncIterator<LiveItem<T>>): Promise<IteratorResult<LiveItem<T>> | typeof CLOSED> {
    const { reader } = this.plan;
    try {
      return await reader.unlessClosed(() => state.next());
    } finally {
      if (!reader.isOpen) {
        this.return().catch(() => undefined);
      }
    }
  }

  itemOf(event: StreamEvent): LiveItem<T> | null {
    const { cursors, change } = this.plan;
    const value = change(event);
    return value === null
      ? null
      : { cursor: cursors.encode(event), reset: false, skipped: null, value, event };
  }

  #stateWith(begun: Pick<LiveItem<T>, 'reset' | 'skipped'>): AsyncIterator<LiveItem<T>> {
    this.#leaving = new AbortController();
    return stateItems(this.plan, { begun, signal: this.#leaving.signal });
  }

  async return(): Promise<IteratorResult<LiveItem<T>, undefined>> {
    this.#leaving?.abort();
    await this.#state?.return?.();
    return { done: true, value: undefined };
  }
}

/** Only the last item of the state carries a cursor to resume from: whoever has not got it has not got the state. */
async function* stateItems<T>(
  { reader, cursors, state }: SubscriptionPlan<T>,
  { begun, signal }: { begun: Pick<LiveItem<T>, 'reset' | 'skipped'>; signal: AbortSignal },
) {
  const cursor = cursors.encode(reader.position);
  let held: { value: T } | null = null;
  for await (const value of state(signal)) {
    if (held !== null) {
      yield { ...begun, cursor: cursors.incomplete, value: held.value };
    }
    held = { value };
  }
  if (held !== null) {
    yield { ...begun, cursor, value: held.value };
  }
}

function tooSlow(cursor: string): SubscriptionError {
  return new SubscriptionError(
    'SLOW_CONSUMER',
    'Too much waited for this subscription. Subscribe again after the last cursor that you received.',
    cursor,
  );
}

/** How many events lie between two positions of a stream; null where it began anew in between. */
export function eventsBetween(from: Position, to: Position): number | null {
  const isLater = from.epoch === to.epoch && from.seq <= to.seq;
  return isLater ? Math.min(SKIPPED_MAX, to.seq - from.seq) : null;
}

/** The largest Int of GraphQL. */
const SKIPPED_MAX = 2_147_483_647;

function expired(): SubscriptionError {
  return new SubscriptionError(
    'UNAUTHENTICATED',
    'The access token has ended. Subscribe again with a new one.',
  );
}

/**
 * A generator's own `return` waits for its pending `next`, which may wait for an event that never comes, or for a state that is read for
 * long. This one closes first and waits for nothing, so that whoever leaves is gone at once.
 */
function endable<T>(generator: Source<T>, close: () => void): HandedItems<T> {
  return {
    handTo: (take) => generator.handTo?.(take),
    async next() {
      try {
        const result = await generator.next();
        if (result.done) {
          close();
        }
        return result;
      } catch (error) {
        close();
        throw error;
      }
    },
    async return() {
      close();
      generator.return(undefined).catch(() => undefined);
      return { done: true, value: undefined };
    },
    async throw(error) {
      close();
      generator.return(undefined).catch(() => undefined);
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
