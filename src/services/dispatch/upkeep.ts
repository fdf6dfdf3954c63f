import { type Database, withSystem } from '../platform/database.js';
import { type Assigned, type Assigning, assignJob } from './assign.js';
import * as sql from './jobs.sql.js';

/** So many at once: none keeps the others waiting for long. */
const A_STEP = 100;
export const JOBS_A_STEP = 20;
/** Whoever takes a job to assign it and dies leaves it to others after this time. */
const TAKEN_SECONDS = 15;

/** What time brought about in one look. */
export interface Moved {
  readonly expired: number;
  readonly noShows: number;
}

/** Ends offers whose time is up, and tells of workers who have not come. Any number of nodes may do it at once. */
export const endOffers = (db: Database): Promise<Moved> =>
  withSystem(db, async (tx) => ({
    expired: await sql.expireOffers(tx, A_STEP),
    noShows: await sql.alertNoShows(tx, A_STEP),
  }));

/** What came of a job that was to be assigned. */
export type Attempt = { readonly assigned: Assigned } | { readonly error: unknown };

/** Assigns what is to be assigned by now: after a refusal or an end, before a window, again after a while. One that fails fails alone. */
export async function assignDue(on: Assigning): Promise<Attempt[]> {
  const due = await withSystem(on.db, (tx) =>
    sql.takeDueJobs(tx, { limit: JOBS_A_STEP, forSeconds: TAKEN_SECONDS }),
  );
  return Promise.all(due.map((job) => attempt(on, job)));
}

async function attempt(on: Assigning, { tenantId, jobId }: sql.DueJob): Promise<Attempt> {
  try {
    return { assigned: await assignJob(on, { tenantId, actorId: null }, jobId) };
  } catch (error) {
    return { error };
  }
}
