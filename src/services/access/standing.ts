import type { Database } from '../platform/database.js';
import { pgQueryable } from '../platform/pg-queryable.js';
import * as sql from './standing.sql.js';

export type { Standing } from './standing.sql.js';

/** Which of these have lost the role that they were let in with, or have one that they could not have been let in with; as indices from 0. */
export const revokedOf = ({ systemPool }: Database, all: readonly sql.Standing[]): Promise<number[]> =>
  sql.revokedOf(pgQueryable(systemPool), all);
