import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { one, type Queryable } from '../platform/rows.js';

const BacklogRow = z.object({ lagSeconds: z.number(), expiredLastMinute: z.int() });
export type BacklogRow = z.infer<typeof BacklogRow>;

/** See readBacklog; each part is one short range of an index. */
export const backlog = (db: Queryable): Promise<BacklogRow> =>
  one(
    db,
    BacklogRow,
    Prisma.sql`
      select
        coalesce((select extract(epoch from app.clock_now() - e.created_at)::float8
                  from stream_events e where e.seq is null order by e.id limit 1), 0) as "lagSeconds",
        (select count(*)::int from stream_events e
         where e.created_at > app.clock_now() - interval '1 minute' and e.kind = 'EXPIRED'
           and e.stream like 'lease/expert/%') as "expiredLastMinute"`,
  );
