import { z } from 'zod';
import type { Prisma } from '../../generated/prisma/client.js';
import type { Viewer } from '../access/viewer.js';
import { callHot, type Database } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import {
  AlreadyFlaggedError,
  AlreadySubmittedError,
  AssignmentNotFoundError,
  HoldsAnotherError,
  LeaseExpiredError,
  LeaseWithdrawnError,
  NotQualifiedError,
  ProjectCancelledError,
  SlotTakenError,
  StaleLeaseError,
} from './errors.js';
import type { Caller } from './routing.sql.js';

/** What a routing function answers: a name, and what goes with it. */
export const Outcome = z.looseObject({ outcome: z.string() });
export type Outcome = z.infer<typeof Outcome>;

/** The expert behind a viewer. The API lets nobody else this far, so another role is a bug. */
export function callerOf(viewer: Viewer): Caller {
  if (viewer.role !== 'EXPERT' || viewer.expertId === null) {
    throw new Error(`A ${viewer.role} cannot hold work`);
  }
  return {
    tenantId: viewer.tenantId,
    expertId: viewer.expertId,
    actorId: viewer.identityId,
    requestId: viewer.requestId,
  };
}

/** Runs one routing function; a deadlock or serialisation failure left nothing behind and is run again. */
export async function callRouting(db: Database, name: string, query: Prisma.Sql): Promise<Outcome> {
  return Outcome.parse(await retrying(() => callHot(db, name, query)));
}

/** The refusal that an outcome stands for; an outcome that nobody expects is a bug. */
export function refusal(result: Outcome): Error {
  switch (result.outcome) {
    case 'NOT_FOUND':
      return new AssignmentNotFoundError();
    case 'LEASE_EXPIRED':
      return new LeaseExpiredError(z.boolean().parse(result.reclaimable));
    case 'STALE_EPOCH':
      return new StaleLeaseError(z.int().parse(result.currentEpoch));
    case 'ALREADY_SUBMITTED':
      return new AlreadySubmittedError();
    case 'ALREADY_FLAGGED':
      return new AlreadyFlaggedError();
    case 'PROJECT_CANCELLED':
      return new ProjectCancelledError();
    case 'LEASE_WITHDRAWN':
      return new LeaseWithdrawnError();
    case 'SLOT_TAKEN':
      return new SlotTakenError();
    case 'HOLDS_ANOTHER':
      return new HoldsAnotherError(BigInt(z.int().parse(result.heldAssignmentId)));
    case 'NOT_QUALIFIED':
      return new NotQualifiedError();
    default:
      return new Error(`Unexpected outcome ${result.outcome}`);
  }
}
