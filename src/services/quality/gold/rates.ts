import { type Database, withSystem } from '../../platform/database.js';
import { goldRate } from './rate.js';
import * as sql from './rates.sql.js';

/**
 * Judges the rates that are due, at most `limit`: what share of each expert's claims becomes gold, for what reason. Instructions
 * never change under a task type (a change is a new version, which has no results), so they raise no rate here.
 * @returns how many were judged; 0 also where another node is at it
 */
export function keepRates(db: Database, limit: number): Promise<number> {
  return withSystem(db, async (tx) => {
    if (!(await sql.tryGoldTurn(tx))) {
      return 0;
    }
    const due = await sql.dueRates(tx, limit);
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
    return rates.length;
  });
}
