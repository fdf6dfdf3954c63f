import type { Assignment } from '../generated/prisma/client.js';
import type { HeldAssignment } from '../services/routing/held.js';

/** A task as everybody may see it; the rest is loaded where it is asked for and allowed. */
export interface TaskShape {
  readonly id: bigint;
  readonly externalId: string | null;
  readonly contentType: string;
  readonly payloadBytes: bigint;
}

/** An assignment as it stands in the database, or as a claim has just given it out. */
export interface AssignmentShape
  extends Pick<
    Assignment,
    | 'id'
    | 'taskId'
    | 'projectId'
    | 'state'
    | 'epoch'
    | 'leaseSeconds'
    | 'leaseUntil'
    | 'priceMinor'
    | 'currency'
  > {
  /** Set right after a claim, a reclaim or `currentAssignment`: what was minted and found with it. */
  readonly held?: HeldAssignment;
  /** Absent where it is the viewer themselves. */
  readonly expertId?: bigint;
}

/** What a claim has given out, as the API shows it. */
export function shapeOfHeld(held: HeldAssignment): AssignmentShape {
  const { id, taskId, projectId, epoch, leaseSeconds, leaseUntil, priceMinor, currency } = held;
  return {
    id,
    taskId,
    projectId,
    epoch,
    leaseSeconds,
    leaseUntil,
    priceMinor,
    currency,
    state: 'LEASED',
    held,
  };
}

/** The task of what a claim has given out. */
export function taskOfHeld(held: HeldAssignment): TaskShape {
  return {
    id: held.taskId,
    externalId: held.externalId,
    contentType: held.contentType,
    payloadBytes: BigInt(held.payloadBytes),
  };
}

/** The lease of a live claim. */
export interface LeaseShape {
  readonly epoch: number;
  readonly leaseUntil: Date;
  readonly leaseSeconds: number;
  readonly secondsLeft: number;
}
