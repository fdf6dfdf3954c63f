import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable } from '../platform/rows.js';
import { isReady } from '../quality/failures.sql.js';

/** A project of which tasks have stopped for want of budget. */
interface StoppedProject {
  readonly tenantId: bigint;
  readonly projectId: bigint;
}

/**
 * Projects of which tasks have stopped, those first that were not looked at for longest. Where the budget pays for no answer
 * only a change of its policy can help: such are looked at once a minute. None that waits because its look threw.
 */
export const stoppedProjects = (db: Queryable, limit: number) =>
  many(
    db,
    z.object({ tenantId: z.bigint(), projectId: z.bigint() }),
    Prisma.sql`
      with recursive stopped as (
        (select s.tenant_id, s.project_id from budget_stops s order by s.tenant_id, s.project_id limit 1)
        union all
        select n.tenant_id, n.project_id from stopped w cross join lateral (
          select s.tenant_id, s.project_id from budget_stops s where (s.tenant_id, s.project_id) > (w.tenant_id, w.project_id)
          order by s.tenant_id, s.project_id limit 1) n
      )
      select w.tenant_id as "tenantId", w.project_id as "projectId" from stopped w
      join projects p on p.tenant_id = w.tenant_id and p.id = w.project_id
      cross join lateral (
        select max(s.looked_at) as last from budget_stops s where s.tenant_id = w.tenant_id and s.project_id = w.project_id) l
      where ${isReady('budget', { tenant: Prisma.sql`w.tenant_id`, subject: Prisma.sql`w.project_id` })}
        and (p.state <> 'RUNNING' or p.redundancy_policy is null or l.last is null or l.last < app.clock_now() - interval '1 minute'
             or coalesce(app.budget_room(w.tenant_id, w.project_id), 1) > 0)
      order by l.last nulls first, w.tenant_id, w.project_id
      limit ${limit}`,
  );

/** See app.resume_stopped. */
export const resumeStopped = async (
  db: Queryable,
  { tenantId, projectId }: StoppedProject,
  limit: number,
): Promise<number> =>
  (
    await one(
      db,
      z.object({ over: z.int() }),
      Prisma.sql`select app.resume_stopped(${tenantId}, ${projectId}, ${limit}::int) as over`,
    )
  ).over;
