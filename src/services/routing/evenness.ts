import type { Database } from '../platform/database.js';
import { createTick } from './tick.js';

// Gold costs the database other statements than other work: some tenths of a millisecond, by which it could be told
// (rule 10). So each answer waits until both kinds would have been answered, and leaves with a beat that both kinds share.

/** Latencies kept of each kind: the latest ones. */
const KEPT = 200;
/** Before so many are known of both kinds nothing is held back. */
const KNOWN_MIN = 20;

/**
 * Latencies of two kinds of calls, and how long to hold an answer back so that those of both kinds come alike: a latency
 * waits for the one that has its rank among the other kind's (the coupling of two distributions by quantiles, so what
 * clients see is the larger of the two, rank by rank). What is noted is latency without holding back.
 */
export class Evenness {
  private readonly kept = { gold: new Latest(), other: new Latest() };

  /** @returns milliseconds to wait on; null where too little is known of either kind, as in a tenant without gold */
  note(isGold: boolean, ms: number): number | null {
    const own = this.kept[isGold ? 'gold' : 'other'];
    const other = this.kept[isGold ? 'other' : 'gold'];
    const isKnown = own.size >= KNOWN_MIN && other.size >= KNOWN_MIN;
    const due = isKnown ? Math.max(0, other.atRank(own.rankOf(ms)) - ms) : null;
    own.add(ms);
    return due;
  }
}

/** The latest numbers, kept in order as well: one more costs a search and a shift, no sort. */
class Latest {
  private readonly sorted: number[] = [];
  private readonly ring: number[] = [];
  private next = 0;

  get size(): number {
    return this.sorted.length;
  }

  add(value: number): void {
    const oldest = this.ring[this.next];
    if (oldest !== undefined) {
      this.sorted.splice(this.placeOf(oldest), 1);
    }
    this.sorted.splice(this.placeOf(value), 0, value);
    this.ring[this.next] = value;
    this.next = (this.next + 1) % KEPT;
  }

  /** The share of numbers below one. */
  rankOf(value: number): number {
    return this.placeOf(value) / this.sorted.length;
  }

  atRank(rank: number): number {
    return this.sorted[Math.min(this.sorted.length - 1, Math.floor(rank * this.sorted.length))] ?? 0;
  }

  /** How many are below. */
  private placeOf(value: number): number {
    let [low, high] = [0, this.sorted.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.sorted[middle] ?? 0) < value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

type Call = 'CLAIM' | 'SUBMIT';

const known = new WeakMap<Database, Map<string, Evenness>>();

/** Tenants whose latencies are kept at most; the oldest goes first. */
const TENANTS_MAX = 500;

/**
 * Timers come late, by up to a millisecond and more: an answer that waits by one and an answer that does not would differ by
 * that. So whatever is owed, every answer of a tenant that gives gold leaves with the next beat.
 */
const tick = createTick(2);

/**
 * Holds an answer back for as long as {@link Evenness} asks, and until the next beat. In a tenant that gives no gold nothing
 * is ever held back.
 * @param ms what the call took
 */
export async function evenOut(
  db: Database,
  { tenantId, call, isGold, ms }: { tenantId: bigint; call: Call; isGold: boolean; ms: number },
): Promise<void> {
  const all = known.get(db) ?? new Map<string, Evenness>();
  known.set(db, all);
  const key = `${tenantId}/${call}`;
  const evenness = all.get(key) ?? new Evenness();
  all.set(key, evenness);
  const [oldest] = all.keys();
  if (all.size > 2 * TENANTS_MAX && oldest !== undefined) {
    all.delete(oldest);
  }
  const due = evenness.note(isGold, ms);
  if (due !== null) {
    await tick.after(due);
  }
}
