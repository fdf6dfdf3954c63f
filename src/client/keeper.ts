import { sleep } from './abort.js';
import type { Client } from './client.js';
import type { HeldAssignment, Kept } from './held.js';
import { takeBack } from './hold.js';

/** Beats at least three times a lease, and once a minute at least. */
const BEATS_PER_LEASE = 3;
const LONGEST_BEAT_MS = 60_000;

export interface KeeperOptions {
  readonly client: Client;
  readonly held: HeldAssignment;
  /** Seconds since a person last did anything; the server stops extending ten minutes after. */
  readonly idleSeconds: () => number;
  /** What was typed so far, if it changed since the last beat; undefined otherwise. */
  readonly takeDraft: () => unknown;
  /** Ends the beating, without a further call. */
  readonly signal: AbortSignal;
}

/**
 * Beats until the signal is aborted. A lease that has ended (a laptop that slept) is taken back under the next epoch
 * where the slot is still free; otherwise this resolves at once with what became of it.
 */
export async function keepLease(options: KeeperOptions): Promise<Kept> {
  let { held } = options;
  while (await waitForBeat(held, options.signal)) {
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
  return Math.min((leaseSeconds * 1000) / BEATS_PER_LEASE, LONGEST_BEAT_MS) * (0.8 + 0.2 * random());
}

async function waitForBeat({ leaseSeconds }: HeldAssignment, signal: AbortSignal): Promise<boolean> {
  return sleep(beatIntervalMs(leaseSeconds), signal).then(
    () => true,
    () => false,
  );
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
      return { held: { ...held, leaseEndsAt: performance.now() + result.lease.secondsLeft * 1000 } };
    }
    return await takeBack(client, { held, refusal: result, signal });
  } catch (error) {
    if (signal.aborted) {
      return null;
    }
    throw error;
  }
}
