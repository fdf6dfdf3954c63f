import { z } from 'zod';
import { callHot } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import * as sql from './assign.sql.js';
import type { Assigning, Search } from './assigning.js';
import type { Candidate } from './candidates.js';
import { JobStateError } from './errors.js';
import type { Eta } from './ports.js';
import { slackSeconds } from './rank.js';

/** Whom a job is to be leased to, and on what grounds. */
export interface Best extends Candidate {
  readonly jobsToday: number;
  readonly eta: Eta;
  readonly score: number;
}

const LeaseResult = z.discriminatedUnion('outcome', [
  z.object({ outcome: z.literal('OFFERED'), offerId: z.coerce.bigint() }),
  z.object({
    outcome: z.literal('JOB_TAKEN'),
    state: z.string(),
    offerId: z.coerce.bigint().nullable(),
  }),
  z.object({ outcome: z.literal('UNFIT'), failed: z.array(z.string()) }),
  z.object({ outcome: z.literal('LATE') }),
]);
export type LeaseResult = z.infer<typeof LeaseResult>;

/** Leases a job and a worker together, where nothing has come between meanwhile; see app.lease_job. */
export async function lease({ db }: Assigning, search: Search, best: Best): Promise<LeaseResult> {
  const { eta, seen, score } = best;
  const terms = {
    etaSeconds: eta.seconds,
    etaRoadSeconds: eta.roadSeconds,
    etaLowSeconds: Math.min(eta.lowSeconds, eta.seconds),
    etaHighSeconds: Math.max(eta.highSeconds, eta.seconds),
    etaConfidence: eta.confidence,
    score,
    slackSeconds: slackSeconds({ ...best, etaSeconds: eta.seconds }, search.job),
    fixDeviceAt: seen?.deviceAt,
    fixReceivedAt: seen?.receivedAt,
    fixCell: seen?.cell,
  };
  const query = sql.leaseJob({ ...search, expertId: best.expertId, terms });
  return LeaseResult.parse(await retrying(() => callHot(db, 'lease_job', query)));
}

/** Somebody else was quicker: their offer is the answer, if there is one. */
export function offerOf({
  offerId,
  state,
}: {
  readonly offerId: bigint | null;
  readonly state: string;
}): bigint {
  if (offerId === null) {
    throw new JobStateError(state);
  }
  return offerId;
}
