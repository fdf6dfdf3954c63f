import type { Client, HeartbeatResult, SubmitResult } from './client.js';
import { type HeldAssignment, heldFrom, type Kept } from './held.js';

/** Why the server would not go on with an assignment. */
export type Refusal = Exclude<
  HeartbeatResult | SubmitResult,
  { __typename: 'HeartbeatPayload' | 'SubmitPayload' }
>;

interface TakeBack {
  readonly held: HeldAssignment;
  readonly refusal: Refusal;
  readonly signal: AbortSignal | undefined;
}

/**
 * After a refusal: the same assignment again where that is possible, else the truth. A lease that ended is reclaimed;
 * one that another window of the same expert claimed again is shared with it.
 */
export async function takeBack(client: Client, { held, refusal, signal }: TakeBack): Promise<Kept> {
  switch (refusal.__typename) {
    case 'LeaseExpiredError':
      return refusal.reclaimable ? reclaim(client, held.assignmentId, signal) : gone(held, refusal);
    case 'StaleLeaseError':
      return afterAnotherClaim(client, { held, refusal, signal });
    default:
      return gone(held, refusal);
  }
}

/** Another claim of the assignment: shared while it lives, taken back when it has ended as well. */
async function afterAnotherClaim(client: Client, { held, refusal, signal }: TakeBack): Promise<Kept> {
  const current = await currentlyHeld(client, signal);
  if (current === null) {
    return reclaim(client, held.assignmentId, signal);
  }
  return current.assignmentId === held.assignmentId ? { held: current } : gone(held, refusal, current);
}

/** An assignment that was held before: as it is held still, or again under the next epoch, or why that cannot be. */
export async function reclaim(
  client: Client,
  assignmentId: string,
  signal: AbortSignal | undefined,
): Promise<Kept> {
  const result = await client.reclaimAssignment({ assignmentId }, signal);
  if (result.__typename === 'ReclaimAssignmentPayload') {
    return { held: heldFrom(result.assignment) };
  }
  const instead = result.__typename === 'HoldsAnotherError' ? await currentlyHeld(client, signal) : null;
  return gone({ assignmentId }, result, instead);
}

/** What the expert holds just now, with a fresh payload address. */
async function currentlyHeld(
  client: Client,
  signal: AbortSignal | undefined,
): Promise<HeldAssignment | null> {
  const current = await client.currentAssignment(signal);
  return current === null ? null : heldFrom(current);
}

function gone(
  { assignmentId }: { readonly assignmentId: string },
  { code, message }: { readonly code: string; readonly message: string },
  instead: HeldAssignment | null = null,
): Kept {
  return { lost: { assignmentId, code, message, instead } };
}
