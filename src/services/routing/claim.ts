import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { Viewer } from '../access/viewer.js';
import { callHot, type Database } from '../platform/database.js';
import { jitter, retrying } from '../platform/retry.js';
import { admissionOf } from './admission.js';
import { evenOut } from './evenness.js';
import { rememberType } from './given-types.js';
import { type HeldAssignment, isGold, mintPayloadToken, parseHeld } from './held.js';
import { callerOf, type Outcome, refusal } from './outcome.js';
import * as sql from './routing.sql.js';

// The guarantee, and who keeps it (app.claim_all and app.claim_exact, in prisma/migrations/*_serve):
//
//   1. One live claim an expert. The claim first locks the expert's own row, so two calls take turns and the second is
//      given what the first one took; behind it stands the unique index assignments_one_live.
//   2. Never more than wanted. A claim pops a slot number off the locked queue row; live and counted answers of a task
//      fill distinct slots from 1 to wanted (unique index assignments_slot, a check).
//   3. Never the same task twice. One row per task and expert for life; only EXPIRED and RELEASED ones are leased again.
//   4. Only what may be given. Queue rows appear when the payload is durable and go with their project; the expert's
//      lanes are the skills they hold, unpaused, at or above the lane's minimum quality, read under the lock of 1.
//   5. "Nothing" is true. Before an empty answer, leases that have run out are returned and every row is looked at; a
//      row or lease that another transaction has in its hands makes the answer BUSY, and the claim asks again.

const EMPTY_REASONS = [
  'NO_OPEN_TASK',
  'ALL_ANSWERED_BY_YOU',
  'RESERVED_FOR_OTHERS',
  'PAUSED',
  'QUALITY_BELOW_MINIMUM',
  'NO_SKILL',
  'REQUIREMENTS_NOT_MET',
  'CONFLICT_OF_INTEREST',
  'PROJECT_CAP_REACHED',
  'DAILY_CAP_REACHED',
  'BUSY',
] as const;
export type EmptyReason = (typeof EMPTY_REASONS)[number];

const EmptyRow = z.object({ reason: z.enum(EMPTY_REASONS), retryAfterSeconds: z.int().positive() });

/** Why there is nothing to do, and when asking again makes sense (whole seconds, spread so that a crowd does not come at once). */
export type EmptyQueue = z.infer<typeof EmptyRow>;

export type ClaimResult = { readonly held: HeldAssignment } | { readonly empty: EmptyQueue };

/** How often a contended claim asks again before it tells its caller to: others' transactions last milliseconds. */
const BUSY_TRIES = 6;
const BUSY_WAIT_MS = 15;

/**
 * Gives the expert the next task under a fresh lease, or what they hold already, or the true reason why there is
 * nothing. An empty queue is no error.
 * @throws OverloadedError, CancelledError while it waits for its turn
 */
export async function claimTask(
  db: Database,
  viewer: Viewer,
  { skillId = null, signal }: { skillId?: bigint | null; signal?: AbortSignal | undefined } = {},
): Promise<ClaimResult> {
  const caller = callerOf(viewer);
  const began = performance.now();
  for (let attempt = 1; ; attempt++) {
    const { outcome: result, token } = await admissionOf(db).claim(
      { kind: 'CLAIM', caller, skillId },
      signal,
    );
    if (result.outcome === 'BUSY' && attempt < BUSY_TRIES) {
      await wait(jitter(BUSY_WAIT_MS * attempt));
      continue;
    }
    const claimed = claimResult(result, token);
    if ('held' in claimed) {
      rememberType(db, caller, claimed.held);
    }
    if (result.outcome === 'LEASED') {
      const ms = performance.now() - began;
      await evenOut(db, { tenantId: caller.tenantId, call: 'CLAIM', isGold: isGold(result.assignment), ms });
    }
    return claimed;
  }
}

/** What the expert holds just now, with a fresh payload URL: for a reload. Null where they hold nothing. */
export async function currentAssignment(db: Database, viewer: Viewer): Promise<HeldAssignment | null> {
  const { token, hash } = mintPayloadToken();
  const held = await retrying(() =>
    callHot(db, 'current_assignment', sql.currentAssignment(callerOf(viewer), hash)),
  );
  return held === null ? null : parseHeld(held, token);
}

/** What an outcome says to whoever claimed. */
export function claimResult(result: Outcome, token: string): ClaimResult {
  switch (result.outcome) {
    case 'LEASED':
    case 'HELD':
      return { held: parseHeld(result.assignment, token) };
    case 'EMPTY':
      return { empty: EmptyRow.parse(result) };
    case 'BUSY':
      return { empty: { reason: 'BUSY', retryAfterSeconds: 1 } };
    default:
      throw refusal(result);
  }
}
