import { ClientError } from '../../client/errors.js';

/** What has happened since a demo was started. */
export interface Tally {
  claims: number;
  submits: number;
  released: number;
  flagged: number;
  lapses: number;
  lost: number;
  expiries: number;
  /** Experts whom somebody has paused. */
  pauses: number;
  uploads: number;
  /** What was paid, in minor units, by currency. */
  readonly paid: Map<string, bigint>;
  readonly errors: Map<string, number>;
  /** What the first error of each code said. */
  readonly said: Map<string, string>;
  readonly latencies: Map<string, Latencies>;
  atDesk: number;
}

/** The latest of one operation's times, in milliseconds. */
export interface Latencies {
  count: number;
  readonly recent: number[];
}

/** So many of the latest times speak for an operation. */
const RECENT = 5_000;

export function createTally(): Tally {
  const numbers = { claims: 0, submits: 0, released: 0, flagged: 0, lapses: 0, lost: 0, expiries: 0 };
  const maps = { paid: new Map(), errors: new Map(), said: new Map(), latencies: new Map() };
  return { ...numbers, pauses: 0, uploads: 0, atDesk: 0, ...maps };
}

/** Keeps how long a call took. */
export function noteLatency({ latencies }: Tally, operation: string, ms: number): void {
  const of = latencies.get(operation) ?? { count: 0, recent: [] };
  of.recent[of.count % RECENT] = ms;
  of.count += 1;
  latencies.set(operation, of);
}

/** Keeps that something failed, by its code, and what the first of each said; `isRetried`: the client tried again by itself. */
export function noteError({ errors, said }: Tally, error: unknown, isRetried = false): void {
  const code = `${codeOf(error)}${isRetried ? '_RETRIED' : ''}`;
  errors.set(code, (errors.get(code) ?? 0) + 1);
  if (!said.has(code)) {
    said.set(code, causesOf(error).join(': '));
  }
}

const codeOf = (error: unknown): string =>
  error instanceof ClientError ? (error.code ?? error.kind) : error instanceof Error ? error.name : 'unknown';

/** What it says, and what is behind it: "cannot be reached" is not why. */
function causesOf(error: unknown): string[] {
  const { message, cause } = error instanceof Error ? error : { message: String(error), cause: undefined };
  return cause === undefined ? [message] : [message, ...causesOf(cause)];
}

/** The value below which a share of the latest times lies, in milliseconds; null where there are none. */
export function quantileOf({ recent }: Latencies, share: number): number | null {
  const sorted = recent.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? null;
}
