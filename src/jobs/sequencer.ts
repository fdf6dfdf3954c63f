import type { Logger } from 'pino';
import type { EventBus } from '../services/events/bus.js';
import { FIRST_STREAM, stampEvents, stampPostings, trimEvents } from '../services/events/events.sql.js';
import { type Database, withSystem } from '../services/platform/database.js';
import { jitter } from '../services/platform/retry.js';
import type { Queryable } from '../services/platform/rows.js';
import { createLoop, type Job, type Loop } from './loop.js';
import { createSessionLock } from './session-lock.js';

export interface SequencerOptions {
  readonly db: Database;
  readonly bus: EventBus;
  readonly log: Logger;
}

/** Numbered in one transaction; it bounds how long a transaction holds up the next look. */
const EVENTS_A_STEP = 1_000;
const POSTINGS_A_STEP = 500;
const TRIMMED_A_STEP = { streams: 1_000, events: 5_000 };
/**
 * Between looks: soon after there was something, then less and less often. A look costs the same for one as for fifty, and
 * nobody waits for the number of a posting.
 */
const BUSY_MS = { events: 25, postings: 200 };
const IDLE_MAX_MS = 250;
const STANDBY_MS = 500;
/** Events are kept for a day, so a round through half a million streams may take minutes. */
const TRIM_MS = { step: 1_000, round: 120_000 };

/**
 * Gives events and postings their numbers after commit. Every node runs one; a session lock decides which of them does
 * the work, and when its session ends another takes over within about half a second.
 *
 * Events and postings have a lock each: numbering a ledger is slower, and an event must not wait for it.
 */
export function createSequencer({ db, bus, log }: SequencerOptions): Job {
  const events = createNumbering({
    name: 'sequencer.events',
    key: 1,
    busyMs: BUSY_MS.events,
    url: db.url,
    log,
    async number(session) {
      const heads = await stampEvents(session, EVENTS_A_STEP);
      bus.publishHeads(heads);
      return { some: heads.length > 0, full: false };
    },
  });
  const postings = createNumbering({
    name: 'sequencer.postings',
    key: 2,
    busyMs: BUSY_MS.postings,
    url: db.url,
    log,
    async number(session) {
      const count = await stampPostings(session, POSTINGS_A_STEP);
      if (count > 0) {
        log.debug({ count }, 'ledger.stamped');
      }
      return { some: count > 0, full: count === POSTINGS_A_STEP };
    },
  });
  const trimming = createTrimming({ db, bus, log }, events.isLeading);
  let unsubscribe = () => undefined as unknown;
  return {
    start() {
      unsubscribe();
      unsubscribe = bus.onPoke(events.poke);
      for (const part of [events, postings, trimming]) {
        part.start();
      }
    },
    async stop() {
      unsubscribe();
      await Promise.all([events.stop(), postings.stop(), trimming.stop()]);
    },
  };
}

interface Numbering {
  readonly name: string;
  readonly key: number;
  readonly busyMs: number;
  readonly url: string;
  readonly log: Logger;
  /** One bounded transaction. Some: look again soon. Full: there is certainly more. */
  readonly number: (session: Queryable) => Promise<{ some: boolean; full: boolean }>;
}

interface LeadingLoop extends Loop {
  readonly isLeading: () => boolean;
}

function createNumbering({ name, key, busyMs, url, log, number }: Numbering): LeadingLoop {
  const lock = createSessionLock({ url, name: `touchstone_${name}`, key });
  let leading = false;
  let restMs = busyMs;

  async function step() {
    const session = await lock.acquire();
    if (leading !== (session !== null)) {
      leading = session !== null;
      log.info(leading ? `${name}.leading` : `${name}.standing_by`);
    }
    if (session === null) {
      return jitter(STANDBY_MS);
    }
    const { some, full } = await number(session);
    restMs = some ? busyMs : Math.min(IDLE_MAX_MS, restMs * 2);
    return full ? 0 : restMs;
  }

  const loop = createLoop({ name, log, step });
  return {
    ...loop,
    isLeading: () => leading,
    // Without the lock there is nothing to hurry for; and a crowd of writers must not make it commit once for each.
    poke: () => void (leading && restMs > busyMs && loop.poke()),
    async stop() {
      await loop.stop();
      await lock.release();
      leading = false;
    },
  };
}

/**
 * Goes through the streams by turns, on the node that numbers events. It needs no lock: two nodes that trim at once delete
 * different rows or wait for each other.
 */
function createTrimming({ db, log }: SequencerOptions, isLeading: () => boolean): Loop {
  let from = FIRST_STREAM;
  return createLoop({
    name: 'sequencer.trim',
    log,
    async step() {
      if (!isLeading()) {
        return jitter(TRIM_MS.step);
      }
      const { trimmed, next } = await withSystem(db, (tx) => trimEvents(tx, from, TRIMMED_A_STEP));
      from = next ?? FIRST_STREAM;
      if (trimmed > 0) {
        log.debug({ trimmed }, 'events.trimmed');
      }
      if (trimmed === TRIMMED_A_STEP.events) {
        return BUSY_MS.events;
      }
      return jitter(next === null ? TRIM_MS.round : TRIM_MS.step);
    },
  });
}
