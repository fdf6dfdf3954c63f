import type { FlagReason } from './generated/graphql.js';

/** What to do with an assignment. */
export type Answer =
  | { readonly answer: unknown; readonly confidence?: number | undefined }
  | { readonly flag: FlagReason; readonly note?: string | undefined }
  | { readonly release: true };

/** What goes on while an answer is found. */
export interface Desk {
  /** Aborted when the worker stops, or when the assignment is lost meanwhile. */
  readonly signal: AbortSignal;
  /** A person did something just now: leases are extended only while people work. */
  touched(): void;
  /** Keeps work in progress; goes with the next heartbeat. */
  saveDraft(draft: unknown): void;
}

/** The first receipt of an answer, the same however often it was sent. */
export interface Receipt {
  readonly assignmentId: string;
  readonly digest: string;
  readonly submittedAt: string;
  readonly price: { readonly minorUnits: string; readonly currency: string };
}
