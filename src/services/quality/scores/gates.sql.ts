import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';
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

/** Whether a project is one that an expert may have work of: but for its minimum, their skills beside it and what they had already. */
const fits = ({ tenantId, expertId }: Pair) => Prisma.sql`(
  exists (
    select from experts x join lanes l on l.tenant_id = x.tenant_id and l.id = p.lane_id and l.languages <@ x.languages and l.tags <@ x.tags
    where x.tenant_id = ${tenantId} and x.id = ${expertId})
  and not exists (
    select from conflicts c where c.tenant_id = ${tenantId} and c.expert_id = ${expertId} and c.customer_id = p.customer_id))`;

/**
 * The least bar of some running projects with open work that an expert may have. Where none of those has work, whatever others' have: of all
 * that they may have. Else whoever is looked at in a pause had no bar, and no way back. From the least bar upwards, by an index: a
 * fold reads no more projects than lie below the first that counts.
 */
const leastBar = (pair: Pair, which: Prisma.Sql) => {
  const from = Prisma.sql`select p.min_quality from projects p where ${which} and p.state = 'RUNNING' and ${fits(pair)}`;
  const isOpen = Prisma.sql`exists (select from open_batches o where o.tenant_id = p.tenant_id and o.project_id = p.id)`;
  return Prisma.sql`coalesce((${from} and ${isOpen} order by p.min_quality limit 1), (${from} order by p.min_quality limit 1))`;
};

/** Leases that are looked back at for one of the skill. */
const LOOKED_BACK = 50;

const TypeGateJson = z.object({
  /** The task type. */
  type: z.string(),
  /** What they are taken for in it; null: what they are in the skill. */
  quality: z.number().nullable(),
  /** How many of their results in it lie before a trial, or before they came back, and speak of no bar. */
  since: z.int(),
  tryAtMs: z.number().nullable(),
  /** Trials since they last reached a bar of the type. */
  trials: z.int(),
});

/** How an expert is taken in a task type, as it is decided. */
export type TypeGate = z.infer<typeof TypeGateJson>;

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
  /** The least bar of the skill's running projects with open work that they may have, else of all such; null: there are none. */
  leastBar: z.number().nullable(),
  /** They were given nothing of the skill for a week. */
  isIdle: z.boolean(),
  types: z.array(TypeGateJson),
});

/** What an expert is taken for in a skill, and the way back of whoever is below its bars. */
export type Way = z.infer<typeof WayRow>;

export const wayOf = (db: Queryable, pair: Pair) => {
  const { tenantId, expertId, skillId } = pair;
  return one(
    db,
    WayRow,
    Prisma.sql`
      select s.taken_for as "takenFor", s.quality_lower as lower, n.door as decided, 
             coalesce(n.try_at, case when y.types = '[]' then s.try_at end) as "tryAt", y.types,
             s.try_due and coalesce(n.try_at <= app.clock_now(), y.types = '[]') as "isDue",
             app.clock_now()::timestamptz(3) as now, t.grading_id as "trialGradingId", coalesce(t.trials, 0) as trials, b.bar as "leastBar",
             not exists (
               select from (select a.lane_id, a.leased_at from assignments a
                            where a.tenant_id = s.tenant_id and a.expert_id = s.expert_id order by a.id desc limit ${LOOKED_BACK}) a
               join lanes l on l.tenant_id = s.tenant_id and l.id = a.lane_id and l.skill_id = s.skill_id
               where a.leased_at >= app.clock_now() - interval '7 d') as "isIdle"
      from expert_skills s
      left join newcomer_decisions n on n.tenant_id = s.tenant_id and n.expert_id = s.expert_id and n.skill_id = s.skill_id
      cross join lateral (select coalesce(n.types, '[]') as types) y
      cross join lateral (
        select max(d.grading_id) as grading_id, (count(*) filter (where d.opened_at > app.clock_now() - interval '90 d'))::int as trials
        from doors d where d.tenant_id = s.tenant_id and d.expert_id = s.expert_id and d.skill_id = s.skill_id and d.kind = 'TRIAL' and d.task_type_id = 0) t
      cross join lateral (select ${leastBar(pair, Prisma.sql`p.tenant_id = s.tenant_id and p.skill_id = s.skill_id`)} as bar) b
      where s.tenant_id = ${tenantId} and s.expert_id = ${expertId} and s.skill_id = ${skillId}`,
  );
};

/** The least bar of the projects whose work an expert may have above one quality and up to another; null: there is none. */
export const barBetween = async (
  db: Queryable,
  pair: Pair,
  { above, upTo }: { above: number; upTo: number },
): Promise<number | null> =>
  (
    await one(
      db,
      z.object({ bar: z.number().nullable() }),
      Prisma.sql`
        select (
          select p.min_quality from projects p
          where p.tenant_id = ${pair.tenantId} and p.skill_id = ${pair.skillId} and p.state = 'RUNNING' and ${hasWork} and ${fits(pair)}
            and p.min_quality > ${above}::float8 and p.min_quality <= ${upTo}::float8
          order by p.min_quality limit 1) as bar`,
    )
  ).bar;

/** The least bar of some task types of a skill, of the projects whose work an expert may have; nothing of a type that has none. */
export const barsByType = (db: Queryable, pair: Pair, types: readonly string[]) =>
  many(
    db,
    z.object({ taskTypeId: z.bigint(), bar: z.number() }),
    Prisma.sql`
      select y.id as "taskTypeId", b.bar from unnest(${types}::bigint[]) as y(id)
      cross join lateral (
        select ${leastBar(pair, Prisma.sql`p.tenant_id = ${pair.tenantId} and p.skill_id = ${pair.skillId} and p.task_type_id = y.id`)} as bar) b
      where b.bar is not null`,
  );
