import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { type Database, withSystem } from '../platform/database.js';
import { many } from '../platform/rows.js';

const FiguresRow = z.object({
  tenant: z.string(),
  unassignedDueSoon: z.int(),
  missedWindows: z.int(),
  noShows: z.int(),
  expiredShare: z.number(),
  topShare: z.number(),
});
/** How dispatch goes in a tenant. */
export type DispatchFigures = z.infer<typeof FiguresRow>;

/**
 * Of tenants that have had offers or open jobs in the last day, at most a thousand: jobs that nobody has and that are due within half an
 * hour; windows of the last day in which nobody came; jobs to which nobody has come who said so; of the offers of the last hour, the
 * share that ended unanswered; of the jobs that were taken in the last week, the share of the tenth of the workers who took most.
 */
export const readDispatchFigures = (db: Database): Promise<DispatchFigures[]> =>
  withSystem(db, (tx) =>
    many(
      tx,
      FiguresRow,
      Prisma.sql`
        with recent as (
          select j.tenant_id,
            count(*) filter (where j.state in ('OPEN', 'OFFERED', 'UNASSIGNED_ALERT') and j.due_by between app.clock_now() and app.clock_now() + interval '30 minutes')::int as soon,
            count(*) filter (where j.due_by < app.clock_now() and coalesce(j.checked_in_at, app.clock_now()) > j.due_by and j.state <> 'CANCELLED')::int as missed,
            count(*) filter (where j.no_show_at is not null)::int as no_shows
          from jobs j where j.due_by > app.clock_now() - interval '1 day' group by j.tenant_id
        ), answered as (
          select o.tenant_id, avg((o.state = 'EXPIRED')::int)::float8 as expired
          from offers o where o.offered_at > app.clock_now() - interval '1 hour' and o.kind = 'AUTO' and o.state <> 'LIVE' group by o.tenant_id
        ), taken as (
          select o.tenant_id, o.expert_id, count(*) as jobs, ntile(10) over (partition by o.tenant_id order by count(*) desc) as tenth
          from offers o where o.accepted_at > app.clock_now() - interval '7 days' group by o.tenant_id, o.expert_id
        ), shares as (
          select w.tenant_id, (sum(w.jobs) filter (where w.tenth = 1) / sum(w.jobs))::float8 as top from taken w group by w.tenant_id
        )
        select t.slug as tenant, coalesce(r.soon, 0) as "unassignedDueSoon", coalesce(r.missed, 0) as "missedWindows",
               coalesce(r.no_shows, 0) as "noShows", coalesce(a.expired, 0) as "expiredShare", coalesce(s.top, 0) as "topShare"
        from recent r
        full join answered a on a.tenant_id = r.tenant_id
        full join shares s on s.tenant_id = coalesce(r.tenant_id, a.tenant_id)
        join tenants t on t.id = coalesce(r.tenant_id, a.tenant_id, s.tenant_id)
        order by 2 desc limit 1000`,
    ),
  );
