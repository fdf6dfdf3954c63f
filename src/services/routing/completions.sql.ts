import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';

const CompletionRow = z.object({ sinceCreated: z.number(), sinceClaimed: z.number() });

/** Seconds that a task took until its last answer, from when it was stored and from its first lease. */
export type Completion = z.infer<typeof CompletionRow>;

/** A submitted assignment, as submits are noted. */
export interface Submitted {
  readonly tenantId: bigint;
  readonly assignmentId: bigint;
}

/** The tasks that one of these submits completed, each once; every part goes by a primary key or a task's own index. */
export const completedBy = (db: Queryable, submitted: readonly Submitted[]): Promise<Completion[]> =>
  many(
    db,
    CompletionRow,
    Prisma.sql`
      with done as (
        select distinct t.tenant_id, t.id, t.created_at, t.done_at
        from unnest(${submitted.map((s) => s.tenantId)}::bigint[], ${submitted.map((s) => s.assignmentId)}::bigint[])
          as s(tenant_id, assignment_id)
        join assignments a on a.tenant_id = s.tenant_id and a.id = s.assignment_id
        join tasks t on t.tenant_id = a.tenant_id and t.id = a.task_id
        where t.state = 'DONE' and t.done_at = a.submitted_at
      )
      select extract(epoch from d.done_at - d.created_at)::float8 as "sinceCreated",
             extract(epoch from d.done_at - c.first_claimed)::float8 as "sinceClaimed"
      from done d
      cross join lateral (
        select min(a.leased_at) as first_claimed from assignments a
        where a.tenant_id = d.tenant_id and a.task_id = d.id
      ) c`,
  );
