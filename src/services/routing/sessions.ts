import type { Database } from '../platform/database.js';
import { pgQueryable } from '../platform/pg-queryable.js';
import * as sql from './sessions.sql.js';

/** Leases that are held, of all tenants, by how they fare. */
export type Sessions = sql.Sessions;

/** Counts the leases that are held, for metrics. */
export function readSessions(db: Database): Promise<Sessions> {
  return sql.countSessions(pgQueryable(db.systemPool));
}
