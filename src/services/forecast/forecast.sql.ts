import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable, run } from '../platform/rows.js';
import type { Left } from './capacity/left.js';
import { type StoredCapacity, StoredCapacityJson } from './capacity/stored.js';
import { columnsOf, type ProjectName } from './risk.sql.js';

/** The rate is that of the last hour, or since the batch was opened. */
const WINDOW_SECONDS = 3_600;
/** What an answer takes is seen by so many of the latest. */
const TIMED_MAX = 200;
/** And what it is believed to take where nothing was seen (as the measure of pools has it). */
const USUAL_SECONDS = 300;
/** The share of gold is the mean of so many experts’; this where nothing is known of them. */
const RATES_MAX = 50;
const GOLD_SHARE = 0.25;

// Counts stay far below 2^53; pg says int8 as text, Prisma as bigint.
const Count = z.coerce.number().pipe(z.int().min(0));
const Id = z.coerce.bigint();

const Tallied = z.tuple([z.string(), z.string(), z.number(), z.number(), z.number()]);

const DemandRow = z.object({
  tenantId: Id,
  batchId: Id,
  projectId: Id,
  customerId: Id,
  /** Answers wanted and not yet counted, over the open tasks. */
  remaining: Count,
  /** Answers that are in and count. */
  answers: Count,
  /** Since the batch was opened. */
  elapsedSeconds: z.number().min(0),
  /** Answers submitted within the window. */
  observed: Count,
  windowSeconds: z.number().positive(),
  deadline: z.date().nullable(),
  projectDeadline: z.date().nullable(),
  lastAnswerAt: z.date().nullable(),
  /** As last stored. */
  wasAtRisk: z.boolean(),
  wasRemaining: Count.nullable(),
  wasProbability: z.number().nullable(),
  /** When it was last seen done; null where it was not. */
  wasEndedAt: z.date().nullable(),
  /** Tasks by kind, state, what they want and what they have. */
  tally: z.array(Tallied),
  /** What a task may come to want at most, where that adapts. */
  adaptiveMost: z.int().nullable(),
  /** Of the latest answers: how many, their mean time and its standard deviation. */
  timed: Count,
  meanSeconds: z.number().nullable(),
  deviation: z.number().nullable(),
  usualSeconds: z.number(),
  /** Claims that came to nothing, of the latest. */
  lost: Count,
  goldShare: z.number(),
  now: z.date(),
});
export type Demand = z.infer<typeof DemandRow>;

