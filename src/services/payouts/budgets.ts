import type { Queryable } from '../platform/rows.js';
import * as sql from './budgets.sql.js';

/** Budgets of some projects, of those that the scope shows: what each may cost, and what is spent and reserved of it. */
export const budgetsOf = (db: Queryable, projectIds: readonly bigint[]): Promise<sql.BudgetRow[]> =>
  sql.budgetsOf(db, projectIds);
