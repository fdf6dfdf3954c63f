import { type Database, withSystem } from '../../platform/database.js';
import * as sql from './out-of-sight.sql.js';

/**
 * Looks at projects whose tasks are out of sight because gold was given in their place, and brings back those that are due
 * (docs/decisions/0095). Each project has a transaction of its own: one that fails holds up no other.
 * @param limit projects that are looked at
 * @returns how many tasks came back; what went wrong
 */
export async function bringTasksBack(
  db: Database,
  limit: number,
): Promise<{ came: number; failures: unknown[] }> {
  const failures: unknown[] = [];
  let came = 0;
  for (const place of await withSystem(db, (tx) => sql.projectsWithHidden(tx, limit))) {
    try {
      came += await withSystem(db, (tx) => sql.bringBack(tx, place));
    } catch (error) {
      failures.push(error);
    }
  }
  return { came, failures };
}
