import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable, run } from '../platform/rows.js';
import type { Left } from './capacity/left.js';
import { type StoredCapacity, StoredCapacityJson } from './capacity/stored.js';
import { columnsOf, type ProjectName } from './risk.sql.js';
import { type Told, ToldJson } from './told.js';

/** The rate is that of the last hour, or since the batch was opened. */
export const WINDOW_SECONDS = 3_600;
/** As far as it has no more answers than these: else it is the rate of the latest so many. */
export const OBSERVED_MAX = 2_000;
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
  /** Answers submitted within the window; the window is what that many took. */
  observed: Count,
  windowSeconds: z.number().positive(),
  /** None of what was done by it and goes on since it has passed: what is asked for then was not asked for by then. */
  deadline: z.date().nullable(),
  projectDeadline: z.date().nullable(),
  lastAnswerAt: z.date().nullable(),
  /** As last stored. */
  wasAtRisk: z.boolean(),
  /** What subscribers were last told; null where they were not. */
  told: ToldJson.nullable(),
  /** When it was first done, as last stored; null where it was not. */
  wasFirstEndedAt: z.date().nullable(),
  /** Tasks by kind, state, what they want and what they have. */
  tally: z.array(Tallied),
  /** What a task may come to want at most, where that adapts. */
  adaptiveMost: z.int().nullable(),
  /** Of the latest answers: how many, their mean time and its standard deviation. */
  timed: Count,
  meanSeconds: z.number().nullable(),
  deviation: z.number().nullable(),
  usualSeconds: z.number(),
  isUsualMeasured: z.boolean(),
  /** Claims that came to nothing since the first of the latest answers. */
  lost: Count,
  goldShare: z.number(),
  /** How often something of it has been folded; 0 where it does not count as open. */
  moves: Count,
  now: z.date(),
});
export type Demand = z.infer<typeof DemandRow>;

/** Other batches of a project that are asked what an answer took. */
const OTHERS_MAX = 20;
/** With so many answers together they have measured it; until then what they believe is no better than what is believed of the skill. */
const MEASURED_ANSWERS = 30;

/**
 * What forecasts are computed from: of batches of running projects of which something is open (or was until now), or of some batches
 * of such. Tasks are not counted: their numbers are kept (app.fold_tasks), and what has changed since is added.
 */
