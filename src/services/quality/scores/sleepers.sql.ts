import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable, run } from '../../platform/rows.js';
import type { Pair } from './keep.sql.js';

/** Who has asked for no work for so many days, and was given none, sleeps: they are woken when they are refused some, or are given some (of another type or skill). */
const AWAKE_DAYS = 8;

/** Whether the last lease of an expert is of these days. */
const isAtWork = (tenant: Prisma.Sql, expert: Prisma.Sql) => Prisma.sql`coalesce((
  select a.leased_at > app.clock_now() - make_interval(days => ${AWAKE_DAYS}) from assignments a
  where a.tenant_id = ${tenant} and a.expert_id = ${expert} order by a.id desc limit 1), false)`;

/**
 * Makes newcomers due who have no door yet, and whoever is to be tried at a bar again and asks for work, or does some: at most so many of
 * each. The others fall asleep, which is written once.
 */
export const noteNewcomers = (db: Queryable, limit: number) =>
  many(
    db,
    z.object({ expertId: z.bigint() }),
    Prisma.sql`
      with trying as (
        update expert_skills s
        set try_at = case when d.is_awake then null else s.try_at end,
            try_due = d.is_awake, asleep = not d.is_awake, asked_at = coalesce(s.asked_at, app.clock_now())
        from (select x.tenant_id, x.expert_id, x.skill_id,
                     coalesce(x.asked_at > app.clock_now() - make_interval(days => ${AWAKE_DAYS}), true)
                       or ${isAtWork(Prisma.sql`x.tenant_id`, Prisma.sql`x.expert_id`)} as is_awake
              from expert_skills x where x.try_at <= app.clock_now() and not x.asleep
              order by x.try_at limit ${limit} for no key update of x skip locked) d
        where s.tenant_id = d.tenant_id and s.expert_id = d.expert_id and s.skill_id = d.skill_id
        returning s.tenant_id, s.expert_id, s.skill_id, d.is_awake
      ), first as (
        select s.tenant_id, s.expert_id, s.skill_id from expert_skills s
        where s.status = 'PROBATION' and s.door_at is null
          and not exists (select from grading_dues d where d.tenant_id = s.tenant_id and d.expert_id = s.expert_id and d.skill_id = s.skill_id)
        limit ${limit}
      )
      insert into grading_dues (tenant_id, expert_id, skill_id)
      select tenant_id, expert_id, skill_id from trying where is_awake union select * from first
      returning expert_id as "expertId"`,
  );

const SleeperRow = z.object({
  tenantId: z.bigint(),
  expertId: z.bigint(),
  skillId: z.bigint(),
  isAtWork: z.boolean(),
});

/** Sleepers after one, at most so many, and whether they were given something of late. Nothing is written of them. */
export const sleepersAfter = (db: Queryable, after: Pair, limit: number) =>
  many(
    db,
    SleeperRow,
    Prisma.sql`
      select x.tenant_id as "tenantId", x.expert_id as "expertId", x.skill_id as "skillId",
             ${isAtWork(Prisma.sql`x.tenant_id`, Prisma.sql`x.expert_id`)} as "isAtWork"
      from expert_skills x
      where x.asleep and x.try_at is not null
        and (x.tenant_id, x.expert_id, x.skill_id) > (${after.tenantId}, ${after.expertId}, ${after.skillId})
      order by x.tenant_id, x.expert_id, x.skill_id limit ${limit}`,
  );

/** Wakes somebody in a skill: they are tried when their day comes, or has come. */
export const wake = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  run(
    db,
    Prisma.sql`
      with woken as (
        update expert_skills set asleep = false
        where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} and asleep returning 1
      )
      select count(*)::int from woken`,
  );
