import type { HeldAssignment, Lost } from '../../../src/client/held.js';
import { session } from '../api/session.js';
import { toDraft, type Work } from './draft.js';
import type { FromKeeper, ToKeeper } from './keeper-messages.js';

/** One heartbeat that was answered. */
export interface Beat {
  /** With the lease as it is now, on this page's monotonic clock. */
  readonly held: HeldAssignment;
  readonly extended: boolean;
  /** The last version of the work that the server has; null: none yet. */
  readonly savedVersion: number | null;
}

/** What the desk is told of the lease that it holds. Times are on this page's monotonic clock. */
export interface KeeperEvents {
  onBeat(beat: Beat): void;
  onUnanswered(): void;
  onLost(lost: Lost): void;
  /** Nothing is lost, and it is tried again. */
  onTrouble(message: string): void;
  /** The machine slept for so long, and the page's clock stood still: what ends at a time of it ends so much earlier. */
  onSlept(ms: number): void;
}

/** The server takes 64 KiB; what is longer stays on this device until it is submitted. */
const DRAFT_MAX_BYTES = 60 * 1024;
/** A person who types is told of once in this time. */
const TOUCH_EVERY_MS = 5_000;
/** When the wall clock has run on by so much more than this page's timers, the machine slept. */
const SLEPT_MS = 10_000;
const LOOK_EVERY_MS = 2_000;
const SIGNS_OF_LIFE = ['keydown', 'pointerdown', 'pointermove', 'wheel', 'touchstart'] as const;

/** The page's end of the worker that keeps a lease, saves drafts and hears of losses. */
export class LeaseKeeper {
  readonly #worker = new Worker(new URL('./keeper.worker.ts', import.meta.url), { type: 'module' });
  readonly #closing = new AbortController();
  #touchedAt = 0;
  #toldAt = 0;

  constructor(events: KeeperEvents) {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromKeeper>) =>
      this.#hear(data, events),
    );
    const { signal } = this.#closing;
    for (const sign of SIGNS_OF_LIFE) {
      addEventListener(sign, () => this.#touched(), { capture: true, passive: true, signal });
    }
    addEventListener('online', () => this.#tell({ kind: 'WAKE' }), { signal });
    document.addEventListener('visibilitychange', () => this.#tell({ kind: 'WAKE' }), { signal });
    this.#watchForSleep(events, signal);
  }

  /** Keeps this lease from now on, and no other. */
  hold(held: HeldAssignment): void {
    const state = session.state();
    const token = state.kind === 'SIGNED_OUT' ? '' : state.token;
    this.#tell({ kind: 'HOLD', held, leaseLeftMs: held.leaseEndsAt - performance.now(), token });
  }

  /** @returns whether the server will have it within two seconds, where it can be reached */
  save(work: Work, version: number): boolean {
    const body = toDraft(work);
    if (new TextEncoder().encode(JSON.stringify(body)).length > DRAFT_MAX_BYTES) {
      return false;
    }
    this.#tell({ kind: 'DRAFT', body, version });
    return true;
  }

  /** Milliseconds since a person last did anything on this page. */
  idleMs(): number {
    return performance.now() - this.#touchedAt;
  }

  letGo(): void {
    this.#tell({ kind: 'LET_GO' });
  }

  close(): void {
    this.#closing.abort();
    this.#tell({ kind: 'CLOSE' });
  }

  #tell(message: ToKeeper): void {
    this.#worker.postMessage(message);
  }

  #touched(): void {
    this.#touchedAt = performance.now();
    if (this.#touchedAt - this.#toldAt > TOUCH_EVERY_MS) {
      this.#toldAt = this.#touchedAt;
      this.#tell({ kind: 'TOUCHED' });
    }
  }

  #hear(message: FromKeeper, events: KeeperEvents): void {
    switch (message.kind) {
      case 'BEAT':
        events.onBeat({
          ...message,
          held: { ...message.held, leaseEndsAt: performance.now() + message.leaseLeftMs },
        });
        break;
      case 'UNANSWERED':
        events.onUnanswered();
        break;
      case 'LOST':
        events.onLost(message.lost);
        break;
      case 'TOKEN_WANTED':
        void this.#fetchToken(message.refused);
        break;
      case 'TROUBLE':
        events.onTrouble(message.message);
        break;
      default:
        message satisfies never;
    }
  }

  async #fetchToken(refused: string | null): Promise<void> {
    this.#tell({ kind: 'TOKEN', token: await session.token({ refused }) });
  }

  #watchForSleep(events: KeeperEvents, signal: AbortSignal): void {
    let last = { wall: Date.now(), page: performance.now() };
    const timer = setInterval(() => {
      const now = { wall: Date.now(), page: performance.now() };
      const stoodStill = now.wall - last.wall - (now.page - last.page);
      if (stoodStill > SLEPT_MS) {
        this.#touchedAt -= stoodStill;
        events.onSlept(stoodStill);
        this.#tell({ kind: 'SLEPT', ms: stoodStill });
      } else if (now.wall - last.wall > LOOK_EVERY_MS + SLEPT_MS) {
        this.#tell({ kind: 'WAKE' });
      }
      last = now;
    }, LOOK_EVERY_MS);
    signal.addEventListener('abort', () => clearInterval(timer));
  }
}
