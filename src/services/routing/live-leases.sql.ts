import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';

const LiveLeaseRow = z.object({
  assignmentId: z.bigint(),
  taskId: z.bigint(),
  projectId: z.bigint(),
  expertId: z.bigint(),
  leasedAt: z.date(),
  leaseUntil: z.date(),
  isExpiring: z.boolean(),
});
export type LiveLease = z.infer<typeof LiveLeaseRow>;

const columns = Prisma.sql`
  a.id as "assignmentId", a.task_id as "taskId", a.project_id as "projectId", a.expert_id as "expertId",
  a.leased_at as "leasedAt", a.lease_until as "leaseUntil",
  a.lease_until - app.lease_warning(a.lease_seconds) <= app.clock_now() as "isExpiring"`;

/** {@link liveLeasePage} of many projects, the first page of each. */
export const firstLeasePages = (
  db: Queryable,
  projectIds: readonly bigint[],
  limitEach: number,
): Promise<LiveLease[]> =>
  many(
    db,
    LiveLeaseRow,
    Prisma.sql`
      select l.* from unnest(${projectIds.map(String)}::bigint[]) p(id)
      cross join lateral (
        select ${columns} from assignments a
        where a.tenant_id = (select app.tenant_id()) and a.state = 'LEASED' and a.lease_until > app.clock_now()
          and a.project_id = p.id and a.ended_at is null and a.customer_id <> 0
        order by a.id limit ${limitEach}::int
      ) l`,
  );

/** Leases that are live now and that the scope may see, by assignment, after one of them. */
export const liveLeasePage = (
  db: Queryable,
  of: { projectId: bigint } | { expertId: bigint },
  { afterId, limit }: { afterId: bigint; limit: number },
): Promise<LiveLease[]> =>
  many(
    db,
    LiveLeaseRow,
    Prisma.sql`
      select ${columns} from assignments a
      where a.tenant_id = (select app.tenant_id()) and a.state = 'LEASED' and a.lease_until > app.clock_now()
        and ${'projectId' in of ? Prisma.sql`a.project_id = ${of.projectId} and a.ended_at is null and a.customer_id <> 0` : Prisma.sql`a.expert_id = ${of.expertId}`}
        and a.id > ${afterId}
      order by a.id limit ${limit}`,
  );
