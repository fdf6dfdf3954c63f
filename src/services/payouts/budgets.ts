import type { Queryable } from '../platform/rows.js';
import * as sql from './budgets.sql.js';

/** Budgets of some projects, of those that the scope shows: what each may cost, and what is spent and reserved of it. */
export const budgetsOf = (db: Queryable, projectIds: readonly bigint[]): Promise<sql.BudgetRow[]> =>
  sql.budgetsOf(db, projectIds);

/** Those of some tasks that have stopped for want of budget, of those that the scope shows. */
export const stoppedTasks = (db: Queryable, taskIds: readonly bigint[]): Promise<{ id: bigint }[]> =>
  sql.stoppedTasks(db, taskIds);
