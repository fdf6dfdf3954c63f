import { setTimeout as wait } from 'node:timers/promises';
import { between, oneOf, type Random } from '../random.js';
import { type Connect, overEventStream, overSocket } from './connection.js';
import type { Record } from './record.js';

/** What is followed: a field, and what keeps and judges what is heard. */
export interface Followed {
  readonly name: string;
  readonly field: string;
  readonly query: string;
  readonly variables: Readonly<{ [name: string]: unknown }>;
  readonly token: string;
  readonly record: Record;
  /** What it has heard that the database does not say, or not yet; null where both say the same. */
  readonly difference: () => Promise<string | null>;
}

const WAYS: readonly Connect[] = [overSocket, overEventStream];
const STAY_MS_MAX = 800;
const ITEMS_MAX = 12;
const PAUSE_MS = 15;

/** A client that comes and goes at random, by either way and at any node, each time from its last cursor. */
export class Subscriber {
  #cursor: string | null = null;
  #isCalm = false;
  #hasEnded = false;
  #leave = new AbortController();
  visits = 0;

  constructor(
    readonly followed: Followed,
    private readonly site: { anyUrl(random: Random): string },
    private readonly random: Random,
  ) {}

  async run(): Promise<void> {
    while (!this.#hasEnded) {
      await this.#visit().catch(() => undefined); // Broken connections are what this is about.
      await wait(PAUSE_MS);
    }
  }

  /** From now on it stays as long as it can. */
  calmDown(): void {
    this.#isCalm = true;
  }

  end(): void {
    this.#hasEnded = true;
    this.#leave.abort();
  }

  async #visit(): Promise<void> {
    const { field, query, variables, token, record } = this.followed;
    this.visits += 1;
    const leaving = new AbortController();
    this.#leave = leaving;
    const timer = this.#isCalm
      ? undefined
      : setTimeout(() => leaving.abort(), between(this.random, 5, STAY_MS_MAX));
    let left = this.#isCalm ? Number.POSITIVE_INFINITY : between(this.random, 1, ITEMS_MAX);
    record.resume(this.#cursor);
    const asked = { url: this.site.anyUrl(this.random), token, field, query, variables };
    try {
      const connect = oneOf(this.random, WAYS);
      for await (const item of connect({ ...asked, after: this.#cursor, leave: leaving.signal })) {
        record.take(item);
        this.#cursor = item.cursor;
        left -= 1;
        if (left === 0) {
          return;
        }
      }
    } finally {
      clearTimeout(timer);
      leaving.abort();
    }
  }
}
