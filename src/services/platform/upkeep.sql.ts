import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable } from './rows.js';

const DeadRow = z.object({ table: z.string(), dead: z.number() });

/** Rows of each table that are dead and not yet vacuumed, as the statistics have it; partitions count for their parent. */
export const deadRows = (db: Queryable): Promise<z.infer<typeof DeadRow>[]> =>
  many(
    db,
    DeadRow,
    Prisma.sql`
      select coalesce(p.inhparent::regclass::text, s.relname) as "table", sum(s.n_dead_tup)::float8 as "dead"
      from pg_stat_user_tables s left join pg_inherits p on p.inhrelid = s.relid
      where s.schemaname = 'public' group by 1 order by 1`,
  );

const AgesRow = z.object({
  snapshotSeconds: z.number().nullable(),
  transactions: z.number(),
  multixacts: z.number(),
  monthsAhead: z.int(),
});

/**
 * What keeps a vacuum from its work, and how near a wrap-around is: seconds that the oldest transaction that holds a
 * snapshot has run (null where this role may not see it), age of the oldest unfrozen transaction and multixact of the
 * database, and for how many months to come the access log has partitions.
 */
export type Ages = z.infer<typeof AgesRow>;

export const ages = (db: Queryable): Promise<Ages> =>
  one(
    db,
    AgesRow,
    Prisma.sql`
      select case when pg_has_role('pg_read_all_stats', 'usage') then coalesce(
               (select extract(epoch from max(clock_timestamp() - a.xact_start))::float8 from pg_stat_activity a
                where a.backend_xmin is not null and a.datname = current_database() and a.pid <> pg_backend_pid()), 0) end
               as "snapshotSeconds",
             age(d.datfrozenxid)::float8 as "transactions",
             mxid_age(d.datminmxid)::float8 as "multixacts",
             (select count(*)::int from generate_series(1, 60) m
              where to_regclass('public.access_log_' || to_char((now() at time zone 'UTC') + make_interval(months => m), 'YYYY_MM')) is not null)
               as "monthsAhead"
      from pg_database d where d.datname = current_database()`,
  );

const MayRow = z.object({ may: z.boolean() });

/** Whether the login of this connection may act as the owner of the tables. */
export const mayBeOwner = async (db: Queryable): Promise<boolean> =>
  (await one(db, MayRow, Prisma.sql`select pg_has_role(session_user, 'touchstone_owner', 'member') as "may"`))
    .may;

/** Becomes the owner for the rest of the transaction. */
export const becomeOwner = async (db: Queryable): Promise<void> => {
  await maybeOne(db, z.unknown(), Prisma.sql`select set_config('role', 'touchstone_owner', true)`);
};

/** Prepares the access log for the months to come. Returns how many partitions it made. */
export const prepareAccessLog = async (db: Queryable, months: number): Promise<number> =>
  (
    await one(
      db,
      z.object({ made: z.int() }),
      Prisma.sql`select app.prepare_access_log(${months}::int) as "made"`,
    )
  ).made;