export const demandOf = (
  db: Queryable,
  of: { projects: readonly ProjectName[] } | { projectId: bigint } | { batchIds: readonly bigint[] },
): Promise<Demand[]> =>
  many(
    db,
    DemandRow,
    Prisma.sql`
      select b.tenant_id as "tenantId", b.id as "batchId", b.project_id as "projectId", b.customer_id as "customerId",
             case when d.was_made then null else d.deadline end as "deadline", p.deadline as "projectDeadline",
             w.remaining as "remaining", w.answers as "answers",
             greatest(0, extract(epoch from clock.now - b.stored_at))::float8 as "elapsedSeconds",
             l.observed, s.last as "lastAnswerAt",
             least(extract(epoch from clock.now - case when l.observed = ${OBSERVED_MAX} then l.since end),
                   ${WINDOW_SECONDS}, greatest(1, extract(epoch from clock.now - b.stored_at)))::float8 as "windowSeconds",
             coalesce(f.at_risk, false) as "wasAtRisk", f.told,
             f.first_ended_at as "wasFirstEndedAt", w.tally, (p.redundancy_policy ->> 'max')::int as "adaptiveMost",
             s.timed, s.mean as "meanSeconds", s.deviation, coalesce(u.mean, k.seconds_per_answer, ${USUAL_SECONDS})::float8 as "usualSeconds",
             coalesce(u.measured, false) as "isUsualMeasured",
             (select count(*) from (select from assignments a
                where a.tenant_id = b.tenant_id and a.batch_id = b.id and a.state in ('EXPIRED', 'RELEASED')
                  and a.ended_at >= coalesce(s.since, b.stored_at) limit ${TIMED_MAX}) l) as "lost",
             case when exists (select from gold_pools o where o.tenant_id = b.tenant_id and o.project_id = b.project_id)
               then coalesce((select avg(l.rate) from (select g.rate from gold_rates g
                              where g.tenant_id = b.tenant_id and g.skill_id = p.skill_id and g.task_type_id = p.task_type_id limit ${RATES_MAX}) l),
                             ${GOLD_SHARE})
               else 0 end::float8 as "goldShare",
             coalesce(o.moves, 0) as moves, clock.now as "now"
      from (select app.clock_now()::timestamptz(3) as now) clock
      cross join ${source(of)}
      join projects p on p.tenant_id = b.tenant_id and p.id = b.project_id
      left join forecasts f on f.tenant_id = b.tenant_id and f.batch_id = b.id
      cross join lateral (
        select coalesce(sum((g.wanted - g.counted) * g.tasks) filter (where g.state = 'OPEN'), 0) as remaining,
               coalesce(sum(g.counted * g.tasks), 0) as answers,
               coalesce(json_agg(json_build_array(g.kind, g.state, g.wanted, g.counted, g.tasks)), '[]') as tally
        from (select n.kind, n.state, n.wanted, n.counted, sum(n.tasks) as tasks from (
                select y.kind, y.state, y.wanted, y.counted, y.tasks from task_tallies y
                where y.tenant_id = b.tenant_id and y.project_id = b.project_id and y.batch_id = b.id
                union all
                select d.kind, d.state, d.wanted, d.counted, d.tasks from task_deltas d
                where d.tenant_id = b.tenant_id and d.project_id = b.project_id and d.batch_id = b.id) n
              group by 1, 2, 3, 4 having sum(n.tasks) <> 0) g
      ) w
      cross join lateral (
        select count(*) as observed, min(n.at) as since
        from (select a.submitted_at as at from assignments a
              where a.tenant_id = b.tenant_id and a.batch_id = b.id and a.submitted_at is not null
                and a.submitted_at > clock.now - make_interval(secs => ${WINDOW_SECONDS})
              order by a.submitted_at desc limit ${OBSERVED_MAX}) n
      ) l
      cross join lateral (
        select count(*) as timed, avg(n.seconds)::float8 as mean, stddev_samp(n.seconds)::float8 as deviation, min(n.at) as since, max(n.at) as last
        from (select extract(epoch from a.submitted_at - a.leased_at) as seconds, a.submitted_at as at from assignments a
              where a.tenant_id = b.tenant_id and a.batch_id = b.id and a.submitted_at is not null
              order by a.submitted_at desc limit ${TIMED_MAX}) n
      ) s
      cross join lateral (
        select n.deadline, coalesce(f.first_ended_at <= n.deadline and n.deadline <
                 case when f.ended_at is not null and (w.remaining > 0 or s.last is distinct from f.ended_at) then clock.now else f.reopened_at end,
                 false) as was_made
        from (select coalesce(b.deadline, p.deadline) as deadline) n
      ) d
      left join lateral (
        select case when sum(n.weight) >= ${MEASURED_ANSWERS} then sum(n.handling_seconds * n.weight) / sum(n.weight) else avg(n.handling_seconds) end as mean,
               sum(n.weight) >= ${MEASURED_ANSWERS} as measured from (
          (select e.handling_seconds, least(e.answers, ${TIMED_MAX}) as weight from forecasts e
           where e.tenant_id = b.tenant_id and e.project_id = b.project_id and e.ended_at is not null and e.handling_seconds is not null and e.batch_id <> b.id
           order by e.ended_at desc limit ${OTHERS_MAX})
          union all
          (select e.handling_seconds, least(e.answers, ${TIMED_MAX}) from open_batches n
           join forecasts e on e.tenant_id = n.tenant_id and e.batch_id = n.batch_id and e.ended_at is null and e.handling_seconds is not null
           where n.tenant_id = b.tenant_id and n.project_id = b.project_id and n.batch_id <> b.id order by n.batch_id limit ${OTHERS_MAX})) n
      ) u on true
      left join skill_pools k on k.tenant_id = p.tenant_id and k.skill_id = p.skill_id
      where b.state = 'OPEN' and p.state = 'RUNNING'
      order by b.id`,
  );

