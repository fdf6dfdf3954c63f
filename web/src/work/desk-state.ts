import type { EmptyQueue, HeldAssignment, Lost } from '../../../src/client/held.js';
import { told } from '../parts/bidi.js';
import type { DeskDetails } from './desk-client.js';
import type { Ending, Work } from './draft.js';

/** What is wrong with an answer, by JSON pointer. */
export type Issues = readonly { readonly path: string; readonly message: string }[];

/** One task on the desk, with what was done for it so far. */
export interface OnDesk {
  readonly held: HeldAssignment;
  readonly details: DeskDetails | null;
  readonly work: Work;
  /** Grows with each change; what the server has of it is told by `savedVersion`. */
  readonly version: number;
  readonly savedVersion: number;
  /** Too long to be kept by the server before it is submitted. */
  readonly isTooLong: boolean;
  /** False once heartbeats are answered and the lease grows no more: nobody was there, or it was held long enough. */
  readonly isExtended: boolean;
  /** What the server found wrong with the answer, by JSON pointer. */
  readonly issues: Issues;
  /** Which draft of another device this goes on from, by when the server took it; null: none. */
  readonly builtOn: string | null;
  /** Another version of the work that the server has from elsewhere, unknown here. Nothing is saved until one is chosen. */
  readonly elsewhere: Work | null;
}

/** What the desk shows. */
export type DeskState =
  | { readonly kind: 'OPENING' }
  /** Another tab of this browser works; this one can take over. */
  | { readonly kind: 'OTHER_TAB' }
  /** Nothing is held, and nothing was asked for yet. */
  | { readonly kind: 'READY' }
  | { readonly kind: 'CLAIMING' }
  | { readonly kind: 'WORKING'; readonly desk: OnDesk }
  /** The answer is given; there is no receipt yet. */
  | { readonly kind: 'SENDING'; readonly title: string; readonly work: Work; readonly ending: Ending }
  | { readonly kind: 'EMPTY'; readonly empty: EmptyQueue; readonly againAt: number }
  /** What was held is held no more. The work stays to be read and copied. */
  | { readonly kind: 'LOST'; readonly lost: Lost; readonly work: Work; readonly title: string }
  | { readonly kind: 'FAILED'; readonly message: string };

/** What was finished since the page was opened, the latest first. */
export interface Done {
  readonly assignmentId: string;
  readonly title: string;
  readonly outcome: 'ANSWERED' | 'FLAGGED' | 'RELEASED';
  readonly price: { readonly minorUnits: string; readonly currency: string } | null;
}

/** Everything that the work page shows, replaced whole at each change. */
export interface DeskView {
  readonly state: DeskState;
  /** False while calls get no answer. */
  readonly isConnected: boolean;
  /** Whether this browser took what was typed last: it is then still there after a crash or a reload. */
  readonly isKeptHere: boolean;
  /** What the server, or something between, says instead of saving; null: nothing. */
  readonly trouble: string | null;
  readonly done: readonly Done[];
}

export const AT_FIRST: DeskView = {
  state: { kind: 'OPENING' },
  isConnected: true,
  isKeptHere: true,
  trouble: null,
  done: [],
};

/** How a task is called: by its project, and by the customer's own name for it where there is one. */
export const titleOf = (held: HeldAssignment, details: DeskDetails | null): string =>
  [details?.project?.name ?? 'Task', held.task.externalId]
    .filter((part) => typeof part === 'string' && part !== '')
    .map((part) => told(String(part)))
    .join(' · ');
