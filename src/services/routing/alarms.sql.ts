import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { maybeOne, one, type Queryable } from '../platform/rows.js';

const NextAlarmRow = z.object({ seconds: z.number().nullable() });

/** Seconds until the next lease alarm is due (zero or less: due already); null where no lease has one. */
export const secondsToNextAlarm = async (db: Queryable): Promise<number | null> => {
  const next = await maybeOne(
    db,
    NextAlarmRow,
    Prisma.sql`
      select extract(epoch from l.due_at - app.clock_now())::float8 as "seconds"
      from lease_alarms l order by l.due_at limit 1`,
  );
  return next?.seconds ?? null;
};

/** Fires at most `limit` due alarms: warns, ends leases, re-arms, drops. Returns how many it looked at. */
export const fireDueAlarms = async (db: Queryable, limit: number): Promise<number> =>
  (
    await one(
      db,
      z.object({ fired: z.int() }),
      Prisma.sql`select app.fire_due_alarms(${limit}::int) as "fired"`,
    )
  ).fired;
