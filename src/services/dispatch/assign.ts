import { z } from 'zod';
import { NotFoundError } from '../access/errors.js';
import { callHot, type Database, withService } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import * as sql from './assign.sql.js';
import { JobStateError } from './errors.js';
import { expireOffers as endLapsed } from './jobs.sql.js';
import { guessSeconds } from './place.js';
import type { Dispatch, Eta, Origin, Place, Seen } from './ports.js';
import { scoreOf, slackSeconds } from './rank.js';
import { type Filter, firstOf, reasonOf } from './reasons.js';
import type { InStage } from './stages.js';

/** What assigning stands on. */
export interface Assigning {
  readonly db: Database;
  readonly dispatch: Dispatch;
  /** Measures what a decision consists of. */
  readonly inStage: InStage;
}

/** On whose behalf; nobody's: by itself. */
export interface Actor {
  readonly tenantId: bigint;
  readonly actorId: bigint | null;
}

/** What came of assigning: an offer, or the reason why there is none. */
export type Assigned =
  | { readonly offerId: bigint; readonly reason: null }
  | { readonly offerId: null; readonly reason: string };

/** Workers who are looked at, nearest first. */
const LOOKED_AT = 60;
/** Of them, as many are asked of the router at once, and so often at most. */
const SHORTLIST = 5;
const ROUNDS = 3;
/** Offers of the tenant that are ended first where their time is up: until then they keep their workers. */
const LAPSED = 20;
/** When it is tried again of a job that nobody can have. */
const AGAIN_SECONDS = 60;

/**
 * Finds somebody for a job and offers it to them: hard filters first, then the nearest few by what the router says, the best
 * of them by score. Whoever is lost to somebody else meanwhile is passed over. A job that has an offer keeps it, and the answer
 * is that one.
 * @throws NotFoundError, JobStateError
 */
export const assignJob = (on: Assigning, who: Actor, jobId: bigint): Promise<Assigned> =>
  on.inStage('whole', () => assign(on, who, jobId));

async function assign(on: Assigning, who: Actor, jobId: bigint): Promise<Assigned> {
  const job = await inService(on, who, async (tx) => {
    await endLapsed(tx, LAPSED);
    return sql.assignableJob(tx, jobId);
  });
  if (job === null) {
    throw new NotFoundError('job');
  }
  if (job.offerId !== null && !job.isOfferDue) {
    return { offerId: job.offerId, reason: null };
  }
  if (!['OPEN', 'OFFERED', 'UNASSIGNED_ALERT'].includes(job.state)) {
    throw new JobStateError(job.state);
  }
  return offer(on, { ...who, jobId, job });
}

interface Search extends Actor {
  readonly jobId: bigint;
  readonly job: sql.Assignable;
}

async function offer(on: Assigning, search: Search): Promise<Assigned> {
  const { fit, removed } = await filtered(on, search, await candidates(on, search));
  for (let round = 0; round < ROUNDS; round++) {
    const some = fit.slice(round * SHORTLIST, (round + 1) * SHORTLIST);
    const offerId = await offerToOne(on, search, { some, removed });
    if (offerId !== null) {
      return { offerId, reason: null };
    }
  }
  return unassigned(on, search, removed);
}

interface Candidate extends Origin {
  readonly expertId: bigint;
  readonly guessSeconds: number;
  /** Absent of who is planned from home. */
  readonly seen?: Seen;
}

async function candidates(on: Assigning, search: Search): Promise<Candidate[]> {
  const { job, tenantId } = search;
  const place = placeOf(job);
  const guess = <T extends Origin>(from: T) => ({ ...from, guessSeconds: guessSeconds(from.place, place) });
  if (job.kind === 'SCHEDULED') {
    const homes = await inService(on, search, (tx) => sql.nearestHomes(tx, { place, limit: LOOKED_AT }));
    return homes.map(guess);
  }
  const around = { place, metres: job.searchMetres, limit: LOOKED_AT };
  const found = await on.inStage('nearby', () => on.dispatch.nearby.nearby(tenantId, around));
  return found.map((seen) => ({ ...guess(seen), seen }));
}

const placeOf = ({ latitude, longitude }: sql.Assignable): Place => ({ latitude, longitude });

interface Fit extends Candidate {
  readonly jobsToday: number;
}

