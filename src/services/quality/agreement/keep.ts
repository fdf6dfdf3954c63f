import { type Database, withSystem } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import { foldDue, refoldAll } from './keep.sql.js';

/**
 * Folds changes of counted answers into the figures of agreement, at most `limit` of one tenant, in one transaction: each
 * costs the answers of its task, however many tasks there are.
 * @returns how many changes were due and are folded; 0 also where another node is at it
 */
export const keepAgreement = async (db: Database, limit: number): Promise<number> =>
  (await retrying(() => withSystem(db, (tx) => foldDue(tx, limit)))) ?? 0;

/** Throws away what is kept of agreement, of all tenants: everything is due again, and {@link keepAgreement} makes it anew. */
export async function refoldAgreement(db: Database): Promise<void> {
  await withSystem(db, refoldAll);
}