/** Batches b, with what is known of their being open as o. */
function source(of: Parameters<typeof demandOf>[1]): Prisma.Sql {
  const isBatch = Prisma.sql`b.tenant_id = o.tenant_id and b.id = o.batch_id`;
  if ('batchIds' in of) {
    return Prisma.sql`
      (select n.* from batches n where n.tenant_id = (select app.tenant_id()) and n.id = any (${[...of.batchIds]}::bigint[])) b
      left join open_batches o on o.project_id = b.project_id and ${isBatch}`;
  }
  if ('projects' in of) {
    const [tenantIds, projectIds] = columnsOf(of.projects);
    return Prisma.sql`
      unnest(${tenantIds}::bigint[], ${projectIds}::bigint[]) as j(tenant_id, project_id)
      join open_batches o on o.tenant_id = j.tenant_id and o.project_id = j.project_id join batches b on ${isBatch}`;
  }
  // What nobody has folded yet is there as well.
  const isOwn = Prisma.sql`n.tenant_id = (select app.tenant_id()) and n.project_id = ${of.projectId}`;
  return Prisma.sql`
    (select n.tenant_id, n.batch_id, max(n.moves) as moves from (
       select n.tenant_id, n.batch_id, n.moves from open_batches n where ${isOwn}
       union all select n.tenant_id, n.batch_id, 0 from task_deltas n where ${isOwn}) n group by 1, 2) o
    join batches b on ${isBatch}`;
}