/** What the forecasts of open batches are computed from: of running projects, or of some batches of such. */
export const demandOf = (
  db: Queryable,
  of: { projects: readonly ProjectName[] } | { projectId: bigint } | { batchIds: readonly bigint[] },
): Promise<Demand[]> =>
  many(
    db,
    DemandRow,
    Prisma.sql`
      select b.tenant_id as "tenantId", b.id as "batchId", b.project_id as "projectId", b.customer_id as "customerId",
             coalesce(b.deadline, p.deadline) as "deadline", p.deadline as "projectDeadline",
             w.remaining as "remaining", w.answers as "answers",
             greatest(0, extract(epoch from clock.now - b.stored_at))::float8 as "elapsedSeconds",
             (select count(*) from assignments a
              where a.tenant_id = b.tenant_id and a.batch_id = b.id
                and a.submitted_at > clock.now - make_interval(secs => ${WINDOW_SECONDS})) as "observed",
             (select max(a.submitted_at) from assignments a
              where a.tenant_id = b.tenant_id and a.batch_id = b.id and a.submitted_at is not null) as "lastAnswerAt",
             least(${WINDOW_SECONDS}, greatest(1, extract(epoch from clock.now - b.stored_at)))::float8 as "windowSeconds",
             coalesce(f.at_risk, false) as "wasAtRisk", f.remaining as "wasRemaining", f.probability_on_time as "wasProbability",
             f.ended_at as "wasEndedAt", w.tally, (p.redundancy_policy ->> 'max')::int as "adaptiveMost",
             s.timed, s.mean as "meanSeconds", s.deviation, coalesce(u.mean, k.seconds_per_answer, ${USUAL_SECONDS})::float8 as "usualSeconds",
             (select count(*) from (select from assignments a where a.tenant_id = b.tenant_id and a.project_id = b.project_id
                and a.state in ('EXPIRED', 'RELEASED') and a.batch_id = b.id limit ${TIMED_MAX}) l) as "lost",
             case when exists (select from gold_pools o where o.tenant_id = b.tenant_id and o.project_id = b.project_id)
               then coalesce((select avg(l.rate) from (select g.rate from gold_rates g
                              where g.tenant_id = b.tenant_id and g.skill_id = p.skill_id and g.task_type_id = p.task_type_id limit ${RATES_MAX}) l),
                             ${GOLD_SHARE})
               else 0 end::float8 as "goldShare",
             clock.now as "now"
      from (select app.clock_now()::timestamptz(3) as now) clock
      cross join batches b
      join projects p on p.tenant_id = b.tenant_id and p.id = b.project_id
      left join forecasts f on f.tenant_id = b.tenant_id and f.batch_id = b.id
      cross join lateral (
        select coalesce(sum((g.wanted - g.counted) * g.tasks) filter (where g.state = 'OPEN'), 0) as remaining,
               coalesce(sum(g.counted * g.tasks), 0) as answers,
               coalesce(json_agg(json_build_array(g.kind, g.state, g.wanted, g.counted, g.tasks)), '[]') as tally
        from (select t.kind, t.state, t.wanted, t.counted, count(*) as tasks from tasks t
              where t.tenant_id = b.tenant_id and t.batch_id = b.id group by t.kind, t.state, t.wanted, t.counted) g
      ) w
      cross join lateral (
        select count(*) as timed, avg(l.seconds)::float8 as mean, stddev_samp(l.seconds)::float8 as deviation
        from (select extract(epoch from a.submitted_at - a.leased_at) as seconds from assignments a
              where a.tenant_id = b.tenant_id and a.batch_id = b.id and a.submitted_at is not null
              order by a.submitted_at desc limit ${TIMED_MAX}) l
      ) s
      left join lateral (
        select avg(o.handling_seconds) as mean from forecasts o
        where o.tenant_id = b.tenant_id and o.project_id = b.project_id and o.batch_id <> b.id
      ) u on true
      left join skill_pools k on k.tenant_id = p.tenant_id and k.skill_id = p.skill_id
      where ${whose(of)} and b.state = 'OPEN' and p.state = 'RUNNING'
      order by b.id`,
  );

function whose(of: Parameters<typeof demandOf>[1]): Prisma.Sql {
  if ('batchIds' in of) {
    return Prisma.sql`b.tenant_id = (select app.tenant_id()) and b.id = any (${[...of.batchIds]}::bigint[])`;
  }
  if ('projects' in of) {
    const [tenantIds, projectIds] = columnsOf(of.projects);
    return Prisma.sql`(b.tenant_id, b.project_id) in (select * from unnest(${tenantIds}::bigint[], ${projectIds}::bigint[]))`;
  }
  return Prisma.sql`b.tenant_id = (select app.tenant_id()) and b.project_id = ${of.projectId}`;
}

const StoredForecastRow = z.object({
  batchId: Id,
  remaining: Count,
  /** Finished batches that it was learned from. */
  finished: z.int(),
  /** Quantiles at .05, .10, … .95 from `computedAt`; null while nothing could be said. */
  seconds: z.array(z.number()).nullable(),
  answersPerHour: z.number(),
  expectedDoneAt: z.date().nullable(),
  deadline: z.date().nullable(),
  probabilityOnTime: z.number().nullable(),
  atRisk: z.boolean(),
  /** What it hangs on; null where nothing is known of when experts work. */
  capacity: StoredCapacityJson.nullable(),
  computedAt: z.date(),
});
export type StoredForecast = z.infer<typeof StoredForecastRow>;

const storedColumns = Prisma.sql`
  f.batch_id as "batchId", f.remaining, f.finished, f.seconds, f.answers_per_hour as "answersPerHour", f.expected_done_at as "expectedDoneAt",
  f.deadline, f.probability_on_time as "probabilityOnTime", f.at_risk as "atRisk", f.capacity, f.computed_at as "computedAt"`;

