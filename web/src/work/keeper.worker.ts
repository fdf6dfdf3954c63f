import { sleep } from '../../../src/client/abort.js';
import { createClient } from '../../../src/client/client.js';
import type { HeldAssignment } from '../../../src/client/held.js';
import { keepLease } from '../../../src/client/keeper.js';
import type { FromKeeper, ToKeeper } from './keeper-messages.js';

/**
 * Keeps one lease: beats by itself, also while the page is in the background, where browsers slow its timers down. Says
 * when a person was last there, and saves what they typed.
 */

/** A change is saved after this time, with all that came in it: within two seconds, and not at each key. */
const SAVE_AFTER_MS = 1_000;

const RETRY = { baseMs: 200, capMs: 3_000, patienceMs: Number.POSITIVE_INFINITY };

/** After trouble so long is waited. */
const AGAIN_AFTER_MS = 5_000;

/** A page that is gone waits no longer for its last draft. */
const LEAVE_WITHIN_MS = 2_000;

let touchedAt = performance.now();
let current: HeldAssignment | null = null;
let draft: { body: unknown; version: number } | null = null;
let sent: number | null = null;
let saved: number | null = null;
let wake: (() => void) | null = null;
let stop: AbortController | null = null;
/** Whether a beat is due at once. */
let isAsked = false;
let token = '';
let tokenWaiters: ((token: string) => void)[] = [];

const tell = (message: FromKeeper) => postMessage(message);
const leftMs = (held: HeldAssignment) => held.leaseEndsAt - performance.now();

const client = createClient({
  url: new URL('/graphql', self.location.origin).href,
  token: ({ refused }) => {
    if (refused === null || refused !== token) {
      return token;
    }
    tell({ kind: 'TOKEN_WANTED', refused });
    return new Promise((resolve) => tokenWaiters.push(resolve));
  },
  retry: RETRY,
  onRetry: () => tell({ kind: 'UNANSWERED' }),
});

addEventListener('message', ({ data }: MessageEvent<ToKeeper>) => {
  switch (data.kind) {
    case 'HOLD':
      token = data.token;
      hold({ ...data.held, leaseEndsAt: performance.now() + data.leaseLeftMs });
      break;
    case 'TOUCHED':
      touchedAt = performance.now();
      break;
    case 'DRAFT':
      touchedAt = performance.now();
      draft = data;
      wake?.();
      break;
    case 'WAKE':
      askAgain();
      break;
    case 'SLEPT':
      touchedAt -= data.ms;
      askAgain();
      break;
    case 'TOKEN':
      takeToken(data.token);
      break;
    case 'LET_GO':
      stop?.abort();
      current = null;
      break;
    case 'CLOSE':
      void leave();
      break;
    default:
      data satisfies never;
  }
});

function hold(held: HeldAssignment): void {
  draft = null;
  sent = null;
  saved = null;
  isAsked = false;
  start(held);
}

function start(held: HeldAssignment): void {
  stop?.abort();
  stop = new AbortController();
  current = held;
  void keepOn(held, stop.signal);
}

/** Finds out at once how things stand. A beat that hangs is given up, and what it would have saved is sent once more. */
function askAgain(): void {
  if (current !== null) {
    sent = saved;
    isAsked = true;
    start(current);
  }
}

/** Through trouble too: a lease that nobody asks for any more would end under somebody who works. */
async function keepOn(held: HeldAssignment, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await keep(current ?? held, signal);
      return;
    } catch (error) {
      if (!signal.aborted) {
        sent = saved;
        tell({ kind: 'TROUBLE', message: error instanceof Error ? error.message : String(error) });
      }
    }
    await sleep(AGAIN_AFTER_MS, signal).catch(() => undefined);
    isAsked = true;
  }
}

async function keep(held: HeldAssignment, signal: AbortSignal): Promise<void> {
  let epoch = held.leaseEpoch;
  const kept = await keepLease({
    client,
    held,
    signal,
    idleSeconds: () => (performance.now() - touchedAt) / 1000,
    takeDraft,
    sooner,
    onBeat: (beaten, extended) => {
      current = beaten;
      if (beaten.leaseEpoch === epoch) {
        saved = sent;
      } else {
        epoch = beaten.leaseEpoch;
        sent = null; // whether the beat that was refused saved it is not certain: it is sent once more
      }
      tell({ kind: 'BEAT', held: beaten, leaseLeftMs: leftMs(beaten), extended, savedVersion: saved });
    },
  });
  if ('lost' in kept && !signal.aborted) {
    current = null;
    tell({ kind: 'LOST', lost: kept.lost });
  }
}

/** The last words, which no beat has brought to the server yet. */
async function leave(): Promise<void> {
  stop?.abort();
  setTimeout(close, LEAVE_WITHIN_MS); // also where it waits for a token
  if (current !== null && draft !== null && draft.version !== saved) {
    const { assignmentId, leaseEpoch } = current;
    const lastActivitySeconds = Math.floor((performance.now() - touchedAt) / 1000);
    await client
      .heartbeat(
        { assignmentId, leaseEpoch, lastActivitySeconds, draft: draft.body },
        AbortSignal.timeout(LEAVE_WITHIN_MS),
      )
      .catch(() => undefined); // it is on this device
  }
  close();
}

function takeDraft(): unknown {
  const next = draft !== null && draft.version !== sent ? draft : null;
  sent = next?.version ?? sent;
  return next?.body;
}

/** Resolves a moment after a change, or at once after a wake-up. */
async function sooner(signal: AbortSignal): Promise<void> {
  if (isAsked) {
    isAsked = false;
    return;
  }
  const isUnsent = draft !== null && draft.version !== saved;
  if (!isUnsent) {
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
  await sleep(draft !== null && draft.version !== saved ? SAVE_AFTER_MS : 0, signal);
}

function takeToken(next: string): void {
  token = next;
  const waiters = tokenWaiters;
  tokenWaiters = [];
  for (const resolve of waiters) {
    resolve(next);
  }
}
