import { type Database, withSystem } from '../platform/database.js';
import { type Assigned, type Assigning, assignJob } from './assign.js';
import * as sql from './jobs.sql.js';

/** So many at once: none keeps the others waiting for long. */
export const ENDS_A_STEP = 100;
export const JOBS_A_STEP = 20;
/** Whoever takes a job to assign it and dies leaves it to others after this time. */
const TAKEN_SECONDS = 15;
/** Of those so many are decided at a time: requests need the same connections. */
const AT_ONCE = 4;
/** What was not begun by then is left to whoever takes it next: begun later it might be decided twice. */
const BEGUN_MS = 9_000;
/** After that long a decision looks at nobody else. */
const DECIDED_MS = 3_000;

/** What time brought about in one look. */
export interface Moved {
  readonly expired: number;
  readonly noShows: number;
}

/** Ends offers whose time is up, and tells of workers who have not come. Any number of nodes may do it at once. */
export const endOffers = (db: Database): Promise<Moved> =>
  withSystem(db, async (tx) => ({
    expired: await sql.expireOffers(tx, ENDS_A_STEP),
    noShows: await sql.alertNoShows(tx, ENDS_A_STEP),
  }));

/** What came of a job that was to be assigned. */
export type Attempt = { readonly assigned: Assigned } | { readonly error: unknown };

/** Which tenant was served last: the next step begins behind it. Each node goes round by itself. */
export interface Turns {
  after: bigint;
}

/** Assigns what is to be assigned by now: after a refusal or an end, before a window, again after a while. One that fails fails alone. */
export async function assignDue(on: Assigning, turns: Turns = { after: 0n }): Promise<Attempt[]> {
  const { after } = turns;
  const due = await withSystem(on.db, (tx) =>
    sql.takeDueJobs(tx, { limit: JOBS_A_STEP, forSeconds: TAKEN_SECONDS, after }),
  );
  const begunBy = AbortSignal.timeout(BEGUN_MS);
  const attempts: Attempt[] = [];
  const waiting = due.toSorted((a, b) => a.place - b.place).values();
  const decide = async () => {
    for (const job of waiting) {
      if (begunBy.aborted) {
        return;
      }
      turns.after = job.tenantId;
      attempts.push(await attempt(on, job));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, decide));
  return attempts;
}

async function attempt(on: Assigning, { tenantId, jobId }: sql.DueJob): Promise<Attempt> {
  try {
    const until = AbortSignal.timeout(DECIDED_MS);
    return { assigned: await assignJob(on, { tenantId, actorId: null, until }, jobId) };
  } catch (error) {
    return { error };
  }
}
