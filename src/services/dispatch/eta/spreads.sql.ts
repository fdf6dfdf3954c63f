import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';

const Row = z.object({ confidence: z.enum(['HIGH', 'LOW']), ratio: z.number() });

/** The latest arrivals of each confidence: from the acceptance to the check-in, over what the road was said to take. */
export const arrivals = (db: Queryable, tenantId: bigint, limit: number): Promise<z.infer<typeof Row>[]> =>
  many(
    db,
    Row,
    Prisma.sql`
      select c.confidence as "confidence", a.ratio as "ratio"
      from (values ('HIGH'), ('LOW')) c(confidence)
      cross join lateral (
        select extract(epoch from j.checked_in_at - o.accepted_at)::float8 / o.eta_road_seconds as ratio
        from offers o join jobs j on j.tenant_id = o.tenant_id and j.offer_id = o.id
        where o.tenant_id = ${tenantId} and o.occupies and o.eta_confidence = c.confidence and o.eta_road_seconds > 0
          and j.checked_in_at > o.accepted_at
        order by o.accepted_at desc limit ${limit}
      ) a`,
  );
