import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';

const SeenRow = z.object({ id: z.coerce.bigint() });

/** Of these projects, those that row-level security shows to the scope. One parameter, however many are asked for. */
export async function projectsSeen(
  db: Queryable,
  tenantId: bigint,
  ids: readonly bigint[],
): Promise<Map<bigint, true>> {
  const found = await many(
    db,
    SeenRow,
    Prisma.sql`
      select p.id from unnest(${ids.map(String)}::bigint[]) w(id)
      cross join lateral (select id from projects x where x.tenant_id = ${tenantId}::bigint and x.id = w.id limit 1) p`,
  );
  return new Map(found.map(({ id }) => [id, true]));
}
