import { type Database, withSystem } from '../../platform/database.js';
import { goldRate } from './rate.js';
import * as sql from './rates.sql.js';

/**
 * Judges the rates that are due among the next `size` scores after one: what share of each expert's claims becomes gold, for what
 * reason. Rounds go through all scores, page by page. Instructions never change under a task type (a change is a new version, which
 * has no results), so they raise no rate here.
 * @returns how many were judged, 0 also where another node is at it; and after which score the next page begins, null: a new round
 */
export function keepRates(
  db: Database,
  size: number,
  after: sql.RateKey | null = null,
): Promise<{ judged: number; next: sql.RateKey | null }> {
  return withSystem(db, async (tx) => {
    if (!(await sql.tryGoldTurn(tx))) {
      return { judged: 0, next: after };
    }
    const until = await sql.endOfPage(tx, { after, size });
    const due = await sql.dueRates(tx, { after, until });
    const rates = due.map(({ tenantId, expertId, skillId, taskTypeId, ...inputs }) => ({
      ...goldRate({ ...inputs, tasksSinceInstructions: null }),
      tenantId: tenantId.toString(),
      expertId: expertId.toString(),
      skillId: skillId.toString(),
      taskTypeId: taskTypeId.toString(),
    }));
    if (rates.length > 0) {
      await sql.storeRates(tx, JSON.stringify(rates));
    }
    return { judged: rates.length, next: until };
  });
}
