import { z } from 'zod';
import { InputInvalidError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import type { Database } from '../platform/database.js';

import { encodeDraft } from '../tasks/answers.js';
import { type HeldAssignment, mintPayloadToken, parseHeld } from './held.js';
import { callerOf, callRouting, refusal } from './outcome.js';
import * as sql from './routing.sql.js';

/** Why a task cannot be answered. */
export const FLAG_REASONS = ['UNREADABLE', 'AMBIGUOUS', 'MISSING_CONTEXT', 'OFFENSIVE', 'OTHER'] as const;
export type FlagReason = (typeof FLAG_REASONS)[number];

const LeaseRow = z.object({
  epoch: z.int(),
  leaseUntil: z.iso.datetime({ offset: true }).transform((text) => new Date(text)),
  leaseSeconds: z.int(),
  secondsLeft: z.number(),
  extended: z.boolean(),
});

/** A lease as a heartbeat left it. */
export type Lease = z.infer<typeof LeaseRow>;

export interface Heartbeat {
  readonly assignmentId: bigint;
  readonly leaseEpoch: number;
  /** Seconds since a person last did anything: past ten minutes the lease is not extended. */
  readonly lastActivitySeconds: number;
  /** What was typed so far: any JSON, at most 64 KiB. Kept even when the lease has just ended. */
  readonly draft?: unknown;
}

/**
 * Extends a live lease, up to four leases in all, and keeps the draft. `extended` is false where the lease stays as it
 * is: no activity, the project cancelled to finish, the expert paused, or the last possible end reached.
 * @throws LeaseExpiredError, StaleLeaseError, ProjectCancelledError, AlreadySubmittedError, AlreadyFlaggedError,
 *   AssignmentNotFoundError, DraftTooLargeError
 */
export async function heartbeat(db: Database, viewer: Viewer, beat: Heartbeat): Promise<Lease> {
  const draft = beat.draft === undefined ? null : encodeDraft(beat.draft);
  const query = sql.heartbeat(callerOf(viewer), beat, { idleSeconds: beat.lastActivitySeconds, draft });
  const result = await callRouting(db, 'heartbeat', query);
  if (result.outcome !== 'OK') {
    throw refusal(result);
  }
  return LeaseRow.parse(result);
}

/**
 * Takes an expired or released assignment back at the next epoch, with its draft, if the slot is still free; while it
 * is held anyway, answers what is held.
 * @throws SlotTakenError, HoldsAnotherError, NotQualifiedError, ProjectCancelledError, AlreadySubmittedError,
 *   AlreadyFlaggedError, AssignmentNotFoundError
 */
export async function reclaimAssignment(
  db: Database,
  viewer: Viewer,
  { assignmentId }: { assignmentId: bigint },
): Promise<HeldAssignment> {
  const { token, hash } = mintPayloadToken();
  const result = await callRouting(db, 'reclaim', sql.reclaim(callerOf(viewer), assignmentId, hash));
  if (result.outcome !== 'LEASED' && result.outcome !== 'HELD') {
    throw refusal(result);
  }
  return parseHeld(result.assignment, token);
}

/**
 * Gives a live assignment back; its draft stays. The same expert is offered it again only when nothing else is left.
 * @throws LeaseExpiredError, StaleLeaseError, ProjectCancelledError, AlreadySubmittedError, AlreadyFlaggedError,
 *   AssignmentNotFoundError
 */
export async function releaseAssignment(db: Database, viewer: Viewer, lease: sql.LeaseRef): Promise<void> {
  const result = await callRouting(db, 'release', sql.release(callerOf(viewer), lease));
  if (result.outcome !== 'OK') {
    throw refusal(result);
  }
}

/**
 * Says that a task cannot be answered. It goes to another expert until the project's quorum agrees; then it is closed.
 * @returns whether this flag closed the task
 * @throws as {@link releaseAssignment}
 */
export async function flagTask(
  db: Database,
  viewer: Viewer,
  { reason, note = null, ...lease }: sql.LeaseRef & { reason: FlagReason; note?: string | null },
): Promise<{ taskClosed: boolean }> {
  const why = { reason, note: checkedNote(note) };
  const result = await callRouting(db, 'flag', sql.flag(callerOf(viewer), lease, why));
  if (result.outcome !== 'OK') {
    throw refusal(result);
  }
  return { taskClosed: result.taskClosed === true };
}

const NOTE_MAX = 2_000;

/** An empty note is none. @throws InputInvalidError */
function checkedNote(note: string | null): string | null {
  if (note !== null && (note.length > NOTE_MAX || note.includes('\u0000') || /\p{Cs}/u.test(note))) {
    const message = `Give at most ${NOTE_MAX} characters, none of them NUL or half a character.`;
    throw new InputInvalidError([{ path: '/note', message }]);
  }
  return note === '' ? null : note;
}
