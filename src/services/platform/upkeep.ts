import { type Database, withSystem } from './database.js';
import { pgQueryable } from './pg-queryable.js';
import * as sql from './upkeep.sql.js';

/** So many months of the access log are prepared: a year without either a deployment or a job that may. */
const MONTHS_AHEAD = 12;

/** How the tables fare: for metrics and alerts. */
export interface Health {
  readonly ages: sql.Ages;
  readonly deadRows: readonly { readonly table: string; readonly dead: number }[];
}

/** Reads how the tables fare. */
export async function readHealth(db: Database): Promise<Health> {
  const system = pgQueryable(db.systemPool);
  return { ages: await sql.ages(system), deadRows: await sql.deadRows(system) };
}

/**
 * Prepares the access log for the months to come, where this process's login may act as the owner of the tables.
 * @returns how many partitions were made; null where it may not
 */
export function prepareMonths(db: Database): Promise<number | null> {
  return withSystem(db, async (tx) => {
    if (!(await sql.mayBeOwner(tx))) {
      return null;
    }
    await sql.becomeOwner(tx);
    return sql.prepareAccessLog(tx, MONTHS_AHEAD);
  });
}
