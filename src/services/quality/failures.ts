import { type Database, type Tx, withSystem } from '../platform/database.js';
import type { Queryable } from '../platform/rows.js';
import { isConnectionLost, sqlState } from '../platform/sqlstate.js';
import * as sql from './failures.sql.js';

/** Work that failed, and why: for the log. */
export interface WorkFailure {
  readonly subject: sql.WorkSubject;
  readonly error: unknown;
}

/** Hears of each piece of work that failed and is left for later. */
export type OnFailure = (failure: WorkFailure) => void;

/**
 * Whether a piece of work succeeded. Where it threw, that is kept (`work_failures`), told, and the work is left out until it is tried
 * again, after ten seconds first and an hour at most: what is wrong with one must not stop the others. A database that went away is
 * nobody's fault, and is thrown.
 */
export async function succeeds(
  db: Database,
  work: () => Promise<unknown>,
  { subject, onFailure }: { subject: () => sql.WorkSubject | null; onFailure: OnFailure },
): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    const failed = subject();
    if (failed === null || isConnectionLost(error)) {
      throw error;
    }
    await withSystem(db, (tx) => keepFailure(tx, failed, error));
    onFailure({ subject: failed, error });
    return false;
  }
}

/** Keeps that a piece of work failed, and when it is tried again. */
const keepFailure = (tx: Queryable, subject: sql.WorkSubject, error: unknown): Promise<void> =>
  sql.saveFailure(tx, subject, sqlState(error) ?? (error instanceof Error ? error.name : typeof error));

/**
 * Does a piece of work inside a transaction that goes on without it: what it did before it threw is undone, and that it failed is kept.
 * @returns the failure, or none
 */
export async function apart(
  tx: Tx,
  subject: sql.WorkSubject,
  work: () => Promise<unknown>,
): Promise<WorkFailure[]> {
  await tx.$executeRaw`savepoint piece_of_work`;
  try {
    await work();
    await sql.clearFailure(tx, subject);
    await tx.$executeRaw`release savepoint piece_of_work`;
    return [];
  } catch (error) {
    if (isConnectionLost(error)) {
      throw error;
    }
    await tx.$executeRaw`rollback to savepoint piece_of_work`;
    await keepFailure(tx, subject, error);
    return [{ subject, error }];
  }
}

/** How many pieces of work of each job failed when they were last tried, of all tenants. */
export const readFailingWork = (db: Database) => withSystem(db, sql.failingWork);

const SWEPT_AT_ONCE = 1_000;

/** Forgets failures of work that is over: nobody tried it again for a day. */
export const forgetFailures = (db: Database): Promise<void> =>
  withSystem(db, (tx) => sql.sweepFailures(tx, SWEPT_AT_ONCE));
