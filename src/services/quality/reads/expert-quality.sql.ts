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
});
export type ScoreRow = z.infer<typeof Score>;

/** Scores as of the last day that the scope shows of each; to experts only days that are over. */
export const scoresOf = (db: Queryable, expertId: bigint) =>
  many(
    db,
    Score,
    Prisma.sql`
      select distinct on (skill_id, task_type_id) skill_id as "skillId", task_type_id as "taskTypeId", seen, mean, lower, upper, day
      from score_days where tenant_id = app.tenant_id() and expert_id = ${expertId}
      order by skill_id, task_type_id, day desc limit 200`,
  );

/** The last days of all scores of an expert. */
export const scoreHistory = (db: Queryable, expertId: bigint, limit: number) =>
  many(
    db,
    Score,
    Prisma.sql`
      select skill_id as "skillId", task_type_id as "taskTypeId", seen, mean, lower, upper, day
      from score_days where tenant_id = app.tenant_id() and expert_id = ${expertId}
      order by day desc, skill_id, task_type_id limit ${limit}`,
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

export const calibrationOf = (db: Queryable, expertId: bigint) =>
  maybeOne(
    db,
    Calibration,
    Prisma.sql`
      select pairs, stated, actual, error, use, day from calibration_days
      where tenant_id = app.tenant_id() and expert_id = ${expertId} order by day desc limit 1`,
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
 * that they were told of, and when they were told, whichever of their roles they ask in; to others when they were decided.
 */
export const noticesOf = (db: Queryable, expertId: bigint, limit: number) =>
  many(
    db,
    Notice,
    Prisma.sql`
      select n.skill_id as "skillId", n.phase, n.reason, case when (select app.scope_role()) = 'EXPERT' or n.expert_id = (select app.own_expert()) then w.shown_at else n.at end as at,
             coalesce((n.evidence ->> 'right')::float8, 0) as right,
             coalesce((n.evidence ->> 'of')::int, 0) as of, coalesce((n.evidence ->> 'probabilityBelow')::float8, 0) as "probabilityBelow"
      from standing_notices n
      left join shown_notices w on w.tenant_id = n.tenant_id and w.notice_id = n.id
      where n.tenant_id = app.tenant_id() and n.expert_id = ${expertId}
      order by 4 desc, n.id desc limit ${limit}`,
  );

/** Of each skill of some experts the figures at the end of the last day shown, else the vouched ones, else none known. */
export const shownQualities = (db: Queryable, expertIds: readonly bigint[]) =>
  many(
    db,
    z.object({ expertId: z.bigint(), skillId: z.bigint(), mean: z.number(), lower: z.number() }),
    Prisma.sql`
      select x.expert_id as "expertId", x.skill_id as "skillId", coalesce(d.mean, x.vouched_mean, 0.5) as mean,
             coalesce(d.lower, x.vouched_lower, 0) as lower
      from expert_skills x
      left join lateral (
        select s.mean, s.lower from score_days s
        where s.tenant_id = x.tenant_id and s.expert_id = x.expert_id and s.skill_id = x.skill_id and s.task_type_id = 0
        order by s.day desc limit 1
      ) d on true
      where x.tenant_id = app.tenant_id() and x.expert_id = any (${expertIds.map(String)}::bigint[])`,
  );
