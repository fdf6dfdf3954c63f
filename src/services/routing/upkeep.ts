import { type Database, withSystem } from '../platform/database.js';
import type { Queryable } from '../platform/rows.js';
import * as sql from './upkeep.sql.js';

/** How many rows of ended work were taken away. */
export interface Cleared {
  readonly grants: number;
  readonly drafts: number;
  readonly days: number;
}

const ROWS_A_STEP = 1_000;
const LAST_ASSIGNMENT = 2n ** 63n - 1n;

type Step = (db: Queryable, after: sql.WalkedTo, limit: number) => Promise<sql.WalkStep>;

/**
 * Takes away what ended work leaves behind and nobody can ask for any more: see docs/decisions/0030. Each step is a
 * transaction of its own; between steps `goOn` says whether there is still time.
 */
export async function clearEndedWork(db: Database, goOn: () => boolean): Promise<Cleared> {
  const grants = await walk(db, sql.dropGrants, goOn);
  const drafts = await walk(db, sql.dropDrafts, goOn);
  const days = goOn() ? await withSystem(db, sql.dropDays) : 0;
  return { grants, drafts, days };
}

/**
 * Walks by tenant and assignment. Assignments are numbered as they come, so that a page of grants without an old one is
 * taken for the end of what is old of its tenant; what is left out that way is found by a later walk.
 */
async function walk(db: Database, step: Step, goOn: () => boolean): Promise<number> {
  let after: sql.WalkedTo = { tenantId: 0n, assignmentId: 0n };
  let gone = 0;
  while (goOn()) {
    const done = await withSystem(db, (tx) => step(tx, after, ROWS_A_STEP));
    gone += done.gone;
    if (done.tenantId === null || done.assignmentId === null || done.looked < ROWS_A_STEP) {
      break;
    }
    after = { tenantId: done.tenantId, assignmentId: done.old === 0 ? LAST_ASSIGNMENT : done.assignmentId };
  }
  return gone;
}
