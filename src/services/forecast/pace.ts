import type { Queryable } from '../platform/rows.js';
import { OBSERVED_MAX } from './forecast.sql.js';
import { endedOf } from './pace.sql.js';
import type { RateOfWork } from './rate.js';
import type { ProjectName } from './risk.sql.js';

/** What is left of a batch, and what came in of it of late. */
export interface Paced extends ProjectName, RateOfWork {
  readonly batchId: bigint;
  readonly deadline: Date | null;
}

/** Nothing of it came in of late, and something is left: by itself it says nothing. */
export const isUntouched = ({ remaining, observed }: RateOfWork): boolean => remaining > 0 && observed === 0;

/**
 * How work goes on in the projects of batches that nobody has answered of late: whoever answers others of the same project comes to them,
 * once what is due no later is done. None of a batch that has a pace of its own, nor where nothing comes in in its whole project.
 * @param all what is known of those projects
 */
export function pacesOf(all: readonly Paced[]): Map<bigint, RateOfWork> {
  return new Map(byProject(all).flatMap(paced));
}

/** What came in of others of the same projects, where all that are open of one are known and nothing came in of those. */
export async function endedLately(db: Queryable, demands: readonly Paced[]): Promise<Paced[]> {
  const silent = byProject(demands).flatMap((own) =>
    own.some(isUntouched) && own.every(({ observed }) => observed === 0) ? own.slice(0, 1) : [],
  );
  return silent.length === 0 ? [] : endedOf(db, silent);
}

function byProject<T extends ProjectName>(all: readonly T[]): T[][] {
  const found = new Map<string, T[]>();
  for (const one of all) {
    const key = `${one.tenantId}/${one.projectId}`;
    const own = found.get(key);
    if (own === undefined) {
      found.set(key, [one]);
    } else {
      own.push(one);
    }
  }
  return [...found.values()];
}

function paced(own: readonly Paced[]): [bigint, RateOfWork][] {
  const untouched = own.filter(isUntouched);
  const seen = own.filter(({ observed }) => observed > 0);
  if (untouched.length === 0 || seen.length === 0) {
    return [];
  }
  const pool = pooled(seen);
  const until = leftUntil(own);
  return untouched.map(({ batchId, deadline }) => [
    batchId,
    { remaining: until.get(timeOf(deadline)) ?? 0, ...pool },
  ]);
}

/**
 * What came in of several at once, by the longest look at any of them. Of the one that moves fastest the count may be of the latest answers
 * only: it is taken to have gone on so.
 * @param seen at least one
 */
export function pooled(
  seen: readonly Pick<RateOfWork, 'observed' | 'windowSeconds'>[],
): Pick<RateOfWork, 'observed' | 'windowSeconds'> {
  const windowSeconds = Math.max(...seen.map((one) => one.windowSeconds));
  return { observed: seen.reduce((sum, one) => sum + countedIn(one, windowSeconds), 0), windowSeconds };
}

const countedIn = (
  { observed, windowSeconds }: Pick<RateOfWork, 'observed' | 'windowSeconds'>,
  seconds: number,
): number => (observed < OBSERVED_MAX ? observed : (observed * seconds) / windowSeconds);

/** Work without a deadline comes after all that has one. */
const timeOf = (deadline: Date | null): number => deadline?.getTime() ?? Number.POSITIVE_INFINITY;

/** By deadline what is left of all that is due no later. */
export function leftUntil(
  batches: readonly Pick<Paced, 'remaining' | 'deadline'>[],
): ReadonlyMap<number, number> {
  const until = new Map<number, number>();
  let left = 0;
  for (const { remaining, deadline } of batches.toSorted((one, other) =>
    timeOf(one.deadline) < timeOf(other.deadline) ? -1 : 1,
  )) {
    left += remaining;
    until.set(timeOf(deadline), left);
  }
  return until;
}
