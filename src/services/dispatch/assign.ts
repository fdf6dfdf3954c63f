import { NotFoundError } from '../access/errors.js';
import { callHot } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import * as sql from './assign.sql.js';
import type { Actor, Assigning, Search } from './assigning.js';
import { type Candidate, candidates, placeOf } from './candidates.js';
import { JobStateError } from './errors.js';
import { type Best, lease, offerOf } from './lease.js';
import type { Eta } from './ports.js';
import { scoreOf } from './rank.js';
import { type Filter, firstOf, reasonOf } from './reasons.js';

export type { Assigning } from './assigning.js';

/** What came of assigning: an offer, or the reason why there is none. */
export type Assigned =
  | { readonly offerId: bigint; readonly reason: null }
  | { readonly offerId: null; readonly reason: string };

/** Of who may go, of so many the router is asked first; then of as many as it was before, time after time: who is farther seldom comes sooner. */
const SHORTLIST = 5;
/** And of no more than so many in all, however few each look had of them. */
const ASKED_MAX = 160;
/** Of who was looked at, so many are sifted first: mostly a shortlist comes of them, and each costs the database .1 ms. */
const SIFTED_FIRST = 8;
/** Then so many at a time: no statement holds a connection for long. */
const SIFTED = 100;
/** Offers of the tenant that are ended first where their time is up: until then they keep their workers. */
export const LAPSED = 20;
/** When it is tried again of a job that nobody can have: at first; see app.wait_before_again. */
const AGAIN_SECONDS = 60;

/**
 * Finds somebody for a job and offers it to them: hard filters first, then the nearest few by what the router says, the best
 * of them by score. Whoever is lost to somebody else meanwhile is passed over. A job that has an offer keeps it, and the answer
 * is that one.
 * @throws NotFoundError, JobStateError
 */
export const assignJob = (on: Assigning, who: Actor, jobId: bigint): Promise<Assigned> =>
  on.inStage('whole', () => assign(on, who, jobId));

/** {@link assignJob} of a job that was made just now: what it stands on is known. */
export const assignNewJob = (on: Assigning, search: Search): Promise<Assigned> =>
  on.inStage('whole', () => offer(on, search));

async function assign(on: Assigning, who: Actor, jobId: bigint): Promise<Assigned> {
  const job = await begin(on, { ...who, jobId });
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

async function begin({ db }: Assigning, who: sql.WhoAssigns): Promise<sql.Assignable | null> {
  const query = sql.beginAssigning(who, LAPSED);
  return sql.AssignableRow.nullable().parse(await retrying(() => callHot(db, 'begin_assigning', query)));
}

/** What is known of who was looked at. */
interface Sifted {
  /** Who may go as far as hard filters tell and was not asked yet, nearest first. */
  fit: Fit[];
  /** By what the others may not. */
  readonly removed: Filter[];
  /** Of how many the router was asked. */
  asked: number;
}

interface Fit extends Candidate {
  readonly jobsToday: number;
}

async function offer(on: Assigning, search: Search): Promise<Assigned> {
  if (search.job.remainingSeconds <= 0) {
    return unassigned(on, search, 'The time by which somebody was to be there has passed.');
  }
  const sifted: Sifted = { fit: [], removed: [], asked: 0 };
  let isAll = false;
  for await (const look of candidates(on, search)) {
    isAll = look.isAll;
    const fresh = look.found.filter(({ seen }) => seen?.isFresh !== false);
    // (The database need not be asked of these.)
    sifted.removed.push(...new Array<Filter>(look.found.length - fresh.length).fill('STALE'));
    for (const found of slices(fresh)) {
      await sift(on, search, { found, into: sifted });
      const isLast = found.at(-1) === fresh.at(-1);
      const offerId = await offerToOne(on, search, { sifted, isLast });
      if (offerId !== null) {
        return { offerId, reason: null };
      }
      if (search.until?.aborted) {
        isAll &&= isLast;
        break;
      }
    }
    if (search.until?.aborted) {
      break;
    }
  }
  const removed = [...sifted.removed, ...sifted.fit.map((): Filter => 'FARTHER')];
  const where = search.job.kind === 'SCHEDULED' ? 'at work' : 'in range';
  return unassigned(on, search, reasonOf(removed, { where, isAll }));
}

/** Some first, mostly enough, then others. */
const slices = (found: readonly Candidate[]): (readonly Candidate[])[] =>
  found.length === 0
    ? []
    : [
        found.slice(0, SIFTED_FIRST),
        ...Array.from({ length: Math.max(0, Math.ceil((found.length - SIFTED_FIRST) / SIFTED)) }, (_, n) =>
          found.slice(SIFTED_FIRST + n * SIFTED, SIFTED_FIRST + (n + 1) * SIFTED),
        ),
      ];

/** Boolean, before anything is weighed: who may have the job, and by what the others may not. */
async function sift(
  on: Assigning,
  search: Search,
  { found, into }: { readonly found: readonly Candidate[]; readonly into: Sifted },
): Promise<void> {
  const query = sql.siftWorkers(search, found);
  const answer = await on.inStage('filter', () => callHot(on.db, 'sift_workers', query));
  const rows = sql.FitRow.array().parse(answer);
  const looks = new Map(rows.map((row) => [row.expertId, row]));
  for (const one of found) {
    const { failed = ['INACTIVE'], jobsToday = 0 } = looks.get(one.expertId) ?? {};
    const filter = firstOf(failed);
    if (filter === null) {
      into.fit.push({ ...one, jobsToday });
    } else {
      into.removed.push(filter);
    }
  }
  into.fit.sort((a, b) => a.guessSeconds - b.guessSeconds);
}

/** Offers to the best of those who can be had, some at a time, where those are as many or nobody else comes; null: to none of them. */
async function offerToOne(
  on: Assigning,
  search: Search,
  { sifted, isLast }: { readonly sifted: Sifted; readonly isLast: boolean },
): Promise<bigint | null> {
  while (sifted.fit.length > 0) {
    const many = Math.min(Math.max(SHORTLIST, sifted.asked), ASKED_MAX - sifted.asked);
    if (many === 0 || (sifted.fit.length < many && !isLast)) {
      return null;
    }
    const some = sifted.fit.slice(0, many);
    sifted.fit = sifted.fit.slice(many);
    sifted.asked += some.length;
    const offerId = await offerToBest(on, search, { some, removed: sifted.removed });
    if (offerId !== null) {
      return offerId;
    }
  }
  return null;
}

async function offerToBest(
  on: Assigning,
  search: Search,
  { some, removed }: { readonly some: readonly Fit[]; readonly removed: Filter[] },
): Promise<bigint | null> {
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

/** Where it was offered and came back meanwhile, it stays open: it is looked for anew by itself, at once. */
async function unassigned(on: Assigning, search: Search, reason: string): Promise<Assigned> {
  const { epoch } = search.job;
  const query = sql.leaveUnassigned(search, { epoch, reason, againSeconds: AGAIN_SECONDS });
  if (await retrying(() => callHot(on.db, 'leave_unassigned', query))) {
    return { offerId: null, reason };
  }
  const now = await begin(on, search);
  if (now === null) {
    throw new NotFoundError('job');
  }
  return now.state === 'OPEN' || now.state === 'UNASSIGNED_ALERT'
    ? { offerId: null, reason: now.reason ?? reason }
    : { offerId: offerOf(now), reason: null };
}
