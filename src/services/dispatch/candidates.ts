import * as sql from './assign.sql.js';
import { type Assigning, inService, type Search } from './assigning.js';
import { metresBetween } from './eta/distance.js';
import { guessSeconds } from './place.js';
import type { Around, Origin, Place, Seen } from './ports.js';

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

/** The nearest who are fresh, and who stands among them: mostly somebody of them can go. */
const NEAREST = { limit: 60, atMost: 600 };
/** Then who is qualified, however far behind others they stand: so many at a time, and so often at most. */
const QUALIFIED = 500;
const PAGES = 2;
/** At last, fresh and stale, to say what keeps whom from it: the first time, or to somebody who asks; and where it is tried again by itself. */
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
  const most = isAgain ? TOLD_AGAIN : TOLD;
  if (near.found.length < most) {
    const told = await nearest(on, search, { limit: most, atMost: most });
    yield { found: unseen(told.found), isAll: told.isAll };
  }
}

async function nearest(on: Assigning, search: Search, many: Pick<Around, 'limit' | 'atMost'>): Promise<Look> {
  const place = placeOf(search.job);
  if (search.job.kind === 'SCHEDULED') {
    const homes = await inService(on, search, (tx) => sql.nearestHomes(tx, { place, limit: many.limit }));
    return { found: homes.map((home) => guessed(home, place)), isAll: homes.length < many.limit };
  }
  const around = { place, metres: search.job.searchMetres, ...many };
  const { seen, isAll } = await on.inStage('nearby', () =>
    on.dispatch.nearby.nearby(search.tenantId, around),
  );
  return {
    found: seen.map((one) => ({ ...guessed(one, place), seen: one })),
    isAll,
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
