import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';
import { isReady } from '../failures.sql.js';

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

/** Makes projects with new results due: of at most so many results. */
export const noteFresh = (db: Queryable, limit: number) =>
  run(
    db,
    Prisma.sql`
      with taken as (
        delete from watch_dues d
        where (d.tenant_id, d.id) in (select o.tenant_id, o.id from watch_dues o order by o.id limit ${limit})
        returning d.tenant_id, d.project_id
      ), noted as (
        insert into project_watches as w (tenant_id, project_id, grading_id, looked_at, has_more)
        select distinct t.tenant_id, t.project_id, 0, null::timestamptz, false from taken t
        on conflict (tenant_id, project_id) do update set is_fresh = true where not w.is_fresh
        returning 1
      )
      select count(*)::int from noted`,
  );

/**
 * The project to look at: it has results that no look has seen, and was not looked at for so long unless that look had more
 * to do. Tenants take turns: the one whose last look is longest ago comes first.
 */
export const projectDue = (db: Queryable, againSeconds: number): Promise<WatchedProject | null> =>
  maybeOne(
    db,
    WatchedRow,
    Prisma.sql`
      with recursive tenants as (
        (select w.tenant_id from project_watches w where w.is_fresh order by w.tenant_id limit 1)
        union all
        select (select w.tenant_id from project_watches w where w.is_fresh and w.tenant_id > t.tenant_id order by w.tenant_id limit 1)
        from tenants t where t.tenant_id is not null
      ), first as materialized (
        select d.* from tenants t
        cross join lateral (
          select w.tenant_id, w.project_id, w.grading_id, w.has_more, w.looked_at from project_watches w
          where w.tenant_id = t.tenant_id and w.is_fresh
            and (w.looked_at is null or w.has_more or w.looked_at <= app.clock_now() - make_interval(secs => ${againSeconds}))
            and ${isReady('watch', { tenant: Prisma.sql`w.tenant_id`, subject: Prisma.sql`w.project_id` })}
          order by w.looked_at nulls first limit 1
        ) d
        order by (select o.looked_at from project_watches o where o.tenant_id = d.tenant_id order by o.looked_at desc nulls last limit 1) nulls first,
                 d.looked_at nulls first, d.tenant_id, d.project_id
        limit 1
      )
      select d.tenant_id as "tenantId", d.project_id as "projectId", p.skill_id as "skillId", p.task_type_id as "taskTypeId", y.dimensions,
             d.grading_id as "gradingId", d.has_more as "goesOn"
      from first d join projects p on p.tenant_id = d.tenant_id and p.id = d.project_id
      join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id`,
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
      insert into project_watches (tenant_id, project_id, grading_id, looked_at, has_more, is_fresh)
      values (${tenantId}, ${projectId}, ${gradingId}, app.clock_now(), ${hasMore}, ${hasMore})
      on conflict (tenant_id, project_id) do update set
        grading_id = excluded.grading_id, looked_at = excluded.looked_at, has_more = excluded.has_more,
        is_fresh = excluded.is_fresh`,
  );
