import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { one, type Queryable } from '../../platform/rows.js';
import type { Pair } from './keep.sql.js';

/**
 * Whether a running project's bar counts: it has open batches, or no running project of the skill has any. A project that is done stays
 * RUNNING, and its bar, which nobody meets any more, would say that nobody is shut out.
 */
export const hasWork = Prisma.sql`(
  exists (select from open_batches o where o.tenant_id = p.tenant_id and o.project_id = p.id)
  or not exists (
    select from projects w join open_batches o on o.tenant_id = w.tenant_id and o.project_id = w.id
    where w.tenant_id = p.tenant_id and w.skill_id = p.skill_id and w.state = 'RUNNING'))`;

const WayRow = z.object({
  /** What claims take the expert for, what of it is proven, and the exception that is decided: in effect or not. */
  takenFor: z.number(),
  lower: z.number(),
  decided: z.number().nullable(),
  /** When they are tried again; null: no need was seen. */
  tryAt: z.date().nullable(),
  isDue: z.boolean(),
  now: z.date(),
  /** The last grading before the latest trial. */
  trialGradingId: z.bigint().nullable(),
  /** Trials within 90 days. */
  trials: z.int(),
  /** The least bar of the skill's running projects with open work, else of all of them; null: there are none. */
  leastBar: z.number().nullable(),
  /** They were given nothing for a week. */
  isIdle: z.boolean(),
});

/** What an expert is taken for in a skill, and the way back of whoever is below its bars. */
export type Way = z.infer<typeof WayRow>;

export const wayOf = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  one(
    db,
    WayRow,
    Prisma.sql`
      select s.taken_for as "takenFor", s.quality_lower as lower, n.door as decided, s.try_at as "tryAt", s.try_due as "isDue",
             app.clock_now()::timestamptz(3) as now, t.grading_id as "trialGradingId", coalesce(t.trials, 0) as trials, b.bar as "leastBar",
             coalesce((select a.leased_at < app.clock_now() - interval '7 d' from assignments a
                       where a.tenant_id = s.tenant_id and a.expert_id = s.expert_id order by a.id desc limit 1), true) as "isIdle"
      from expert_skills s
      left join newcomer_decisions n on n.tenant_id = s.tenant_id and n.expert_id = s.expert_id and n.skill_id = s.skill_id
      cross join lateral (
        select max(d.grading_id) as grading_id, (count(*) filter (where d.opened_at > app.clock_now() - interval '90 d'))::int as trials
        from doors d where d.tenant_id = s.tenant_id and d.expert_id = s.expert_id and d.skill_id = s.skill_id and d.kind = 'TRIAL') t
      cross join lateral (
        select min(p.min_quality) as bar from projects p
        where p.tenant_id = s.tenant_id and p.skill_id = s.skill_id and p.state = 'RUNNING' and ${hasWork}) b
      where s.tenant_id = ${tenantId} and s.expert_id = ${expertId} and s.skill_id = ${skillId}`,
  );

/** The least bar of the skill's running projects above one quality and up to another; null: there is none. */
export const barBetween = async (
  db: Queryable,
  { tenantId, skillId }: Pair,
  { above, upTo }: { above: number; upTo: number },
): Promise<number | null> =>
  (
    await one(
      db,
      z.object({ bar: z.number().nullable() }),
      Prisma.sql`
        select min(p.min_quality) as bar from projects p
        where p.tenant_id = ${tenantId} and p.skill_id = ${skillId} and p.state = 'RUNNING' and ${hasWork}
          and p.min_quality > ${above}::float8 and p.min_quality <= ${upTo}::float8`,
    )
  ).bar;
