import { z } from 'zod';
import { Prisma } from '../../../src/generated/prisma/client.js';
import type { Around, Found, Seen } from '../../../src/services/dispatch/ports.js';
import { many, type Queryable } from '../../../src/services/platform/rows.js';

const SeenRow = z
  .object({
    expertId: z.bigint(),
    latitude: z.number(),
    longitude: z.number(),
    cell: z.string(),
    deviceAt: z.date(),
    receivedAt: z.date(),
    ageSeconds: z.number(),
    isFresh: z.boolean(),
  })
  .transform(({ latitude, longitude, ...seen }): Seen => ({ ...seen, place: { latitude, longitude } }));

const seen = Prisma.sql`
  f.expert_id as "expertId", f.latitude, f.longitude, f.cell, f.device_at as "deviceAt", f.received_at as "receivedAt",
  greatest(0, extract(epoch from app.clock_now() - least(f.device_at, f.received_at)))::float8 as "ageSeconds",
  least(f.device_at, f.received_at) >= app.clock_now() - interval '30 seconds' as "isFresh"`;

/** The last fixes of some workers of the tenant in scope. */
export const lastFixes = (db: Queryable, expertIds: readonly bigint[]): Promise<Seen[]> =>
  many(
    db,
    SeenRow,
    Prisma.sql`
      select ${seen} from latest_fixes f
      where f.tenant_id = (select app.tenant_id()) and f.expert_id = any (${expertIds.map(String)}::bigint[])`,
  );

/**
 * Up to `limit` fresh ones and all who are nearer than the last of them, `atMost` in all, as the index has it. Five minutes after its
 * last fix nobody is looked for any more.
 */
export async function nearestFixes(db: Queryable, around: Around): Promise<Found> {
  const { limit, atMost } = around;
  const fixes = await fixesWithin(db, around);
  let fresh = 0;
  const last = fixes.findIndex(({ isFresh }) => isFresh && ++fresh === limit);
  const found = fixes.slice(0, Math.min(atMost, last === -1 ? fixes.length : last + 1));
  return { seen: found, isAll: found.length === fixes.length };
}

const fixesWithin = (db: Queryable, { place, metres }: Around): Promise<Seen[]> =>
  many(
    db,
    SeenRow,
    Prisma.sql`
      select ${seen}, d.metres
      from latest_fixes f
      cross join lateral (
        select 2 * 6371008.8 * asin(least(1, sqrt(sin(radians(f.latitude - ${place.latitude}::float8) / 2) ^ 2
          + cos(radians(${place.latitude}::float8)) * cos(radians(f.latitude)) * sin(radians(f.longitude - ${place.longitude}::float8) / 2) ^ 2))) as metres
      ) d
      where f.tenant_id = (select app.tenant_id()) and d.metres <= ${metres}::float8
        and least(f.device_at, f.received_at) > app.clock_now() - interval '5 minutes'
      order by d.metres, f.expert_id`,
  );
