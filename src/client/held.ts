import { ClientError } from './errors.js';
import type { EmptyQueueFieldsFragment, HeldAssignmentFragment } from './generated/graphql.js';

/** What an expert holds: one task under a lease. */
export interface HeldAssignment {
  readonly assignmentId: string;
  /** Fencing token: goes with every call about this assignment. */
  readonly leaseEpoch: number;
  readonly leaseSeconds: number;
  /** When the lease ends, on this machine's monotonic clock (`performance.now()`): no wall clock is trusted. */
  readonly leaseEndsAt: number;
  readonly task: HeldAssignmentFragment['task'];
  readonly price: HeldAssignmentFragment['price'];
  /** Where the payload can be fetched for as long as this lease lives. */
  readonly payloadUrl: string | null;
  readonly draft: HeldAssignmentFragment['draft'];
}

/** Why there is nothing to do, and when to ask again. */
export type EmptyQueue = EmptyQueueFieldsFragment;

/** What a claim gives: something to do, or the reason why not. */
export type Claimed =
  | { readonly held: HeldAssignment; readonly empty: null }
  | { readonly held: null; readonly empty: EmptyQueue };

/** How keeping a lease went: still held, under the epoch it now has; or lost for good. */
export type Kept = { readonly held: HeldAssignment } | { readonly lost: Lost };

/** Why an assignment can no longer be worked on, in the API's words. */
export interface Lost {
  readonly assignmentId: string;
  readonly code: string;
  readonly message: string;
  /** What the expert holds instead, if the server said so. */
  readonly instead: HeldAssignment | null;
}

/** The assignment as the server told of it just now. */
export function heldFrom(fragment: HeldAssignmentFragment): HeldAssignment {
  const { id, lease, task, price, payloadUrl, draft } = fragment;
  if (!lease) {
    throw new ClientError('MALFORMED', 'The server answered an assignment without a lease.');
  }
  return {
    assignmentId: id,
    leaseEpoch: lease.epoch,
    leaseSeconds: lease.leaseSeconds,
    leaseEndsAt: performance.now() + lease.secondsLeft * 1000,
    task,
    price,
    payloadUrl: payloadUrl ?? null,
    draft: draft ?? null,
  };
}

/** One of the two that a claim must say. */
export function claimedFrom(payload: {
  assignment?: HeldAssignmentFragment | null;
  empty?: EmptyQueueFieldsFragment | null;
}): Claimed {
  if (payload.assignment) {
    return { held: heldFrom(payload.assignment), empty: null };
  }
  if (payload.empty) {
    return { held: null, empty: payload.empty };
  }
  throw new ClientError('MALFORMED', 'The server answered neither an assignment nor a reason.');
}
