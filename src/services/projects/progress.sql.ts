import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable } from '../platform/rows.js';

const ProgressRow = z.object({
  id: z.bigint(),
  tasksTotal: z.int(),
  tasksOpen: z.int(),
  tasksDone: z.int(),
  tasksFlagged: z.int(),
  tasksCancelled: z.int(),
  adjudications: z.int(),
  adjudicationsOpen: z.int(),
  answersWanted: z.int(),
  answersCounted: z.int(),
  leased: z.int(),
});

export type ProgressRow = z.infer<typeof ProgressRow>;

/** Of tasks t with their project p: an open task of a cancelled project is a cancelled one (docs/decisions/0010). */
const counts = Prisma.sql`
  count(*) filter (where t.kind = 'WORK')::int as "tasksTotal",
  count(*) filter (where t.kind = 'WORK' and t.state = 'OPEN' and p.state = 'RUNNING')::int as "tasksOpen",
  count(*) filter (where t.kind = 'WORK' and t.state = 'DONE')::int as "tasksDone",
  count(*) filter (where t.kind = 'WORK' and t.state = 'FLAGGED')::int as "tasksFlagged",
  count(*) filter (where t.kind = 'WORK' and (t.state = 'CANCELLED' or t.state = 'OPEN' and p.state <> 'RUNNING'))::int as "tasksCancelled",
  coalesce(sum(t.wanted) filter (where t.kind = 'WORK'), 0)::int as "answersWanted",
  coalesce(sum(t.counted) filter (where t.kind = 'WORK'), 0)::int as "answersCounted",
  count(*) filter (where t.kind = 'ADJUDICATION')::int as adjudications,
  count(*) filter (where t.kind = 'ADJUDICATION' and t.state = 'OPEN' and p.state = 'RUNNING')::int as "adjudicationsOpen"`;

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
      from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
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
      from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
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

const RelatedRow = z.object({ id: z.bigint(), taskId: z.bigint() });

/** The adjudication of each of some tasks; a task without one has no row. */
export const adjudicationsOfTasks = (db: Queryable, taskIds: readonly bigint[]) =>
  many(
    db,
    RelatedRow,
    Prisma.sql`
      select j.parent_id as id, j.task_id as "taskId" from adjudications j
      where j.tenant_id = app.tenant_id() and j.parent_id = any (${taskIds}::bigint[])`,
  );

/** The task that each of some tasks adjudicates; one that is no adjudication has no row. */
export const adjudicatedByTasks = (db: Queryable, taskIds: readonly bigint[]) =>
  many(
    db,
    RelatedRow,
    Prisma.sql`
      select j.task_id as id, j.parent_id as "taskId" from adjudications j
      where j.tenant_id = app.tenant_id() and j.task_id = any (${taskIds}::bigint[])`,
  );

const WaitRow = z.object({ id: z.bigint(), tasks: z.int(), minQuality: z.number(), since: z.date() });
export type AdjudicationWait = z.infer<typeof WaitRow>;

/** Of which of some projects adjudications wait that no expert may take. */
export const waitsOfProjects = (db: Queryable, projectIds: readonly bigint[]): Promise<AdjudicationWait[]> =>
  many(
    db,
    WaitRow,
    Prisma.sql`
      select w.project_id as id, w.tasks, w.min_quality as "minQuality", w.since from adjudication_waits w
      where w.tenant_id = app.tenant_id() and w.project_id = any (${projectIds}::bigint[])`,
  );

/** The instant by the database's clock. */
export const databaseNow = (db: Queryable) =>
  one(db, z.object({ now: z.date() }), Prisma.sql`select app.clock_now()::timestamptz(3) as now`);
