import type { Database } from '../platform/database.js';
import { pgQueryable } from '../platform/pg-queryable.js';
import * as sql from './backlog.sql.js';

/** How far behind the sequencer is, and how many leases ended unanswered in the last minute; of all tenants. */
export type Backlog = sql.BacklogRow;

/** Reads the backlog, for metrics. */
export function readBacklog(db: Database): Promise<Backlog> {
  return sql.backlog(pgQueryable(db.systemPool));
}
