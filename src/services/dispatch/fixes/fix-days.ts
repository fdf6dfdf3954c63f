import { type Database, withSystem } from '../../platform/database.js';
import { pgQueryable } from '../../platform/pg-queryable.js';
import { becomeOwner, mayBeOwner } from '../../platform/upkeep.sql.js';
import * as sql from './fix-store.sql.js';

/** Days that are prepared: a week in which the job may fail. */
const DAYS_AHEAD = 7;

/** What was made and what is gone. */
export interface KeptDays {
  readonly made: number;
  readonly days: number;
  readonly rows: number;
  readonly pairs: number;
}

/**
 * Prepares the archive for the days to come, takes away what is older than seven days, and forgets ways that nobody has gone for
 * half a year. Days are made and dropped where this process's login may act as the owner of the tables; where it may not, rows are
 * deleted one by one, and the days are made by `touchstone migrate`.
 */
export async function keepFixDays(db: Database): Promise<KeptDays> {
  const whole = await withSystem(db, async (tx) => {
    if (!(await mayBeOwner(tx))) {
      return { made: 0, days: 0 };
    }
    await becomeOwner(tx);
    return { made: await sql.prepareDays(tx, DAYS_AHEAD), days: await sql.dropDays(tx) };
  });
  const system = pgQueryable(db.systemPool);
  return { ...whole, rows: await sql.clearOld(system), pairs: await sql.forgetPairs(system) };
}
