import { InputInvalidError, NotFoundError } from '../access/errors.js';
import type { Viewer } from '../access/viewer.js';
import { BudgetTooLowError } from '../payouts/budget-errors.js';
import * as sql from '../payouts/budgets.sql.js';
import { type Database, withService, withSystem } from '../platform/database.js';
import { retrying } from '../platform/retry.js';
import type { Queryable } from '../platform/rows.js';
import { type OnFailure, succeeds } from '../quality/failures.js';
import { clearFailure } from '../quality/failures.sql.js';
import * as stops from './budget-stops.sql.js';
import { ProjectNotRunningError } from './errors.js';
import { spendOfProjects } from './progress.sql.js';

/** Ten thousand thousand millions of a currency's hundredth: beyond any project. */
const BUDGET_MAX = 1_000_000_000_000_000n;

/**
 * Sets what a project may cost at most, or that there is no such bound (null). What is spent, and what tasks and
 * adjudications may still cost, counts from the first; tasks that stopped for want of budget go on when there is some.
 * @returns the budget as this change made it, in its own transaction; null where it took the bound away
 * @throws NotFoundError, InputInvalidError, ProjectNotRunningError, BudgetTooLowError
 */
export async function setBudget(
  db: Database,
  viewer: Viewer,
  { projectId, budgetMinor }: { projectId: bigint; budgetMinor: bigint | null },
): Promise<BudgetAsSet | null> {
  if (budgetMinor !== null && (budgetMinor < 0n || budgetMinor > BUDGET_MAX)) {
    throw new InputInvalidError([
      { path: '/budget', message: `Give 0 to ${BUDGET_MAX} minor units, or null.` },
    ]);
  }
  const { tenantId, identityId: actorId } = viewer;
  const customerId = viewer.role === 'CUSTOMER' ? viewer.customerId : null;
  const change = { tenantId, actorId, projectId, customerId, budgetMinor };
  const { outcome, committed, budget } = await retrying(() =>
    withService(db, { tenantId, actorId }, async (tx) => ({
      ...(await sql.setBudget(tx, change)),
      // The row is ours until the transaction ends: nobody commits anything in between.
      budget: await budgetAsSet(tx, projectId),
    })),
  );
  switch (outcome) {
    case 'NOT_FOUND':
      throw new NotFoundError('project');
    case 'NOT_RUNNING':
      throw new ProjectNotRunningError();
    case 'TOO_LOW':
      throw new BudgetTooLowError(BigInt(committed ?? 0));
    case 'OK':
      return budget;
  }
}

/** A budget, and what its project's answers have cost by then. */
export type BudgetAsSet = sql.BudgetRow & { readonly spentMinor: bigint };

async function budgetAsSet(tx: Queryable, projectId: bigint): Promise<BudgetAsSet | null> {
  const [budget] = await sql.budgetsOf(tx, [projectId]);
  const [spend] = budget === undefined ? [] : await spendOfProjects(tx, [projectId]);
  return budget === undefined ? null : { ...budget, spentMinor: spend?.amountMinor ?? 0n };
}

/** Projects that are looked at in a call of `resumeStopped`. */
const PROJECTS_A_CALL = 10;

/**
 * Lets tasks go on that stopped for want of budget, where there is some again or none is asked for any more. Projects take turns,
 * whoever was looked at longest ago first; each has a transaction of its own, and one whose look throws is left for later.
 * @param limit tasks that are looked at, shared by the projects
 * @returns how many tasks wait no longer; 0: none of those looked at could go on
 */
export async function resumeStopped(
  db: Database,
  limit: number,
  onFailure: OnFailure = () => undefined,
): Promise<number> {
  const projects = await withSystem(db, (tx) => stops.stoppedProjects(tx, Math.min(limit, PROJECTS_A_CALL)));
  const each = Math.ceil(limit / Math.max(1, projects.length));
  let over = 0;
  for (const project of projects) {
    const { tenantId, projectId: subjectId } = project;
    const subject = { job: 'budget', tenantId, subjectId, skillId: 0n } as const;
    const resume = () =>
      withSystem(db, async (tx) => {
        const resumed = await stops.resumeStopped(tx, project, each);
        await clearFailure(tx, subject);
        return resumed;
      });
    const look = async () => {
      over += await retrying(resume);
    };
    await succeeds(db, look, { subject: () => subject, onFailure });
  }
  return over;
}
