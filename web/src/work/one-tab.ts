/** What a tab is told of its turn at the desk. */
export interface TurnEvents {
  /** This tab has it now, until it is told otherwise. */
  onMine(): void;
  /** Another tab has it; it comes back by itself when that one is closed. */
  onTheirs(): void;
}

/**
 * One tab of a browser works at a time, so that two never type into the same task. Where the browser has no locks (pages
 * that are not served securely) each tab works, and the server keeps the last draft.
 */
export class OneTab {
  readonly #name: string;
  readonly #events: TurnEvents;
  #waiting = new AbortController();
  #release: (() => void) | null = null;
  #isClosed = false;

  constructor(name: string, events: TurnEvents) {
    this.#name = name;
    this.#events = events;
  }

  /** Has the desk at once where it is free, else as soon as it is. Ends with `close`. */
  async open(): Promise<void> {
    if ('locks' in navigator) {
      await this.#turns({ ifAvailable: true });
    } else {
      this.#events.onMine();
    }
  }

  /** Takes the desk from the tab that has it, which has kept what was typed. */
  async take(): Promise<void> {
    this.#waiting.abort();
    this.#waiting = new AbortController();
    await this.#turns({ steal: true });
  }

  close(): void {
    this.#isClosed = true;
    this.#waiting.abort();
    this.#release?.();
  }

  async #turns(first: LockOptions): Promise<void> {
    const { signal } = this.#waiting;
    for (let options = first; !signal.aborted && !this.#isClosed; options = { signal }) {
      try {
        await navigator.locks.request(this.#name, options, (lock) => (lock === null ? null : this.#have()));
      } catch {
        // Stolen by another tab, or no longer waited for.
      }
      if (!signal.aborted && !this.#isClosed) {
        this.#events.onTheirs();
      }
    }
  }

  #have(): Promise<void> {
    this.#events.onMine();
    return new Promise((resolve) => {
      this.#release = resolve;
    });
  }
}
