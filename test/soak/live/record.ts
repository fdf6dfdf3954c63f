import type { CursorCodec } from '../../../src/live/cursor.js';
import type { Item } from './connection.js';

/** What one subscriber has heard, and what of it cannot be right whatever the database says. */
export interface Record {
  /** Called when the subscriber comes back, with where it goes on. */
  resume(cursor: string | null): void;
  take(item: Item): void;
  readonly faults: readonly string[];
}

/** A change, with its number in the stream. */
export interface Change {
  readonly seq: number;
  readonly item: Item;
}

/** A log: the state as of a number, then each change after it. */
export class LogRecord implements Record {
  readonly faults: string[] = [];
  state: Item[] = [];
  changes: Change[] = [];
  /** The number that the state is as of; null until all of it has been told. */
  begun: number | null = null;
  #isTellingState = true;
  #mayReset = false;

  constructor(private readonly cursors: CursorCodec) {}

  resume(cursor: string | null): void {
    this.#isTellingState = cursor === null;
    this.#mayReset = cursor === this.cursors.incomplete;
  }

  take(item: Item): void {
    const seq = this.cursors.decode(item.cursor)?.seq ?? null;
    if (item.reset && !this.#isTellingState) {
      this.#beginAgain();
    }
    if (this.#isTellingState) {
      this.state.push(item);
      this.begun = seq;
      this.#isTellingState = seq === null;
      return;
    }
    const last = this.changes.at(-1)?.seq ?? this.begun ?? -1;
    if (seq === null || seq <= last) {
      this.faults.push(`number ${seq} was told after ${last}`);
    } else {
      this.changes.push({ seq, item });
    }
  }

  #beginAgain(): void {
    if (!this.#mayReset) {
      this.faults.push('was told to start afresh without need');
    }
    this.#isTellingState = true;
    this.#mayReset = false;
    this.state = [];
    this.changes = [];
    this.begun = null;
  }
}

/** A state: the newest value is all that counts. */
export class StateRecord implements Record {
  readonly faults: string[] = [];
  newest: Change | null = null;

  constructor(private readonly cursors: CursorCodec) {}

  resume(): void {
    // Nothing to do: a state has no beginning.
  }

  take(item: Item): void {
    const seq = this.cursors.decode(item.cursor)?.seq ?? -1;
    const last = this.newest?.seq ?? -1;
    if (seq < last) {
      this.faults.push(`the state of number ${seq} was told after that of ${last}`);
    }
    if (item.reset) {
      this.faults.push('was told to start afresh without need');
    }
    this.newest = { seq, item };
  }
}
