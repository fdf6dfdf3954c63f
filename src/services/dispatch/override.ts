import { z } from 'zod';
import { NotFoundError } from '../access/errors.js';
import { checkedReason } from '../access/profile.js';
import type { Viewer } from '../access/viewer.js';
import { callHot, withService } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import { sqlState } from '../platform/sqlstate.js';
import type { Assigning } from './assign.js';
import { JobStateError, NotAWorkerError, OwnJobError, WorkerBusyError } from './errors.js';
import { findWay, overrideJob } from './jobs.sql.js';
import { guessSeconds } from './place.js';
import type { Origin, Place } from './ports.js';

/** Whom somebody sends, against what the candidates' scores say. */
export interface Override {
  readonly jobId: bigint;
  readonly expertId: bigint;
  readonly reason: string;
  /** Take from them jobs of lower priority that they have at that time and are not at yet. */
  readonly preempt: boolean;
}

const Result = z.object({
  outcome: z.enum(['OK', 'SELF', 'INACTIVE', 'STATE', 'NOT_FOUND']),
  state: z.string().optional(),
});
/** What app.override_job raises where no hand is free: everything that was moved meanwhile is then as it was. */
const ELSEWHERE = 'XR003';

/**
 * Gives a job to a worker as accepted, because somebody who dispatches says so. Filters do not count; that nobody is in two places does.
 * @throws NotFoundError, InputInvalidError, JobStateError, NotAWorkerError, OwnJobError, WorkerBusyError
 */
export async function overrideAssignment(on: Assigning, viewer: Viewer, given: Override): Promise<void> {
  const reason = checkedReason(given.reason);
  const { tenantId, identityId: actorId } = viewer;
  const terms = { ...(await travel(on, viewer, given)), etaConfidence: 'MANUAL', reason };
  const query = overrideJob({ ...given, tenantId, actorId }, terms);
  try {
    const result = await retrying(() => callHot(on.db, 'override_job', query));
    refuse(Result.parse(result));
  } catch (error) {
    throw sqlState(error) === ELSEWHERE ? new WorkerBusyError() : error;
  }
}

function refuse({ outcome, state }: z.infer<typeof Result>): void {
  switch (outcome) {
    case 'OK':
      return;
    case 'SELF':
      throw new OwnJobError();
    case 'INACTIVE':
      throw new NotAWorkerError();
    case 'STATE':
      throw new JobStateError(state ?? '');
    default:
      throw new NotFoundError('job');
  }
}

/** From where they were last seen, or from home; where there is no way, as the crow flies. */
async function travel(on: Assigning, { tenantId, identityId }: Viewer, { jobId, expertId }: Override) {
  const who = { tenantId, actorId: identityId };
  const way = await withService(on.db, who, (tx) => findWay(tx, { jobId, expertId }));
  if (way === null) {
    throw new NotFoundError('job');
  }
  const to: Place = way;
  const [seen] = await on.dispatch.nearby.lastSeen(tenantId, [expertId]);
  const home =
    way.homeLatitude === null || way.homeLongitude === null
      ? to
      : { latitude: way.homeLatitude, longitude: way.homeLongitude };
  const origin: Origin = seen ?? { place: home, ageSeconds: 0 };
  const [eta] = await on.dispatch.etas.etas(tenantId, { from: [origin], to });
  const guess = guessSeconds(origin.place, to);
  return {
    etaSeconds: eta?.seconds ?? guess,
    etaRoadSeconds: eta?.roadSeconds ?? guess,
    etaLowSeconds: Math.min(eta?.lowSeconds ?? 0, eta?.seconds ?? guess),
    etaHighSeconds: Math.max(eta?.highSeconds ?? 2 * guess, eta?.seconds ?? guess),
    ...(seen === undefined
      ? {}
      : { fixDeviceAt: seen.deviceAt, fixReceivedAt: seen.receivedAt, fixCell: seen.cell }),
  };
}
