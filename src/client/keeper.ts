import { sleep } from './abort.js';
import type { Client } from './client.js';
import type { HeldAssignment, Kept } from './held.js';
import { takeBack } from './hold.js';

/** Beats at least three times a lease, and once a minute at least. */
const BEATS_PER_LEASE = 3;
const LONGEST_BEAT_MS = 60_000;
/** Whatever a lease says of itself: beats without a pause would be an attack. */
const SHORTEST_BEAT_MS = 200;

export interface KeeperOptions {
  readonly client: Client;
  readonly held: HeldAssignment;
  /** Seconds since a person last did anything; the server stops extending ten minutes after. */
  readonly idleSeconds: () => number;
  /** What was typed so far, if it changed since the last beat; undefined otherwise. */
  readonly takeDraft: () => unknown;
  /** Resolves when a beat is wanted sooner than by the clock: something was typed, a laptop woke up. Default: never. */
  readonly sooner?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Told after each beat, with the lease as it is then (of another epoch where it was taken back), and whether it was extended. */
  readonly onBeat?: ((held: HeldAssignment, extended: boolean) => void) | undefined;
  /** Ends the beating, without a further call. */
  readonly signal: AbortSignal;
}

/**
 * Beats until the signal is aborted. A lease that has ended (a laptop that slept) is taken back under the next epoch
 * where the slot is still free; otherwise this resolves at once with what became of it.
 */
export async function keepLease(options: KeeperOptions): Promise<Kept> {
  let { held } = options;
  while (await waitForBeat(options, held)) {
    const kept = await beat(options, held);
    if (kept === null) {
      break;
    }
    if ('lost' in kept) {
      return kept;
    }
    held = kept.held;
  }
  return { held };
}

/** The wait before a beat: four fifths to all of the interval, so that clients of one moment drift apart. */
export function beatIntervalMs(leaseSeconds: number, random: () => number = Math.random): number {
  const full = Math.min((leaseSeconds * 1000) / BEATS_PER_LEASE, LONGEST_BEAT_MS);
  return Math.max(full * (0.8 + 0.2 * random()), SHORTEST_BEAT_MS);
}

async function waitForBeat(
  { signal, sooner }: KeeperOptions,
  { leaseSeconds }: HeldAssignment,
): Promise<boolean> {
  if (signal.aborted) {
    return false;
  }
  const over = new AbortController();
  const follow = () => over.abort(signal.reason);
  signal.addEventListener('abort', follow, { once: true });
  try {
    await Promise.race([
      sleep(beatIntervalMs(leaseSeconds), over.signal),
      ...(sooner === undefined ? [] : [sooner(over.signal)]),
    ]);
    return !signal.aborted;
  } catch {
    return false;
  } finally {
    signal.removeEventListener('abort', follow);
    over.abort();
  }
}

/** One beat; null where it was stopped before the answer came. */
async function beat(options: KeeperOptions, held: HeldAssignment): Promise<Kept | null> {
  const { client, signal } = options;
  const { assignmentId, leaseEpoch } = held;
  const draft = options.takeDraft();
  try {
    const result = await client.heartbeat(
      {
        assignmentId,
        leaseEpoch,
        lastActivitySeconds: Math.floor(options.idleSeconds()),
        ...(draft === undefined ? {} : { draft }),
      },
      signal,
    );
    if (result.__typename === 'HeartbeatPayload') {
      const beaten = { ...held, leaseEndsAt: performance.now() + result.lease.secondsLeft * 1000 };
      options.onBeat?.(beaten, result.extended);
      return { held: beaten };
    }
    const kept = await takeBack(client, { held, refusal: result, signal });
    if ('held' in kept) {
      options.onBeat?.(kept.held, true);
    }
    return kept;
  } catch (error) {
    if (signal.aborted) {
      return null;
    }
    throw error;
  }
}
