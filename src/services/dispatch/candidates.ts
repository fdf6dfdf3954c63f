import * as sql from './assign.sql.js';
import { type Assigning, inService, type Search } from './assigning.js';
import { metresBetween } from './eta/distance.js';
import { guessSeconds } from './place.js';
import type { Origin, Place, Seen } from './ports.js';

/** Somebody who may be asked, if nothing keeps them from it. */
export interface Candidate extends Origin {
  readonly expertId: bigint;
  readonly guessSeconds: number;
  /** Absent of who is planned from home. */
  readonly seen?: Seen;
}

/** Some who were not looked at before. */
export interface Look {
  readonly found: readonly Candidate[];
  /** Whether everybody in range has been looked at with these. */
  readonly isAll: boolean;
}

/** The nearest, whoever they are: mostly somebody of them can go. */
const NEAREST = 60;
/** Then who is qualified, however far behind others they stand: so many at a time, and so often at most. */
const QUALIFIED = 500;
const PAGES = 2;
/** At last, to say what keeps whom from it: the first time, or to somebody who asks; and where it is tried again by itself. */
const TOLD = 1_000;
const TOLD_AGAIN = 250;

/**
 * Who may be asked, in the order in which it is worth it, nobody twice: the nearest; whoever has the skills, found by them and not by
 * distance; and everybody else, who are told of. Each step costs more than the one before and is taken only if those were in vain.
 */
export async function* candidates(on: Assigning, search: Search): AsyncGenerator<Look> {
  const looked = new Set<bigint>();
  const unseen = (found: readonly Candidate[]) =>
    found.filter(({ expertId }) => !looked.has(expertId) && looked.add(expertId));

  const near = await nearest(on, search, NEAREST);
  yield { found: unseen(near.found), isAll: near.isAll };
  if (near.isAll) {
    return;
  }
  for (let page = 0; page < PAGES; page++) {
    const { found, ids } = await qualified(on, search, looked);
    yield { found: unseen(found), isAll: false };
    for (const id of ids) {
      looked.add(id);
    }
    if (ids.length < QUALIFIED) {
      break;
    }
  }
  const isAgain = search.job.state === 'UNASSIGNED_ALERT' && search.actorId === null;
  const told = await nearest(on, search, isAgain ? TOLD_AGAIN : TOLD);
  yield { found: unseen(told.found), isAll: told.isAll };
}

async function nearest(on: Assigning, search: Search, limit: number): Promise<Look> {
  const place = placeOf(search.job);
  if (search.job.kind === 'SCHEDULED') {
    const homes = await inService(on, search, (tx) => sql.nearestHomes(tx, { place, limit }));
    return { found: homes.map((home) => guessed(home, place)), isAll: homes.length < limit };
  }
  const around = { place, metres: search.job.searchMetres, limit };
  const found = await on.inStage('nearby', () => on.dispatch.nearby.nearby(search.tenantId, around));
  return {
    found: found.map((seen) => ({ ...guessed(seen, place), seen })),
    isAll: found.filter(({ isFresh }) => isFresh).length < limit,
  };
}

async function qualified(
  on: Assigning,
  search: Search,
  looked: ReadonlySet<bigint>,
): Promise<{ found: Candidate[]; ids: bigint[] }> {
  const { job, jobId, tenantId } = search;
  const place = placeOf(job);
  const query = { jobId, except: [...looked], limit: QUALIFIED };
  const homes = await inService(on, search, (tx) => sql.qualifiedWorkers(tx, query));
  const ids = homes.map(({ expertId }) => expertId);
  if (job.kind === 'SCHEDULED') {
    return { found: homes.map((home) => guessed(home, place)), ids };
  }
  const seen = await on.inStage('nearby', () => on.dispatch.nearby.lastSeen(tenantId, ids));
  const inRange = seen.filter((one) => metresBetween(one.place, place) <= job.searchMetres);
  return { found: inRange.map((one) => ({ ...guessed(one, place), seen: one })), ids };
}

/** Where a job is. */
export const placeOf = ({ latitude, longitude }: sql.Assignable): Place => ({ latitude, longitude });

const guessed = <T extends Origin>(from: T, to: Place) => ({
  ...from,
  guessSeconds: guessSeconds(from.place, to),
});
