import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable } from '../platform/rows.js';

const ProgressRow = z.object({
  id: z.bigint(),
  tasksTotal: z.int(),
  tasksOpen: z.int(),
  tasksDone: z.int(),
  tasksFlagged: z.int(),
  answersWanted: z.int(),
  answersCounted: z.int(),
  leased: z.int(),
});

export type ProgressRow = z.infer<typeof ProgressRow>;

const counts = Prisma.sql`
  count(*)::int as "tasksTotal",
  count(*) filter (where t.state = 'OPEN')::int as "tasksOpen",
  count(*) filter (where t.state = 'DONE')::int as "tasksDone",
  count(*) filter (where t.state = 'FLAGGED')::int as "tasksFlagged",
  coalesce(sum(t.wanted), 0)::int as "answersWanted",
  coalesce(sum(t.counted), 0)::int as "answersCounted"`;

/** Progress of some projects, of those that the scope shows, without their gold; one without tasks has no row. */
export const progressOfProjects = (db: Queryable, projectIds: readonly bigint[]) =>
  many(
    db,
    ProgressRow,
    Prisma.sql`
      select t.project_id as id, ${counts},
             (select count(*)::int from assignments a
              where a.tenant_id = app.tenant_id() and a.project_id = t.project_id and a.state = 'LEASED' and a.ended_at is null
                and a.customer_id <> 0 and a.lease_until > app.clock_now()) as leased
      from tasks t
      where t.tenant_id = app.tenant_id() and t.project_id = any (${projectIds}::bigint[]) and t.kind <> 'GOLD'
      group by t.project_id`,
  );

/** Progress of some batches. */
export const progressOfBatches = (db: Queryable, batchIds: readonly bigint[]) =>
  many(
    db,
    ProgressRow,
    Prisma.sql`
      with live as (
        select a.batch_id, count(*)::int as leased from assignments a
        where a.tenant_id = app.tenant_id() and a.state = 'LEASED' and a.lease_until > app.clock_now()
          and a.project_id in (select b.project_id from batches b
                               where b.tenant_id = app.tenant_id() and b.id = any (${batchIds}::bigint[]))
        group by a.batch_id
      )
      select t.batch_id as id, ${counts}, coalesce((select l.leased from live l where l.batch_id = t.batch_id), 0) as leased
      from tasks t
      where t.tenant_id = app.tenant_id() and t.batch_id = any (${batchIds}::bigint[])
      group by t.batch_id`,
  );

const SpendRow = z.object({ id: z.bigint(), amountMinor: z.bigint() });

/** What some projects have cost so far; a project that cost nothing has no row. */
export const spendOfProjects = (db: Queryable, projectIds: readonly bigint[]) =>
  many(
    db,
    SpendRow,
    Prisma.sql`
      select p.project_id as id, sum(p.amount_minor)::bigint as "amountMinor" from payouts p
      where p.tenant_id = app.tenant_id() and p.project_id = any (${projectIds}::bigint[]) and p.customer_id <> 0
      group by p.project_id`,
  );

const CountRow = z.object({ id: z.bigint(), count: z.int() });

/** How many experts have flagged each of some tasks; a task without flags has no row. */
export const flagsOfTasks = (db: Queryable, taskIds: readonly bigint[]) =>
  many(
    db,
    CountRow,
    Prisma.sql`
      select f.task_id as id, count(*)::int as count from task_flags f
      where f.tenant_id = app.tenant_id() and f.task_id = any (${taskIds}::bigint[])
      group by f.task_id`,
  );

/** The instant by the database's clock. */
export const databaseNow = (db: Queryable) =>
  one(db, z.object({ now: z.date() }), Prisma.sql`select app.clock_now()::timestamptz(3) as now`);
