import { type Database, withSystem } from '../platform/database.js';
import { poolFigures, shutOutFigures, skillFigures } from './pool-figures.sql.js';

/** What metrics tell of pools, of all tenants, as last measured by whichever node does. */
export function readPoolFigures(db: Database) {
  return withSystem(db, async (tx) => ({
    pools: await poolFigures(tx),
    skills: await skillFigures(tx),
    shutOut: await shutOutFigures(tx),
  }));
}
