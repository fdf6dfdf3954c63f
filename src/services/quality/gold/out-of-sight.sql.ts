import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';
import type { GoldPlace } from './golds.sql.js';

const PlaceRow = z.object({ tenantId: z.bigint(), projectId: z.bigint() });

/** Projects some of whose tasks are out of sight and whose tick has come, at most `limit`, those that were looked at longest ago first. */
export const projectsWithHidden = (db: Queryable, limit: number) =>
  many(
    db,
    PlaceRow,
    Prisma.sql`
      select h.tenant_id as "tenantId", h.project_id as "projectId"
      from (select distinct r.tenant_id, r.project_id from ready r where r.phase = 3) h
      join projects p on p.tenant_id = h.tenant_id and p.id = h.project_id and p.state = 'RUNNING'
      left join gold_pools q on q.tenant_id = h.tenant_id and q.project_id = h.project_id
      where q.looked_at is null or q.looked_at < app.tick_before(p)
      order by q.looked_at nulls first, h.tenant_id, h.project_id limit ${limit}::int`,
  );

/** Brings back what is due of a project: see app.bring_back. Returns how many tasks came. */
export const bringBack = async (
  db: Queryable,
  { tenantId, projectId }: Pick<GoldPlace, 'tenantId' | 'projectId'>,
): Promise<number> =>
  (
    await one(
      db,
      z.object({ came: z.int() }),
      Prisma.sql`select app.bring_back(${tenantId}::bigint, ${projectId}::bigint) as came`,
    )
  ).came;
