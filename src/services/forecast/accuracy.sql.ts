import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable } from '../platform/rows.js';

/** Forecasts that are looked at: the latest to have been scored. */
const LOOKED_AT = 20_000;

const TotalsRow = z.object({
  forecasts: z.int(),
  batches: z.int(),
  never: z.int(),
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
      select count(*)::int as forecasts, count(distinct l.batch_id)::int as batches,
             count(*) filter (where l.crps_seconds is null)::int as never, avg(l.brier)::float8 as brier,
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

/**
 * Of batches that had a deadline: how many missed it, of how many that was said before, how early, and how often in vain. Missed is
 * the last deadline that there was; an alert is true or false by the deadline that it was about, and warns of that one.
 */
export const alertsOf = (db: Queryable, projectId: bigint | null): Promise<z.infer<typeof AlertsRow>> =>
  one(
    db,
    AlertsRow,
    Prisma.sql`
      with logged as (select * from ${scored(projectId)} where l.deadline is not null),
      alert as (
        select distinct on (batch_id) batch_id, made_at, deadline, ended_at > deadline as was_true
        from logged where at_risk and made_at < deadline order by batch_id, made_at, id
      ),
      batch as (
        select l.batch_id, (array_agg(l.ended_at > l.deadline order by l.made_at desc, l.id desc))[1] as missed
        from logged l group by l.batch_id
      )
      select count(*)::int as batches, count(*) filter (where b.missed)::int as missed,
             count(*) filter (where b.missed and a.batch_id is not null)::int as warned,
             count(a.batch_id)::int as alerted, count(*) filter (where not a.was_true)::int as "falseAlerts",
             (percentile_cont(0.5) within group (order by extract(epoch from a.deadline - a.made_at))
                filter (where b.missed and a.was_true) / 3600)::float8 as "leadHours"
      from batch b left join alert a using (batch_id)`,
  );

const scored = (projectId: bigint | null): Prisma.Sql => Prisma.sql`(
  select * from forecast_log f
  where f.tenant_id = (select app.tenant_id()) and f.ended_at is not null
    and (${projectId}::bigint is null or f.project_id = ${projectId}::bigint)
  order by f.ended_at desc limit ${LOOKED_AT}) l`;