const StoredForecastRow = z.object({
  batchId: Id,
  remaining: Count,
  /** Finished batches that it was learned from. */
  finished: z.int(),
  /** What it was said to be worth; null in what was stored before. */
  confidence: z.enum(['LOW', 'MEDIUM', 'HIGH']).nullable(),
  /** Quantiles at .05, .10, … .95 from `computedAt`; null while nothing could be said. */
  seconds: z.array(z.number()).nullable(),
  answersPerHour: z.number(),
  /** What that was seen by; null in what was stored before. */
  observed: Count.nullable(),
  windowSeconds: z.number().nullable(),
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
  f.batch_id as "batchId", f.remaining, f.finished, f.confidence, f.seconds, f.answers_per_hour as "answersPerHour",
  f.observed, f.window_seconds as "windowSeconds", f.expected_done_at as "expectedDoneAt",
  f.deadline, f.probability_on_time as "probabilityOnTime", f.at_risk as "atRisk", f.capacity, f.computed_at as "computedAt"`;

/** Forecasts of open batches that were stored lately, or when they were done, and that the scope may see. */
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
        and (f.remaining = 0 or f.computed_at > app.clock_now() - make_interval(secs => ${maxAgeSeconds}))`,
  );

/** What a forecast of a batch comes to. */
export type Judged = Demand &
  Pick<
    StoredForecast,
    | 'answersPerHour'
    | 'expectedDoneAt'
    | 'probabilityOnTime'
    | 'atRisk'
    | 'finished'
    | 'seconds'
    | 'confidence'
  > & {
    readonly left: Left;
    readonly capacity: StoredCapacity | null;
    /** What subscribers are told with it; null where they are not. */
    readonly news: Told | null;
  };

const EndRow = z.object({ batchId: Id, firstEndedAt: z.date().nullable() });
type EndRow = z.infer<typeof EndRow>;

/** Stores what was computed for some batches; one with nothing left ended with its last answer. Returns when each was first done. */
export const storeForecasts = (db: Queryable, judged: readonly Judged[]): Promise<EndRow[]> =>
  many(
    db,
    EndRow,
    Prisma.sql`
      insert into forecasts as f (tenant_id, batch_id, project_id, customer_id, computed_at, remaining, answers, answers_per_hour,
                                  expected_done_at, deadline, probability_on_time, at_risk, seconds, finished, work_seconds, work_spread,
                                  open_tasks, handling_seconds, adjudication_seconds, adjudications, capacity, told, observed, window_seconds, confidence, ended_at)
      select j."tenantId", j."batchId", j."projectId", j."customerId", j.now, j.remaining, j.answers, j."answersPerHour",
             j."expectedDoneAt", j.deadline, j."probabilityOnTime", j."atRisk", j.seconds, j.finished,
             (j."left" ->> 'seconds')::float8, (j."left" ->> 'spread')::float8, (j."left" ->> 'items')::bigint,
             (j."left" ->> 'handlingSeconds')::float8, (j."left" #>> '{adjudication,seconds}')::float8,
             (j."left" #>> '{adjudication,items}')::bigint, j.capacity, j.news, j.observed, j."windowSeconds", j.confidence,
             case when j.remaining = 0 and j.answers > 0 then j."lastAnswerAt" end
      from jsonb_to_recordset(${jsonOf(judged)}::jsonb) as j("tenantId" bigint, "batchId" bigint, "projectId" bigint,
        "customerId" bigint, now timestamptz, remaining bigint, answers bigint, "answersPerHour" float8, "expectedDoneAt" timestamptz,
        deadline timestamptz, "probabilityOnTime" float8, "atRisk" boolean, seconds float8[], finished smallint,
        "left" jsonb, capacity jsonb, news jsonb, observed bigint, "windowSeconds" float8, confidence text, "lastAnswerAt" timestamptz)
      on conflict (tenant_id, batch_id) do update set
        computed_at = excluded.computed_at, remaining = excluded.remaining, answers = excluded.answers,
        answers_per_hour = excluded.answers_per_hour, expected_done_at = excluded.expected_done_at, deadline = excluded.deadline,
        probability_on_time = excluded.probability_on_time, at_risk = excluded.at_risk, seconds = excluded.seconds,
        finished = excluded.finished, work_seconds = excluded.work_seconds, work_spread = excluded.work_spread,
        open_tasks = excluded.open_tasks, handling_seconds = excluded.handling_seconds,
        adjudication_seconds = excluded.adjudication_seconds, adjudications = excluded.adjudications, capacity = excluded.capacity,
        told = coalesce(excluded.told, f.told), observed = excluded.observed, window_seconds = excluded.window_seconds, confidence = excluded.confidence, ended_at = excluded.ended_at
      returning f.batch_id as "batchId", f.first_ended_at as "firstEndedAt"`,
  );

/** Takes what has changed of tasks into what is kept of them; returns how much. At most one at a time: 0 where another does. */
export const foldTasks = async (db: Queryable, rows: number): Promise<number> =>
  (await one(db, z.object({ folded: z.int() }), Prisma.sql`select app.fold_tasks(${rows}::int) as folded`))
    .folded;

/** Batches that were done when they were forecast are not looked at again until something of them moves; who folds takes them in this order too. */
export const closeDone = (db: Queryable, judged: readonly Judged[]): Promise<void> =>
  run(
    db,
    Prisma.sql`
      with done as materialized (
        select o.tenant_id, o.project_id, o.batch_id
        from jsonb_to_recordset(${jsonOf(judged)}::jsonb) as j("tenantId" bigint, "projectId" bigint, "batchId" bigint, moves bigint)
        join open_batches o on o.tenant_id = j."tenantId" and o.project_id = j."projectId" and o.batch_id = j."batchId" and o.moves = j.moves
        order by 1, 2, 3 for update of o skip locked
      )
      delete from open_batches o using done d
      where o.tenant_id = d.tenant_id and o.project_id = d.project_id and o.batch_id = d.batch_id`,
  );

/** Rows as JSON; ids as text. */
export const jsonOf = (rows: readonly object[]): string =>
  JSON.stringify(rows, (_key, value) => (typeof value === 'bigint' ? String(value) : value));
