import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { one, type Queryable } from '../../platform/rows.js';
import { hasWork } from './gates.sql.js';
import type { Pair } from './keep.sql.js';

/**
 * The least bar of a skill's running projects, where it is beyond every exception and newcomers can be let in to it: those projects have
 * a redundancy policy, so that nothing is done on newcomers alone, and one of them has gold to know them by. Null: it is not so.
 */
const highBarOf = (tenant: Prisma.Sql, skill: Prisma.Sql) => {
  const running = Prisma.sql`p.tenant_id = ${tenant} and p.skill_id = ${skill} and p.state = 'RUNNING'`;
  return Prisma.sql`(
    select least.bar from (select min(p.min_quality) as bar from projects p where ${running}) least
    where least.bar > 0.79 and least.bar <= 0.95
      and not exists (select from projects p where ${running} and p.min_quality = least.bar and p.redundancy_policy is null)
      and exists (select from projects p join golds g on g.tenant_id = p.tenant_id and g.project_id = p.id and g.state = 'ACTIVE'
                  where ${running} and p.min_quality = least.bar))`;
};

/** The least bar that newcomers to a skill are let in to; null: there is none. */
export const leastHighBar = async (
  db: Queryable,
  { tenantId, skillId }: Pick<Pair, 'tenantId' | 'skillId'>,
): Promise<number | null> =>
  (
    await one(
      db,
      z.object({ bar: z.number().nullable() }),
      Prisma.sql`select ${highBarOf(Prisma.sql`${tenantId}`, Prisma.sql`${skillId}`)} as bar`,
    )
  ).bar;

const LookRow = z.object({
  changed: z.int(),
  tenantId: z.bigint().nullable(),
  skillId: z.bigint().nullable(),
});

/**
 * Looks at the bars of skills, the next `limit` after one in the order of their keys; where the least that newcomers are let in
 * to is another one now, all who are on probation in the skill are due, and where the least bar is another one, whoever is or was below it.
 * Nothing is written to the others.
 * @returns of how many skills it is another one, and the last that was looked at; null: there are no more
 */
export async function lookAtBars(
  db: Queryable,
  after: Pick<Pair, 'tenantId' | 'skillId'>,
  limit: number,
): Promise<{ changed: number; last: Pick<Pair, 'tenantId' | 'skillId'> | null }> {
  const { changed, tenantId, skillId } = await one(
    db,
    LookRow,
    Prisma.sql`
      with looked as materialized (
        select k.tenant_id, k.id, k.high_bar as old, k.least_bar as old_least from skills k where (k.tenant_id, k.id) > (${after.tenantId}, ${after.skillId})
        order by k.tenant_id, k.id limit ${limit}
      ), judged as materialized (
        select l.*, ${highBarOf(Prisma.sql`l.tenant_id`, Prisma.sql`l.id`)} as bar, least.bar as least
        from looked l
        cross join lateral (
          select min(p.min_quality) as bar from projects p
          where p.tenant_id = l.tenant_id and p.skill_id = l.id and p.state = 'RUNNING' and ${hasWork}) least
      ), kept as (
        update skills k set high_bar = j.bar, least_bar = j.least, bar_at = app.clock_now() from judged j
        where k.tenant_id = j.tenant_id and k.id = j.id and (j.bar, j.least) is distinct from (j.old, j.old_least)
          and (k.high_bar, k.least_bar) is distinct from (j.bar, j.least)
        returning k.tenant_id, k.id, j.bar is distinct from j.old as is_high, j.least
      ), due as (
        insert into grading_dues (tenant_id, expert_id, skill_id)
        select s.tenant_id, s.expert_id, s.skill_id from kept j
        join expert_skills s on s.tenant_id = j.tenant_id and s.skill_id = j.id
          and (s.status = 'PROBATION' and j.is_high or s.status <> 'PAUSED' and (s.taken_for < j.least or s.try_at is not null))
          and not exists (select from grading_dues d where d.tenant_id = s.tenant_id and d.expert_id = s.expert_id and d.skill_id = s.skill_id)
      ), last as (
        select l.tenant_id, l.id from looked l where (select count(*) from looked) = ${limit}
        order by l.tenant_id desc, l.id desc limit 1
      )
      select (select count(*)::int from kept) as changed, (select tenant_id from last) as "tenantId", (select id from last) as "skillId"`,
  );
  return { changed, last: tenantId === null || skillId === null ? null : { tenantId, skillId } };
}

/** See app.tell_least_bars. @returns whether there is more to tell at once */
export const tellLeastBars = async (db: Queryable, limit: number): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ more: z.boolean() }),
      Prisma.sql`select app.tell_least_bars(${limit}::integer) as more`,
    )
  ).more;
