import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, type Queryable } from '../../platform/rows.js';

const Score = z.object({
  skillId: z.bigint(),
  taskTypeId: z.bigint(),
  seen: z.int(),
  mean: z.number(),
  lower: z.number(),
  upper: z.number(),
  day: z.date(),
  /** Of a day's score its beginning; of a state that was shown the instant as of which it is: after that, and by the day's end. */
  at: z.date(),
});
export type ScoreRow = z.infer<typeof Score>;

/** Whether what is asked of an expert is asked by themselves, whichever of their roles they ask in. */
const isOwn = (expertId: Prisma.Sql) =>
  Prisma.sql`((select app.scope_role()) = 'EXPERT' or ${expertId} is not distinct from (select app.own_expert()))`;

/** The UTC day that a state shown at an instant is of: of the end of a day, that day. */
const dayOf = Prisma.sql`((s.as_of - interval '1 ms') at time zone 'UTC')::date`;

/** To staff each day's scores; to experts the states that they were shown, of skills as a whole. */
const days = (expertId: bigint) => Prisma.sql`(
  select d.skill_id, d.task_type_id, d.seen, d.mean, d.lower, d.upper, d.day::timestamp at time zone 'UTC' as day,
         d.day::timestamp at time zone 'UTC' as at
  from score_days d where d.tenant_id = app.tenant_id() and d.expert_id = ${expertId}
  union all
  select s.skill_id, 0, s.seen, s.mean, s.lower, s.upper, ${dayOf}::timestamp at time zone 'UTC', s.as_of
  from shown_scores s where s.tenant_id = app.tenant_id() and s.expert_id = ${expertId} and ${isOwn(Prisma.sql`s.expert_id`)}
)`;

/** The last state of each score that the asker sees. */
export const scoresOf = (db: Queryable, expertId: bigint) =>
  many(
    db,
    Score,
    Prisma.sql`
      select distinct on (skill_id, task_type_id) skill_id as "skillId", task_type_id as "taskTypeId", seen, mean, lower, upper, day, at
      from ${days(expertId)} x order by skill_id, task_type_id, day desc, at desc limit 200`,
  );

/** One row of an expert's history, and no other: of a day a skill has its score, and to the expert all the states that they were shown. */
export type ScoreKey = Pick<ScoreRow, 'day' | 'skillId' | 'taskTypeId' | 'at'>;

/** The days of all scores of an expert, the latest first, behind one of them or from the last. */
export const scoreHistory = (
  db: Queryable,
  expertId: bigint,
  { take, after }: { take: number; after: ScoreKey | null },
) =>
  many(
    db,
    Score,
    Prisma.sql`
      select skill_id as "skillId", task_type_id as "taskTypeId", seen, mean, lower, upper, day, at
      from ${days(expertId)} x
      where ${after === null}
        or x.day < ${after?.day ?? null}::timestamptz
        or x.day = ${after?.day ?? null}::timestamptz and (
          (x.skill_id, x.task_type_id) > (${after?.skillId ?? null}::bigint, ${after?.taskTypeId ?? null}::bigint)
          or (x.skill_id, x.task_type_id) = (${after?.skillId ?? null}::bigint, ${after?.taskTypeId ?? null}::bigint)
             and x.at < ${after?.at ?? null}::timestamptz)
      order by day desc, skill_id, task_type_id, at desc limit ${take}`,
  );

const Calibration = z.object({
  pairs: z.int(),
  stated: z.number(),
  actual: z.number(),
  error: z.number(),
  use: z.enum(['USABLE', 'TOO_FEW', 'SAYS_NOTHING']),
  day: z.date(),
});
export type CalibrationRow = z.infer<typeof Calibration>;

/** The last state of it that the asker sees; what experts are shown was stated on all of their answers. */
export const calibrationOf = (db: Queryable, expertId: bigint) =>
  maybeOne(
    db,
    Calibration,
    Prisma.sql`
      select pairs, round(stated::numeric, 6)::float8 as stated, round(actual::numeric, 6)::float8 as actual,
             round(error::numeric, 6)::float8 as error, use, day from (
        select d.*, d.day::timestamp at time zone 'UTC' as at from calibration_days d where d.tenant_id = app.tenant_id() and d.expert_id = ${expertId}
        union all
        select s.tenant_id, s.expert_id, ${dayOf}, s.pairs, s.stated, s.actual, s.error, s.use, s.as_of
        from shown_calibrations s where s.tenant_id = app.tenant_id() and s.expert_id = ${expertId} and ${isOwn(Prisma.sql`s.expert_id`)}
      ) x order by at desc limit 1`,
  );

const phase = z.enum(['CLEAR', 'WARNED', 'PAUSED', 'RETEST']);

const Standing = z.object({
  skillId: z.bigint(),
  phase,
  reason: z.string().nullable(),
  since: z.date().nullable(),
  retestFrom: z.date().nullable(),
  inEffect: z.boolean(),
});
export type StandingRow = z.infer<typeof Standing>;

