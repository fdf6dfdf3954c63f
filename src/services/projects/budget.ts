import { InputInvalidError, NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { BudgetTooLowError } from '../payouts/budget-errors.js';
import * as sql from '../payouts/budgets.sql.js';
import { type Database, withService, withSystem } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import { ProjectNotRunningError } from './errors.js';

/** Ten thousand thousand millions of a currency's hundredth: beyond any project. */
const BUDGET_MAX = 1_000_000_000_000_000n;

/**
 * Sets what a project may cost at most, or that there is no such bound (null). What is spent, and what tasks and
 * adjudications may still cost, counts from the first; tasks that stopped for want of budget go on when there is some.
 * @throws NotFoundError, InputInvalidError, ProjectNotRunningError, BudgetTooLowError
 */
export async function setBudget(
  db: Database,
  viewer: Viewer,
  { projectId, budgetMinor }: { projectId: bigint; budgetMinor: bigint | null },
): Promise<void> {
  if (budgetMinor !== null && (budgetMinor < 0n || budgetMinor > BUDGET_MAX)) {
    throw new InputInvalidError([
      { path: '/budget', message: `Give 0 to ${BUDGET_MAX} minor units, or null.` },
    ]);
  }
  const { tenantId, identityId: actorId } = viewer;
  const customerId = viewer.role === 'CUSTOMER' ? viewer.customerId : null;
  const change = { tenantId, actorId, projectId, customerId, budgetMinor };
  const { outcome, committed } = await retrying(() =>
    withService(db, { tenantId, actorId }, (tx) => sql.setBudget(tx, change)),
  );
  switch (outcome) {
    case 'NOT_FOUND':
      throw new NotFoundError('project');
    case 'NOT_RUNNING':
      throw new ProjectNotRunningError();
    case 'TOO_LOW':
      throw new BudgetTooLowError(BigInt(committed ?? 0));
    case 'OK':
  }
}

/**
 * Lets tasks go on that stopped for want of budget, where there is some again: of one project a call.
 * @returns how many tasks were looked at, at most `limit`; 0: none waits that could go on
 */
export const resumeStopped = (db: Database, limit: number): Promise<number> =>
  retrying(() => withSystem(db, (tx) => sql.resumeStopped(tx, limit)));