/** Boolean, before anything is weighed: who may have the job, nearest first, and by what the others may not. */
async function filtered(
  on: Assigning,
  search: Search,
  found: readonly Candidate[],
): Promise<{ fit: Fit[]; removed: Filter[] }> {
  const rows = await on.inStage('filter', () =>
    inService(on, search, (tx) => sql.fitWorkers(tx, search.jobId, found)),
  );
  const looks = new Map(rows.map((row) => [row.expertId, row]));
  const fit: Fit[] = [];
  const removed: Filter[] = [];
  for (const one of found) {
    const { failed = ['INACTIVE'], jobsToday = 0 } = looks.get(one.expertId) ?? {};
    const filter = firstOf(one.seen?.isFresh === false ? [...failed, 'STALE'] : failed);
    if (filter === null) {
      fit.push({ ...one, jobsToday });
    } else {
      removed.push(filter);
    }
  }
  return { fit: fit.sort((a, b) => a.guessSeconds - b.guessSeconds), removed };
}

/** Offers to the best of some who can be had; null: to none of them, and `removed` says why. */
async function offerToOne(
  on: Assigning,
  search: Search,
  { some, removed }: { readonly some: readonly Fit[]; readonly removed: Filter[] },
): Promise<bigint | null> {
  if (some.length === 0) {
    return null;
  }
  const way = { from: some, to: placeOf(search.job) };
  const etas = await on.inStage('eta', () => on.dispatch.etas.etas(search.tenantId, way));
  const ranked = some.flatMap((one, index) =>
    ranking(search.job, one, { eta: etas[index] ?? null, removed }),
  );
  ranked.sort((a, b) => a.score - b.score || a.eta.seconds - b.eta.seconds);
  for (const best of ranked) {
    const result = await on.inStage('lease', () => lease(on, search, best));
    if (result.outcome === 'OFFERED') {
      return result.offerId;
    }
    if (result.outcome === 'JOB_TAKEN') {
      return offerOf(result);
    }
    removed.push(result.outcome === 'UNFIT' ? (firstOf(result.failed) ?? 'INACTIVE') : 'LATE');
  }
  return null;
}

interface Best extends Fit {
  readonly eta: Eta;
  readonly score: number;
}

/** Nothing of who has no way there, or cannot arrive in time: no guess is offered. */
function ranking(
  job: sql.Assignable,
  one: Fit,
  { eta, removed }: { readonly eta: Eta | null; readonly removed: Filter[] },
): Best[] {
  if (eta === null || arrivalOf(eta) > job.remainingSeconds) {
    removed.push(eta === null ? 'NO_WAY' : 'LATE');
    return [];
  }
  const weights = { eta: job.etaWeight, fairness: job.fairnessWeight, slack: job.slackWeight };
  return [{ ...one, eta, score: scoreOf({ ...one, etaSeconds: eta.seconds }, job, weights) }];
}

/** Where nobody knows the road, the latest that is foreseen has to be in time. */
const arrivalOf = ({ confidence, seconds, highSeconds }: Eta): number =>
  confidence === 'LOW' ? highSeconds : seconds;

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
type LeaseResult = z.infer<typeof LeaseResult>;

async function lease({ db }: Assigning, search: Search, best: Best): Promise<LeaseResult> {
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
function offerOf({ offerId, state }: { readonly offerId: bigint | null; readonly state: string }): bigint {
  if (offerId === null) {
    throw new JobStateError(state);
  }
  return offerId;
}

async function unassigned(on: Assigning, search: Search, removed: readonly Filter[]): Promise<Assigned> {
  const { job } = search;
  const where = job.kind === 'SCHEDULED' ? 'at work' : 'in range';
  const reason = reasonOf(removed, where);
  const query = sql.leaveUnassigned(search, { reason, againSeconds: AGAIN_SECONDS });
  if (await retrying(() => callHot(on.db, 'leave_unassigned', query))) {
    return { offerId: null, reason };
  }
  const now = await inService(on, search, (tx) => sql.assignableJob(tx, search.jobId));
  if (now === null) {
    throw new NotFoundError('job');
  }
  return { offerId: offerOf(now), reason: null };
}

const inService = <T>(
  { db }: Assigning,
  { tenantId, actorId }: Actor,
  work: Parameters<typeof withService<T>>[2],
): Promise<T> => withService(db, { tenantId, actorId }, work);
