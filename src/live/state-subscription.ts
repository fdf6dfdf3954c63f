import type { Viewer } from '../services/access/viewer.js';
import type { Position } from '../services/events/stream.js';
import { type CursorCodec, createCursorCodec } from './cursor.js';
import type { LiveParts } from './parts.js';
import type { SharedRead } from './shared-reads.js';
import { CLOSED, isAhead, type StreamReader } from './stream-reader.js';
import { endingWith, eventsBetween, type LiveItem } from './subscription.js';

interface StatePlan<T> {
  /** On the stream that moves when the state may have changed; it must shorten what waits to one event. */
  readonly reader: StreamReader;
  readonly cursors: CursorCodec;
  /** The cursor that the subscriber gave. */
  readonly after: string | null;
  /** When the subscriber's token ends, in milliseconds of the epoch. */
  readonly expiresAtMs: number;
  readonly shared: SharedRead<T>;
}

/** What changes in so short a time is told together: leading edge at once, the rest at the window's end. */
const WINDOW_MS = 300;
/** A state that is slow to read is read for a tenth of the time at most. */
const REST_PER_COST = 10;

/** A state, and when to look at it again. */
export interface WatchedState<T> {
  /** Names what is read, together with the stream. */
  readonly name: string;
  /** Moves whenever the state may have changed. */
  readonly stream: string;
  /** The cursor that the subscriber gave. */
  readonly after: string | null;
  /** Reads the state; depends on nothing but the stream, the name and what the viewer may see. The signal aborts with the last subscriber. */
  readonly read: (signal: AbortSignal) => Promise<T>;
}

/** Subscribes somebody to a state; those of the same role and scope share what is read. */
export function watchState<T>(
  { hub, cursorSecret, sharedReads, beginnings }: LiveParts,
  viewer: Viewer,
  { name, stream, after, read }: WatchedState<T>,
): AsyncIterableIterator<LiveItem<T>> {
  const { tenantId, role, customerId, expertId, expiresAtMs } = viewer;
  const source = { tenantId, stream };
  return stateSubscription({
    reader: hub.open(source, () => name),
    cursors: createCursorCodec(cursorSecret, source),
    after,
    expiresAtMs,
    shared: sharedReads.join([name, tenantId, stream, role, customerId, expertId].join(' '), (signal) =>
      beginnings.inTurn(viewer, () => read(signal)),
    ),
  });
}

/**
 * A state as it is, then as it is after each change; many changes in a short time are one item. From a cursor nothing is
 * told until the state has moved on, and `reset` says that the cursor was not one to go on from.
 *
 * Ends like `subscription`.
 */
function stateSubscription<T>(plan: StatePlan<T>): AsyncIterableIterator<LiveItem<T>> {
  return endingWith(items(plan), plan, () => plan.shared.leave());
}

async function* items<T>(plan: StatePlan<T>): AsyncGenerator<LiveItem<T>, undefined> {
  const { reader, cursors, after, shared } = plan;
  const from = after === null ? null : cursors.decode(after);
  await reader.start(null);
  if (from !== null && isAhead(from, reader.position)) {
    await reader.start(from); // Another node has told more than this one has heard of yet.
  }
  let reset = after !== null && !isBehind(from, reader.position);
  let skipped: number | null = null;
  let isDue = from === null || reset || from.seq !== reader.position.seq;
  for (let restMs = 0; ; ) {
    if (!isDue) {
      const before = reader.position;
      const moved = await nextMove(reader, restMs);
      if (moved === 'closed') {
        return;
      }
      if (moved === 'lost') {
        reset = true;
        skipped = eventsBetween(before, reader.position);
        shared.restart(reader.position);
      }
    }
    const at = reader.position;
    const beganMs = performance.now();
    const value = await reader.unlessClosed(() => shared.read(at));
    if (value === CLOSED) {
      return;
    }
    restMs = Math.max(WINDOW_MS, REST_PER_COST * (performance.now() - beganMs));
    yield { cursor: cursors.encode(at), reset, skipped, value };
    isDue = false;
    reset = false;
    skipped = null;
  }
}

/** Whether a cursor is one of this stream's past or present. */
function isBehind(from: Position | null, head: Position): from is Position {
  return from !== null && from.epoch === head.epoch && from.seq <= head.seq;
}

/**
 * Waits until the stream moves, then for the rest of the window, and passes all that has come by then. Lost, before the rest or in it: it is over
 * at once.
 */
async function nextMove(reader: StreamReader, restMs: number): Promise<'moved' | 'lost' | 'closed'> {
  const restUntil = performance.now() + restMs;
  const event = await reader.next();
  if (event === null) {
    return 'closed';
  }
  const isLost = event === 'lost' || event === 'overrun';
  await rest(reader, isLost ? 0 : restUntil - performance.now());
  if (!reader.isOpen) {
    return reader.ending() ?? 'closed';
  }
  if (isLost || reader.skip() === 'lost') {
    await reader.start(null);
    return 'lost';
  }
  return 'moved';
}

/** A rest, which ends early where the reader is closed or lost. */
function rest(reader: StreamReader, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      stops.forEach((stop) => void stop());
      resolve();
    };
    const timer = setTimeout(end, Math.max(0, ms)).unref();
    const stops = [reader.whenClosed(end), reader.whenLost(end)];
  });
}
