import { type Database, withSystem } from '../../platform/database.js';
import { watched } from './waits.sql.js';

/** Adjudications of a project that are looked at a time: those that wait longest. */
const ADJUDICATIONS_MAX = 20;

/**
 * Keeps of which running projects adjudications wait that no expert may take; staff and the customer are told when that begins
 * and when it ends. Any number of nodes may do so.
 * @returns how many such projects there are
 */
export async function watchAdjudications(db: Database): Promise<number> {
  const { projects } = await withSystem(db, (tx) => watched(tx, ADJUDICATIONS_MAX));
  return projects;
}
