import type { RawData, WebSocket } from 'ws';
import { CLOSE } from '../live/close-codes.js';
import type { Viewer } from '../services/access/viewer.js';
import type { Fixes } from '../services/dispatch/fixes/open-fixes.js';
import type { WorkerKey } from '../services/dispatch/fixes/shifts.js';
import { REPORTS_MAX } from './desk.js';

/** What was sent before it was known who sends it. */
const EARLY_MAX = 10;
/** A socket is told of refusals once a second at most. */
const TELL_EVERY_MS = 1_000;
/** Nothing is read from a socket so long when nothing more can be taken. */
const REST_MS = 250;

/** One socket of a worker. */
export interface Session {
  readonly socket: WebSocket;
  viewer: Viewer | null;
  worker: WorkerKey | null;
  early: RawData[];
  /** Whether a message waits until it is known again whether its sender is on shift. */
  isHolding: boolean;
  /** Looks since anything was heard; see fix-socket.ts. */
  silentFor: number;
  toldMs: number;
  end: () => void;
}

/** Nobody is known yet. */
export const createSession = (socket: WebSocket): Session => ({
  socket,
  viewer: null,
  worker: null,
  early: [],
  isHolding: false,
  silentFor: 0,
  toldMs: Number.NEGATIVE_INFINITY,
  end: () => undefined,
});

interface Receiving {
  readonly fixes: Fixes;
  readonly begin: (session: Session, authorization: string | undefined) => void;
}

/** Takes a message: the token where there was no header, else reports. */
export function receive(session: Session, data: RawData, { fixes, begin }: Receiving): void {
  const { worker, socket, early } = session;
  if (worker !== null) {
    report(session, worker, { data, fixes });
    return;
  }
  const hello = early.length === 0 ? helloOf(data) : null;
  if (hello !== null) {
    begin(session, hello);
  } else if (early.length < EARLY_MAX) {
    early.push(data);
  } else {
    socket.close(CLOSE.forbidden, 'Wait until you are let in');
  }
}

/** Browsers cannot send headers with a WebSocket: the token comes with the first message. */
function helloOf(data: RawData): string | null {
  const said = parsed(data) as { type?: unknown; authorization?: unknown } | undefined;
  return said?.type === 'hello' && typeof said.authorization === 'string' ? said.authorization : null;
}

/** A message, and where it goes. */
interface Reported {
  readonly data: RawData;
  readonly fixes: Pick<Fixes, 'shifts' | 'intake' | 'metrics' | 'clock'>;
}

/** Takes the reports of a message, and says what is wrong with them. */
export function report(session: Session, worker: WorkerKey, { data, fixes }: Reported): void {
  const { shifts, intake, metrics } = fixes;
  const standing = shifts.known(worker);
  if (standing === null) {
    hold(session, worker, { data, fixes });
    return;
  }
  if (standing === 'NO_WORKER') {
    session.socket.close(CLOSE.forbidden, 'FORBIDDEN: this is no worker any more');
    return;
  }
  if (standing === 'OFF_SHIFT') {
    metrics.fixes.inc({ outcome: 'OFF_SHIFT' });
    tell(session, { code: 'OFF_SHIFT' });
    return;
  }
  const said = parsed(data);
  const reports = Array.isArray(said) ? said : [said];
  if (reports.length > REPORTS_MAX) {
    tell(session, { code: 'MALFORMED', message: `At most ${REPORTS_MAX} fixes a message` });
    return;
  }
  const { retryAfterSeconds, isOverloaded, refused } = intake.take(worker, reports);
  if (isOverloaded) {
    rest(session.socket);
    tell(session, { code: 'OVERLOADED', retryAfterSeconds: 1 });
  } else if (retryAfterSeconds > 0) {
    tell(session, { code: 'RATE_LIMITED', retryAfterSeconds });
  } else if (refused.length > 0) {
    tell(session, { code: refused[0]?.code, refused, serverMs: fixes.clock.nowMs() });
  }
}

/** Nobody's place is taken unless they are on shift: one message waits until that is known again, more are refused, and all where it is not. */
function hold(session: Session, worker: WorkerKey, reported: Reported): void {
  const refuse = () => {
    reported.fixes.metrics.fixes.inc({ outcome: 'NOT_KNOWN' });
    tell(session, { code: 'UNAVAILABLE', retryAfterSeconds: 1 });
  };
  if (session.isHolding) {
    refuse();
    return;
  }
  session.isHolding = true;
  reported.fixes.shifts
    .standing(worker)
    .then(() => report(session, worker, reported), refuse)
    .finally(() => {
      session.isHolding = false;
    });
}

/** What cannot be taken stays with its sender: the system's buffers fill, and their client sees it. */
function rest(socket: WebSocket): void {
  if (!socket.isPaused) {
    socket.pause();
    setTimeout(() => socket.resume(), REST_MS);
  }
}

function tell(session: Session, refusal: object): void {
  const now = performance.now();
  if (now - session.toldMs >= TELL_EVERY_MS && session.socket.readyState === session.socket.OPEN) {
    session.toldMs = now;
    session.socket.send(JSON.stringify({ type: 'refused', ...refusal }));
  }
}

function parsed(data: RawData): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
