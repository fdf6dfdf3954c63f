import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { one, type Queryable } from '../platform/rows.js';

/** What is counted, in the order in which work goes. */
export const ACTIVITY_KINDS = ['CLAIM', 'SUBMIT', 'GOLD_RESULT', 'PAYOUT', 'EXPIRY'] as const;

/** Into so many parts of equal length the time looked back over is cut. */
export const PARTS = 12;

/** At most so much is read: of how many projects, of each one's leases, and of payouts and results. */
const READ = { projects: 200, eventsEach: 1_000, rowsEach: 3_000, latest: 30 } as const;

const Kind = z.enum(ACTIVITY_KINDS);
// As text in JSON: 64 bits do not fit its numbers.
const Id = z.coerce.bigint();

const ActivityRow = z.object({
  now: z.date(),
  counts: z.array(z.object({ kind: Kind, part: z.int().min(0), count: z.int() })),
  right: z.int(),
  paid: z.array(z.object({ currency: z.string(), minor: Id })),
  latest: z.array(
    z.object({
      kind: Kind,
      at: z.coerce.date(),
      projectId: Id,
      expertId: Id,
      minor: Id.nullable(),
      currency: z.string().nullable(),
      isRight: z.boolean().nullable(),
    }),
  ),
});

export type ActivityRow = z.infer<typeof ActivityRow>;

// A stream's events are found by their numbers, payouts and results by their ids, the newest first: what time has passed over is not
// looked at, but for one event of each running project.
const leases = Prisma.sql`
  select case e.kind when 'LEASED' then 'CLAIM' when 'SUBMITTED' then 'SUBMIT' else 'EXPIRY' end as kind, e.created_at as at,
         p.id as project_id, (e.body->>'expertId')::bigint as expert_id,
         null::bigint as minor, null::text as currency, null::boolean as is_right
  from edge
  cross join (select p.tenant_id, p.id from projects p where p.tenant_id = app.tenant_id() and p.state = 'RUNNING'
              order by p.id desc limit ${READ.projects}) p
  join streams s on s.tenant_id = p.tenant_id and s.stream = 'lease/project/' || p.id
  cross join lateral (
    select x.created_at from stream_events x
    where x.tenant_id = s.tenant_id and x.stream = s.stream and x.epoch = s.epoch and x.seq is not null
    order by x.seq desc limit 1
  ) newest
  cross join lateral (
    select x.kind, x.created_at, x.body from stream_events x
    where x.tenant_id = s.tenant_id and x.stream = s.stream and x.epoch = s.epoch and x.seq is not null
    order by x.seq desc limit ${READ.eventsEach}
  ) e
  where newest.created_at >= edge.since and e.created_at >= edge.since and e.kind in ('LEASED', 'SUBMITTED', 'EXPIRED')`;

const payouts = Prisma.sql`
  select 'PAYOUT' as kind, p.created_at as at, p.project_id, p.expert_id, p.amount_minor, p.currency::text, null::boolean
  from edge cross join (select * from payouts x where x.tenant_id = app.tenant_id() order by x.id desc limit ${READ.rowsEach}) p
  where p.created_at >= edge.since`;

/** One result an answer, however many dimensions it has. */
const results = Prisma.sql`
  select 'GOLD_RESULT' as kind, max(g.graded_at), g.project_id, g.expert_id, null::bigint, null::text, bool_and(g.is_right)
  from edge cross join (select * from gradings x where x.tenant_id = app.tenant_id() order by x.id desc limit ${READ.rowsEach}) g
  where g.graded_at >= edge.since and g.kind = 'GOLD'
  group by g.assignment_id, g.project_id, g.expert_id`;

/** What happened in the last seconds, of the tenant in scope: counted by kind and part of the time, and the latest of it. */
export const activity = (
  db: Queryable,
  { seconds, withoutGold }: { seconds: number; withoutGold: boolean },
): Promise<ActivityRow> =>
  one(
    db,
    ActivityRow,
    Prisma.sql`
      with edge as materialized (select app.clock_now() as now, app.clock_now() - make_interval(secs => ${seconds}) as since),
      happened as materialized (
        ${leases} union all ${payouts} ${withoutGold ? Prisma.empty : Prisma.sql`union all ${results}`}
      )
      select edge.now,
        (select coalesce(jsonb_agg(jsonb_build_object('kind', c.kind, 'part', c.part, 'count', c.count)), '[]') from (
           select h.kind, count(*)::int as count,
                  greatest(0, least(${PARTS - 1}, floor(extract(epoch from h.at - edge.since) * ${PARTS} / ${seconds})))::int as part
           from happened h group by h.kind, part) c) as counts,
        (select count(*)::int from happened h where h.is_right) as "right",
        (select coalesce(jsonb_agg(jsonb_build_object('currency', s.currency, 'minor', s.minor::text)), '[]') from (
           select h.currency, sum(h.minor)::bigint as minor from happened h where h.kind = 'PAYOUT' group by h.currency order by 1) s) as paid,
        (select coalesce(jsonb_agg(jsonb_build_object('kind', l.kind, 'at', l.at, 'projectId', l.project_id::text,
             'expertId', l.expert_id::text, 'minor', l.minor::text, 'currency', l.currency, 'isRight', l.is_right)), '[]') from (
           select * from happened h order by h.at desc limit ${READ.latest}) l) as latest
      from edge`,
  );
