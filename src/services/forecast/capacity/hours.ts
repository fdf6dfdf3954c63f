import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import { foldWork } from '../risk.js';
import { foldAnswers } from './supply.sql.js';

/**
 * Folds answers of batches in which something has moved into the weeks of those who gave them; returns how many. What has moved is found
 * before, in transactions of its own: whoever forecasts waits for that and not for the hours.
 */
export async function foldHours(
  db: Database,
  most: { readonly batches: number; readonly answers: number },
): Promise<number> {
  await foldWork(db);
  return retrying(() => withSystem(db, (tx) => foldAnswers(tx, most)));
}