/** Standings as they were decided; to experts, whose scope shows none of those, as they are in effect. */
export const standingsOf = (db: Queryable, expertId: bigint) =>
  many(
    db,
    Standing,
    Prisma.sql`
      select skill_id as "skillId", coalesce(s.phase, w.phase) as phase, case when s.phase is null then w.reason else s.reason end as reason,
             case when s.phase is null or (s.phase, s.reason) is not distinct from (w.phase, w.reason) then w.since else s.since end as since,
             case when s.phase is null or (s.phase, s.reason) is not distinct from (w.phase, w.reason) then w.retest_from else s.retest_from end
               as "retestFrom",
             s.phase is null or (s.phase, s.reason) is not distinct from (coalesce(w.phase, 'CLEAR'), w.reason) as "inEffect"
      from (select * from standings where tenant_id = app.tenant_id() and expert_id = ${expertId}) s
      full join (select * from shown_standings where tenant_id = app.tenant_id() and expert_id = ${expertId}) w using (skill_id)
      order by skill_id limit 200`,
  );

const Notice = z.object({
  skillId: z.bigint(),
  phase,
  reason: z.string(),
  at: z.date(),
  right: z.number(),
  of: z.int(),
  probabilityBelow: z.number(),
});
export type NoticeRow = z.infer<typeof Notice>;

/**
 * Changes of standing, the latest first, with what they rested on: not which answers, for that would tell gold. To experts those
 * that they were told of, when they were told, and with the last results of the state that they were shown then; to others as decided.
 */
export const noticesOf = (db: Queryable, expertId: bigint, limit: number) =>
  many(
    db,
    Notice,
    Prisma.sql`
      select n.skill_id as "skillId", n.phase, n.reason, case when o.own then w.shown_at else n.at end as at,
             coalesce(case when o.own then s.last_right else (n.evidence ->> 'right')::float8 end, 0) as right,
             coalesce(case when o.own then s.last_of else (n.evidence ->> 'of')::int end, 0) as of,
             coalesce(case when o.own then s.probability_below else (n.evidence ->> 'probabilityBelow')::float8 end, 0) as "probabilityBelow"
      from standing_notices n
      cross join lateral (select ${isOwn(Prisma.sql`n.expert_id`)} as own) o
      left join shown_notices w on w.tenant_id = n.tenant_id and w.notice_id = n.id
      left join lateral (
        select * from shown_scores c
        where o.own and c.tenant_id = n.tenant_id and c.expert_id = n.expert_id and c.skill_id = n.skill_id and c.as_of <= w.shown_at
        order by c.as_of desc limit 1
      ) s on true
      where n.tenant_id = app.tenant_id() and n.expert_id = ${expertId}
      order by 4 desc, n.id desc limit ${limit}`,
  );

/** Of each skill of some experts the figures of the last state that the asker sees, else the vouched ones, else none known. */
export const shownQualities = (db: Queryable, expertIds: readonly bigint[]) =>
  many(
    db,
    z.object({ expertId: z.bigint(), skillId: z.bigint(), mean: z.number(), lower: z.number() }),
    Prisma.sql`
      select x.expert_id as "expertId", x.skill_id as "skillId", coalesce(w.mean, d.mean, x.vouched_mean, 0.5) as mean,
             coalesce(w.lower, d.lower, x.vouched_lower, 0) as lower
      from expert_skills x
      left join lateral (
        select s.mean, s.lower from shown_scores s
        where ${isOwn(Prisma.sql`x.expert_id`)} and s.tenant_id = x.tenant_id and s.expert_id = x.expert_id and s.skill_id = x.skill_id
        order by s.as_of desc limit 1
      ) w on true
      left join lateral (
        select s.mean, s.lower from score_days s
        where s.tenant_id = x.tenant_id and s.expert_id = x.expert_id and s.skill_id = x.skill_id and s.task_type_id = 0
        order by s.day desc limit 1
      ) d on true
      where x.tenant_id = app.tenant_id() and x.expert_id = any (${expertIds.map(String)}::bigint[])`,
  );

/** Skills of whose work every bar is above what claims take an expert for, in every task type, as is in effect; none in which they are paused. */
export const skillsBelowBars = (db: Queryable, expertId: bigint) =>
  many(
    db,
    z.object({ skillId: z.bigint() }),
    Prisma.sql`
      select s.skill_id as "skillId" from expert_skills s
      join skills k on k.tenant_id = s.tenant_id and k.id = s.skill_id and s.taken_for < k.least_bar and not k.least_bar <= any (s.type_gates)
      where s.tenant_id = app.tenant_id() and s.expert_id = ${expertId} and s.status <> 'PAUSED'
      order by s.skill_id limit 200`,
  );

const HumanPause = z.object({
  skillId: z.bigint().nullable(),
  reason: z.string(),
  isFraud: z.boolean(),
  pausedAt: z.date(),
  resumedAt: z.date().nullable(),
  resumeReason: z.string().nullable(),
});
export type HumanPauseRow = z.infer<typeof HumanPause>;

/** Pauses that humans set or took back, the latest first; experts those whose reason is for them. */
export const humanPausesOf = (db: Queryable, expertId: bigint, limit: number) =>
  many(
    db,
    HumanPause,
    Prisma.sql`
      select p.skill_id as "skillId", p.reason, p.withdrew as "isFraud", p.paused_at as "pausedAt", p.resumed_at as "resumedAt",
             p.resume_reason as "resumeReason"
      from pauses p
      where p.tenant_id = app.tenant_id() and p.expert_id = ${expertId}
        and (p.paused_by is not null or p.resume_reason is not null)
        and (p.told or not ${isOwn(Prisma.sql`p.expert_id`)})
      order by p.id desc limit ${limit}`,
  );
