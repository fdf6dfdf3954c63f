import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { one, type Queryable } from '../platform/rows.js';

const SessionsRow = z.object({ healthy: z.int(), expiring: z.int(), lapsed: z.int() });

/**
 * Leases that are held, of all tenants. Healthy: extended in time. Expiring: within the warning before its end, so no
 * heartbeat came. Lapsed: past its end and not given back yet.
 */
export type Sessions = z.infer<typeof SessionsRow>;

/** Counts live leases: as many rows as there are, by the index that allows one an expert. */
export const countSessions = (db: Queryable): Promise<Sessions> =>
  one(
    db,
    SessionsRow,
    Prisma.sql`
      select count(*) filter (where a.lease_until - app.lease_warning(a.lease_seconds) > app.clock_now())::int as healthy,
             count(*) filter (where a.lease_until > app.clock_now()
                                and a.lease_until - app.lease_warning(a.lease_seconds) <= app.clock_now())::int as expiring,
             count(*) filter (where a.lease_until <= app.clock_now())::int as lapsed
      from assignments a where a.state = 'LEASED'`,
  );