/** Forecasts of open batches that were stored lately, and that the scope may see. */
export const storedForecasts = (
  db: Queryable,
  { batchIds, maxAgeSeconds }: { batchIds: readonly bigint[]; maxAgeSeconds: number },
): Promise<StoredForecast[]> =>
  many(
    db,
    StoredForecastRow,
    Prisma.sql`
      select ${storedColumns}
      from forecasts f
      join batches b on b.tenant_id = f.tenant_id and b.id = f.batch_id
      join projects p on p.tenant_id = f.tenant_id and p.id = f.project_id
      where f.tenant_id = (select app.tenant_id()) and f.batch_id = any (${[...batchIds]}::bigint[])
        and b.state = 'OPEN' and p.state = 'RUNNING'
        and f.computed_at > app.clock_now() - make_interval(secs => ${maxAgeSeconds})`,
  );

/** The state of risk of a project, as last judged: its batches that have a forecast and that the scope may see. */
export const projectRisks = (db: Queryable, projectId: bigint): Promise<StoredForecast[]> =>
  many(
    db,
    StoredForecastRow,
    Prisma.sql`
      select ${storedColumns} from forecasts f
      where f.tenant_id = (select app.tenant_id()) and f.project_id = ${projectId}
      order by f.batch_id`,
  );

/** What a forecast of a batch comes to. */
export type Judged = Demand &
  Pick<
    StoredForecast,
    'answersPerHour' | 'expectedDoneAt' | 'probabilityOnTime' | 'atRisk' | 'finished' | 'seconds'
  > & {
    readonly left: Left;
    readonly capacity: StoredCapacity | null;
  };

/** Stores what was computed for some batches; one with nothing left ended with its last answer. */
export const storeForecasts = (db: Queryable, judged: readonly Judged[]): Promise<void> =>
  run(
    db,
    Prisma.sql`
      insert into forecasts as f (tenant_id, batch_id, project_id, customer_id, computed_at, remaining, answers, answers_per_hour,
                                  expected_done_at, deadline, probability_on_time, at_risk, seconds, finished, work_seconds, work_spread,
                                  open_tasks, handling_seconds, capacity, ended_at)
      select j."tenantId", j."batchId", j."projectId", j."customerId", j.now, j.remaining, j.answers, j."answersPerHour",
             j."expectedDoneAt", j.deadline, j."probabilityOnTime", j."atRisk", j.seconds, j.finished,
             (j."left" ->> 'seconds')::float8, (j."left" ->> 'spread')::float8, (j."left" ->> 'items')::bigint,
             (j."left" ->> 'handlingSeconds')::float8, j.capacity,
             case when j.remaining = 0 and j.answers > 0 then j."lastAnswerAt" end
      from jsonb_to_recordset(${jsonOf(judged)}::jsonb) as j("tenantId" bigint, "batchId" bigint, "projectId" bigint,
        "customerId" bigint, now timestamptz, remaining bigint, answers bigint, "answersPerHour" float8, "expectedDoneAt" timestamptz,
        deadline timestamptz, "probabilityOnTime" float8, "atRisk" boolean, seconds float8[], finished smallint,
        "left" jsonb, capacity jsonb, "lastAnswerAt" timestamptz)
      on conflict (tenant_id, batch_id) do update set
        computed_at = excluded.computed_at, remaining = excluded.remaining, answers = excluded.answers,
        answers_per_hour = excluded.answers_per_hour, expected_done_at = excluded.expected_done_at, deadline = excluded.deadline,
        probability_on_time = excluded.probability_on_time, at_risk = excluded.at_risk, seconds = excluded.seconds,
        finished = excluded.finished, work_seconds = excluded.work_seconds, work_spread = excluded.work_spread,
        open_tasks = excluded.open_tasks, handling_seconds = excluded.handling_seconds, capacity = excluded.capacity,
        ended_at = excluded.ended_at`,
  );

/** Rows as JSON; ids as text. */
export const jsonOf = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
