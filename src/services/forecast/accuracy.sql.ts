import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable } from '../platform/rows.js';

/** Forecasts that are looked at: the latest to have been scored. */
const LOOKED_AT = 20_000;

const TotalsRow = z.object({
  forecasts: z.int(),
  batches: z.int(),
  brier: z.number().nullable(),
  crpsHours: z.number().nullable(),
  coverage80: z.number().nullable(),
  medianExceeded: z.number().nullable(),
  pinballSeconds: z.array(z.number().nullable()),
});

/** How good the forecasts of a project (null: of all) were that the scope may see. Pinball losses at .1, .25, .5, .75 and .9. */
export const totalsOf = (db: Queryable, projectId: bigint | null): Promise<z.infer<typeof TotalsRow>> =>
  one(
    db,
    TotalsRow,
    Prisma.sql`
      select count(*)::int as forecasts, count(distinct l.batch_id)::int as batches, avg(l.brier)::float8 as brier,
             (avg(l.crps_seconds) / 3600)::float8 as "crpsHours", avg(l.held::int)::float8 as "coverage80",
             avg(l.after_median::int)::float8 as "medianExceeded",
             array[avg(l.pinball_seconds[1]), avg(l.pinball_seconds[2]), avg(l.pinball_seconds[3]), avg(l.pinball_seconds[4]),
                   avg(l.pinball_seconds[5])]::float8[] as "pinballSeconds"
      from ${scored(projectId)}`,
  );

const BinRow = z.object({ bin: z.int(), forecasts: z.int(), stated: z.number(), happened: z.number() });

/** Tenths of stated probability: how often what was stated came true. Only those that have any. */
export const binsOf = (db: Queryable, projectId: bigint | null): Promise<z.infer<typeof BinRow>[]> =>
  many(
    db,
    BinRow,
    Prisma.sql`
      select least(9, floor(l.probability * 10))::int as bin, count(*)::int as forecasts, avg(l.probability)::float8 as stated,
             avg((l.ended_at <= l.deadline)::int)::float8 as happened
      from ${scored(projectId)} where l.brier is not null group by 1 order by 1`,
  );

const AlertsRow = z.object({
  batches: z.int(),
  missed: z.int(),
  warned: z.int(),
  alerted: z.int(),
  falseAlerts: z.int(),
  leadHours: z.number().nullable(),
});

/** Of batches that had a deadline: how many missed it, of how many that was said before, how early, and how often in vain. */
export const alertsOf = (db: Queryable, projectId: bigint | null): Promise<z.infer<typeof AlertsRow>> =>
  one(
    db,
    AlertsRow,
    Prisma.sql`
      with batch as (
        select l.batch_id, (max(l.ended_at) > max(l.deadline)) as missed,
               min(l.made_at) filter (where l.at_risk and l.made_at < l.deadline) as alerted_at, max(l.deadline) as deadline
        from ${scored(projectId)} where l.deadline is not null group by l.batch_id
      )
      select count(*)::int as batches, count(*) filter (where missed)::int as missed,
             count(*) filter (where missed and alerted_at is not null)::int as warned,
             count(alerted_at)::int as alerted, count(*) filter (where not missed and alerted_at is not null)::int as "falseAlerts",
             (percentile_cont(0.5) within group (order by extract(epoch from deadline - alerted_at))
                filter (where missed and alerted_at is not null) / 3600)::float8 as "leadHours"
      from batch`,
  );

const scored = (projectId: bigint | null): Prisma.Sql => Prisma.sql`(
  select * from forecast_log f
  where f.tenant_id = (select app.tenant_id()) and f.ended_at is not null
    and (${projectId}::bigint is null or f.project_id = ${projectId}::bigint)
  order by f.ended_at desc limit ${LOOKED_AT}) l`;
