import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';

const WatchedRow = z.object({
  tenantId: z.bigint(),
  projectId: z.bigint(),
  skillId: z.bigint(),
  taskTypeId: z.bigint(),
  dimensions: z.string(),
  /** Experts with results up to this grading have been looked at. */
  gradingId: z.bigint(),
  /** The last look came to its bound: this one goes on with it. */
  goesOn: z.boolean(),
});

/** A project whose experts are to be looked at. */
export type WatchedProject = z.infer<typeof WatchedRow>;

/** The one turn over all nodes at the watch; false where another node has it. */
export const tryWatchTurn = async (db: Queryable): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ taken: z.boolean() }),
      Prisma.sql`select pg_try_advisory_xact_lock(7253, 0) as taken`,
    )
  ).taken;

/**
 * The project to look at: it has results that no look has seen, and was not looked at for so long unless that look had more
 * to do. Tenants take turns: the one whose last look is longest ago comes first.
 */
export const projectDue = (db: Queryable, againSeconds: number): Promise<WatchedProject | null> =>
  maybeOne(
    db,
    WatchedRow,
    Prisma.sql`
      with due as materialized (
        select p.tenant_id, p.id, p.skill_id, p.task_type_id, w.grading_id, w.has_more, w.looked_at from projects p
        left join project_watches w on w.tenant_id = p.tenant_id and w.project_id = p.id
        where (w.looked_at is null or w.has_more or w.looked_at <= app.clock_now() - make_interval(secs => ${againSeconds}))
          and exists (select from gradings g where g.tenant_id = p.tenant_id and g.project_id = p.id and g.id > coalesce(w.grading_id, 0))
      )
      select d.tenant_id as "tenantId", d.id as "projectId", d.skill_id as "skillId", d.task_type_id as "taskTypeId", y.dimensions,
             coalesce(d.grading_id, 0) as "gradingId", coalesce(d.has_more, false) as "goesOn"
      from due d join task_types y on y.tenant_id = d.tenant_id and y.id = d.task_type_id
      order by (select max(o.looked_at) from project_watches o where o.tenant_id = d.tenant_id) nulls first, d.looked_at nulls first,
               d.tenant_id, d.id
      limit 1`,
  );

/** Gradings of the project that no look has seen, oldest first: which, and whose. */
export const freshGradings = (db: Queryable, project: WatchedProject, limit: number) =>
  many(
    db,
    z.object({ id: z.bigint(), expertId: z.bigint() }),
    Prisma.sql`
      select g.id, g.expert_id as "expertId" from gradings g
      where g.tenant_id = ${project.tenantId} and g.project_id = ${project.projectId} and g.id > ${project.gradingId}
      order by g.id limit ${limit}`,
  );

export const markLooked = (
  db: Queryable,
  { tenantId, projectId }: WatchedProject,
  { gradingId, hasMore }: { gradingId: bigint; hasMore: boolean },
) =>
  run(
    db,
    Prisma.sql`
      insert into project_watches (tenant_id, project_id, grading_id, looked_at, has_more)
      values (${tenantId}, ${projectId}, ${gradingId}, app.clock_now(), ${hasMore})
      on conflict (tenant_id, project_id) do update set
        grading_id = excluded.grading_id, looked_at = excluded.looked_at, has_more = excluded.has_more`,
  );
