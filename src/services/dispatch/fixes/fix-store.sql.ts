import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';
import { type Fix, GONE_MS } from './fix.js';

/** A fix with what the archive keeps of it. */
export interface KeptFix {
  readonly fix: Fix;
  readonly sealed: Buffer;
}

/** Keeps fixes: the newest of each worker where it is newer, and a sample. See app.keep_fixes. */
export const keepFixes = (db: Queryable, kept: readonly KeptFix[]): Promise<void> => {
  const column = <T>(of: (one: KeptFix) => T): T[] => kept.map(of);
  return run(
    db,
    Prisma.sql`
      select 1 as ok from app.keep_fixes(
        ${column(({ fix }) => String(fix.tenantId))}::bigint[], ${column(({ fix }) => String(fix.expertId))}::bigint[],
        ${column(({ fix }) => new Date(fix.deviceMs))}::timestamptz[], ${column(({ fix }) => new Date(fix.receivedMs))}::timestamptz[],
        ${column(({ fix }) => fix.lat)}::float8[], ${column(({ fix }) => fix.lng)}::float8[],
        ${column(({ fix }) => fix.cell)}::text[], ${column(({ sealed }) => sealed)}::bytea[])`,
  );
};

const LatestRow = z.object({
  expertId: z.coerce.bigint(),
  lat: z.number(),
  lng: z.number(),
  cell: z.string(),
  deviceAt: z.date(),
  receivedAt: z.date(),
});

/** Where the workers of a tenant were seen last, of those who are not gone. */
export const latestFixes = (db: Queryable, tenantId: bigint): Promise<z.infer<typeof LatestRow>[]> =>
  many(
    db,
    LatestRow,
    Prisma.sql`
      select l.expert_id as "expertId", l.latitude as "lat", l.longitude as "lng", l.cell as "cell",
             l.device_at as "deviceAt", l.received_at as "receivedAt"
      from latest_fixes l
      where l.tenant_id = ${tenantId} and l.received_at > app.clock_now() - make_interval(secs => ${GONE_MS / 1_000})`,
  );

const KeyRow = z.object({ sealed: z.instanceof(Uint8Array) });

/** The sealed key of a tenant's archive; null before its first fix. */
export const fixKey = async (db: Queryable, tenantId: bigint): Promise<Buffer | null> => {
  const row = await maybeOne(
    db,
    KeyRow,
    Prisma.sql`select sealed from fix_keys where tenant_id = ${tenantId}`,
  );
  return row === null ? null : Buffer.from(row.sealed);
};

/** Keeps a key, unless another node was first. */
export const keepFixKey = (db: Queryable, tenantId: bigint, sealed: Buffer): Promise<void> =>
  run(
    db,
    Prisma.sql`insert into fix_keys (tenant_id, sealed) values (${tenantId}, ${sealed}) on conflict do nothing`,
  );

/** Makes the archive's days to come. Returns how many. */
export const prepareDays = async (db: Queryable, ahead: number): Promise<number> =>
  (
    await one(
      db,
      z.object({ made: z.int() }),
      Prisma.sql`select app.prepare_fix_days(${ahead}::int) as "made"`,
    )
  ).made;

/** Drops the days that are over, as their owner. Returns how many. */
export const dropDays = async (db: Queryable): Promise<number> =>
  (await one(db, z.object({ days: z.int() }), Prisma.sql`select app.drop_fix_days() as "days"`)).days;

/** Deletes what is older than seven days and was not dropped. Returns how many rows. */
export const clearOld = async (db: Queryable): Promise<number> =>
  (await one(db, z.object({ rows: z.int() }), Prisma.sql`select app.clear_old_fixes() as "rows"`)).rows;

/** Forgets ways between cells that nobody has gone for half a year, some at a time. Returns how many. */
export const forgetPairs = async (db: Queryable): Promise<number> =>
  (
    await one(
      db,
      z.object({ gone: z.int() }),
      Prisma.sql`
        with old as (
          select tenant_id, from_cell, to_cell from cell_pairs where seen_at < app.clock_now() - interval '180 days'
          order by 1, 2, 3 limit 10000 for update skip locked
        ), gone as (
          delete from cell_pairs p using old o
          where p.tenant_id = o.tenant_id and p.from_cell = o.from_cell and p.to_cell = o.to_cell returning 1
        )
        select count(*)::int as "gone" from gone`,
    )
  ).gone;
