import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import type { Database } from '../platform/database.js';

// Gold costs the database other statements than other work: some tenths of a millisecond, by which it could be told
// (rule 10). So each answer waits until both kinds would have been answered.

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
  private readonly kept = { gold: [] as number[], other: [] as number[] };

  /** @returns milliseconds to wait on; 0 where nothing is known of the other kind */
  note(isGold: boolean, ms: number): number {
    const own = this.kept[isGold ? 'gold' : 'other'];
    const other = this.kept[isGold ? 'other' : 'gold'];
    const due = this.dueOf(ms, own, other);
    own.push(ms);
    if (own.length > KEPT) {
      own.shift();
    }
    return due;
  }

  private dueOf(ms: number, own: readonly number[], other: readonly number[]): number {
    if (own.length < KNOWN_MIN || other.length < KNOWN_MIN) {
      return 0;
    }
    const rank = own.filter((one) => one < ms).length / own.length;
    const sorted = [...other].sort((a, b) => a - b);
    const same = sorted[Math.min(sorted.length - 1, Math.floor(rank * sorted.length))] ?? ms;
    return Math.max(0, same - ms);
  }
}

type Call = 'CLAIM' | 'SUBMIT';

const known = new WeakMap<Database, Map<string, Evenness>>();

/** Tenants whose latencies are kept at most; the oldest goes first. */
const TENANTS_MAX = 500;

/**
 * Holds an answer back for as long as {@link Evenness} asks. In a tenant that gives no gold nothing is ever held back.
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
  await waitFor(evenness.note(isGold, ms));
}

/** Timers have whole milliseconds and come late; what is left of the wait is spent on other turns of the loop. */
async function waitFor(ms: number): Promise<void> {
  const until = performance.now() + ms;
  if (ms >= 2) {
    await wait(Math.floor(ms) - 1);
  }
  while (performance.now() < until) {
    await turn();
  }
}
