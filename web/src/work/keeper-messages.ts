import type { HeldAssignment, Lost } from '../../../src/client/held.js';

/** What the page tells the worker that keeps the lease. */
export type ToKeeper =
  | {
      readonly kind: 'HOLD';
      readonly held: HeldAssignment;
      readonly leaseLeftMs: number;
      readonly token: string;
    }
  /** A person did something. */
  | { readonly kind: 'TOUCHED' }
  /** What was typed so far; saved within two seconds. */
  | { readonly kind: 'DRAFT'; readonly body: unknown; readonly version: number }
  /** Ask how things stand now: the laptop woke up, or the network is back. */
  | { readonly kind: 'WAKE' }
  /** The same, after the machine slept for so long, of which the clocks of pages and workers may know nothing. */
  | { readonly kind: 'SLEPT'; readonly ms: number }
  | { readonly kind: 'TOKEN'; readonly token: string }
  | { readonly kind: 'LET_GO' }
  /** The page goes: save what is not saved yet, and end. */
  | { readonly kind: 'CLOSE' };

/** What the worker tells the page. Times are durations: the two have clocks that began at different moments. */
export type FromKeeper =
  | {
      readonly kind: 'BEAT';
      readonly held: HeldAssignment;
      readonly leaseLeftMs: number;
      readonly extended: boolean;
      /** The last draft that the server has; null: none yet. */
      readonly savedVersion: number | null;
    }
  /** A beat got no answer; it is tried again. */
  | { readonly kind: 'UNANSWERED' }
  | { readonly kind: 'LOST'; readonly lost: Lost }
  | { readonly kind: 'TOKEN_WANTED'; readonly refused: string | null }
  /** A beat was answered with something that is no answer (by a proxy, or a network's sign-in page), or refused: tried again. */
  | { readonly kind: 'TROUBLE'; readonly message: string };
