import type { StreamEvent } from '../services/events/stream.js';

/**
 * Something whose items can also be handed over as they come, in place of being asked for: between an event and a
 * subscriber at rest there is then a call, not a chain of promises.
 */
export interface Handing<Given extends readonly unknown[]> {
  /**
   * While a call of `next` waits for an item, one that comes is offered to `take` first. True: it was taken, and `next`
   * waits for the one after it. False: it is what `next` resolves to. What `take` throws ends the items.
   */
  handTo(take: (...given: Given) => boolean): void;
}

/** What makes items of events. */
export interface ItemSource<Item> {
  /** Null for an event of which the subscriber may see nothing. */
  itemOf(event: StreamEvent): Item | null;
}

/** What items say of themselves between them. */
export interface Standing {
  /** What is still read for them, also when they have ended; null: nothing. Never rejects. */
  reading(): Promise<unknown> | null;
  /** While `next` waits: the cursor up to which all has been told or is not to be; null where that is not known. */
  standsAt(): string | null;
}

/** Items that are handed over as the events that they are made of, so that one item can be made for many subscribers. */
export interface HandedItems<Item>
  extends AsyncIterableIterator<Item>,
    Handing<[event: StreamEvent, source: ItemSource<Item>]> {}
