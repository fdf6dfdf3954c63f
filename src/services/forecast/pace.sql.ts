import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';
import { OBSERVED_MAX, WINDOW_SECONDS } from './forecast.sql.js';
import { columnsOf, type ProjectName } from './risk.sql.js';

const Id = z.coerce.bigint();
const EndedRow = z.object({
  tenantId: Id,
  projectId: Id,
  batchId: Id,
  deadline: z.null(),
  remaining: z.coerce.number(),
  observed: z.coerce.number(),
  windowSeconds: z.number().positive(),
});

/** Of a project so many that ended last are looked at. */
const ENDED_MAX = 20;

/** What came in within the last hour of batches that have been done since. */
export const endedOf = (
  db: Queryable,
  projects: readonly ProjectName[],
): Promise<z.infer<typeof EndedRow>[]> => {
  const [tenantIds, projectIds] = columnsOf(projects);
  return many(
    db,
    EndedRow,
    Prisma.sql`
      select e.tenant_id as "tenantId", e.project_id as "projectId", e.batch_id as "batchId", null as deadline, 0 as remaining,
             l.observed, ${WINDOW_SECONDS}::float8 as "windowSeconds"
      from unnest(${tenantIds}::bigint[], ${projectIds}::bigint[]) as w(tenant_id, project_id)
      cross join lateral (
        select f.tenant_id, f.project_id, f.batch_id from forecasts f
        where f.tenant_id = w.tenant_id and f.project_id = w.project_id and f.ended_at is not null
          and f.ended_at > app.clock_now() - make_interval(secs => ${WINDOW_SECONDS})
        order by f.ended_at desc limit ${ENDED_MAX}) e
      cross join lateral (
        select count(*) as observed from (select from assignments a
          where a.tenant_id = e.tenant_id and a.batch_id = e.batch_id and a.submitted_at is not null
            and a.submitted_at > app.clock_now() - make_interval(secs => ${WINDOW_SECONDS})
          limit ${OBSERVED_MAX - 1}) n) l
      where l.observed > 0`,
  );
};
