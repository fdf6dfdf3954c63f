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
});
export type StandingRow = z.infer<typeof Standing>;

export const standingsOf = (db: Queryable, expertId: bigint) =>
  many(
    db,
    Standing,
    Prisma.sql`
      select skill_id as "skillId", phase, reason, since, retest_from as "retestFrom" from standings
      where tenant_id = app.tenant_id() and expert_id = ${expertId} order by skill_id limit 200`,
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

/** What an expert was told, the latest first, with what it rested on: not which answers, for that would tell gold. */
export const noticesOf = (db: Queryable, expertId: bigint, limit: number) =>
  many(
    db,
    Notice,
    Prisma.sql`
      select skill_id as "skillId", phase, reason, at, coalesce((evidence ->> 'right')::float8, 0) as right,
             coalesce((evidence ->> 'of')::int, 0) as of, coalesce((evidence ->> 'probabilityBelow')::float8, 0) as "probabilityBelow"
      from standing_notices where tenant_id = app.tenant_id() and expert_id = ${expertId}
      order by at desc, id desc limit ${limit}`,
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
