import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable } from '../platform/rows.js';
import type { RuleCheck } from '../platform/rules.js';

/** What `app.commit_opened` raises where tasks cost more than the budget of their project has left. */
export const BEYOND_BUDGET = 'XR004';

const BudgetRow = z.object({
  id: z.bigint(),
  budgetMinor: z.bigint(),
  committedMinor: z.bigint(),
  stopped: z.int(),
});

/**
 * A project's budget, in minor units of its currency: what it may cost, and what is spent and reserved of that; and how many
 * tasks have stopped for want of it, 10,000 for so many or more.
 */
export type BudgetRow = z.infer<typeof BudgetRow>;

/** Budgets of some projects, of those that the scope shows; a project without one has no row. */
export const budgetsOf = (db: Queryable, projectIds: readonly bigint[]) =>
  many(
    db,
    BudgetRow,
    Prisma.sql`
      select b.project_id as id, b.budget_minor as "budgetMinor", b.committed_minor as "committedMinor",
             (select count(*)::int from (
               select from budget_stops s where s.tenant_id = b.tenant_id and s.project_id = b.project_id limit 10000) s) as stopped
      from project_budgets b
      where b.tenant_id = app.tenant_id() and b.project_id = any (${projectIds}::bigint[])`,
  );

/** Those of some tasks that have stopped for want of budget. */
export const stoppedTasks = (db: Queryable, taskIds: readonly bigint[]) =>
  many(
    db,
    z.object({ id: z.bigint() }),
    Prisma.sql`
      select t.id from tasks t
      join budget_stops s on s.tenant_id = t.tenant_id and s.project_id = t.project_id and s.task_id = t.id
      where t.tenant_id = app.tenant_id() and t.id = any (${taskIds}::bigint[])`,
  );

const Outcome = z.object({
  set: z.object({
    outcome: z.enum(['OK', 'NOT_FOUND', 'NOT_RUNNING', 'TOO_LOW']),
    committed: z.string().optional(),
  }),
});

export interface BudgetChange {
  readonly tenantId: bigint;
  readonly actorId: bigint;
  readonly projectId: bigint;
  /** Null: any customer's project. */
  readonly customerId: bigint | null;
  /** In minor units of the project's currency; null: no budget. */
  readonly budgetMinor: bigint | null;
}

/** See app.set_budget. */
export const setBudget = async (db: Queryable, c: BudgetChange) =>
  (
    await one(
      db,
      Outcome,
      Prisma.sql`
        select app.set_budget(${c.tenantId}, ${c.actorId}::bigint, ${c.projectId}, ${c.customerId}::bigint, ${c.budgetMinor}::bigint) as set`,
    )
  ).set;

/** Whether a project has no budget, or one that pays for so many more answers. */
export const paysFor = async (
  db: Queryable,
  { tenantId, projectId, answers }: { tenantId: bigint; projectId: bigint; answers: number },
): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ pays: z.boolean() }),
      Prisma.sql`select coalesce(app.budget_room(${tenantId}, ${projectId}) >= ${answers}::bigint, true) as pays`,
    )
  ).pays;

/** Rule 8 of budgets. Flags free what nobody holds when they close a task; what is held then and given back stays reserved. */
export const budgetRules: readonly RuleCheck[] = [
  {
    rule: 8,
    claim:
      'What the tasks and adjudications of a project with a budget want is within the budget, and counted in it.',
    looked: Prisma.sql`select count(*) from project_budgets`,
    broken: Prisma.sql`
      select format('project %s of tenant %s: %s committed of %s, its tasks want %s to %s', b.project_id, b.tenant_id, b.committed_minor,
                    b.budget_minor, w.least, w.most) as what
      from project_budgets b
      join projects p on p.tenant_id = b.tenant_id and p.id = b.project_id
      cross join lateral (
        select coalesce(sum(t.wanted), 0) * p.price_minor as most,
               coalesce(sum(case when t.state = 'FLAGGED' then t.counted else t.wanted end), 0) * p.price_minor as least
        from tasks t where t.tenant_id = b.tenant_id and t.project_id = b.project_id and t.kind <> 'GOLD'
      ) w
      where b.committed_minor > b.budget_minor or not b.committed_minor between w.least and w.most`,
  },
];
