import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';
import type { DoorKind } from '../gold/door.js';
import { hasWork } from './gates.sql.js';
import type { Pair } from './keep.sql.js';

const NewcomerRow = z.object({
  status: z.enum(['PROBATION', 'ACTIVE', 'PAUSED']),
  /** The results that ended their probation: how many, and the grading of the last; nulls: none did. */
  overResults: z.int().nullable(),
  overGradingId: z.bigint().nullable(),
  /** Two uniform numbers. */
  explore: z.number(),
  accuracy: z.number(),
  /** The skill's own share of doors that chance opens; null: it has none. */
  share: z.number().nullable(),
});

export type NewcomerRow = z.infer<typeof NewcomerRow>;

/** How an expert stands who may be new to a skill. */
export const newcomerOf = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  one(
    db,
    NewcomerRow,
    Prisma.sql`
      select s.status, app.chance() as explore, app.chance() as accuracy, k.exploration_share as share, o.results as "overResults", o.grading_id as "overGradingId"
      from expert_skills s
      join skills k on k.tenant_id = s.tenant_id and k.id = s.skill_id
      left join lateral (
        select p.* from probations p where p.tenant_id = s.tenant_id and p.expert_id = s.expert_id and p.skill_id = s.skill_id
        order by p.id desc limit 1
      ) o on o.is_over
      where s.tenant_id = ${tenantId} and s.expert_id = ${expertId} and s.skill_id = ${skillId}`,
  );

/**
 * Proven experts of a skill, counted up to `enough`: active, with a lower bound that passes the minimum that half of the
 * skill's running projects ask at most.
 */
export const countProven = async (
  db: Queryable,
  { tenantId, skillId }: Pick<Pair, 'tenantId' | 'skillId'>,
  enough: number,
): Promise<number> =>
  (
    await one(
      db,
      z.object({ proven: z.int() }),
      Prisma.sql`
        select count(*)::int as proven from (
          select from expert_skills s
          join experts x on x.tenant_id = s.tenant_id and x.id = s.expert_id and x.status = 'ACTIVE'
          where s.tenant_id = ${tenantId} and s.skill_id = ${skillId} and s.status = 'ACTIVE'
            and s.quality_lower >= coalesce((
              select percentile_disc(0.5) within group (order by p.min_quality) from projects p
              where p.tenant_id = ${tenantId} and p.skill_id = ${skillId} and p.state = 'RUNNING'), 0)
          limit ${enough}) n`,
    )
  ).proven;

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
      ), last as (
        select l.tenant_id, l.id from looked l where (select count(*) from looked) = ${limit}
        order by l.tenant_id desc, l.id desc limit 1
      )
      select (select count(*)::int from kept) as changed, (select tenant_id from last) as "tenantId", (select id from last) as "skillId"`,
  );
  return { changed, last: tenantId === null || skillId === null ? null : { tenantId, skillId } };
}

export interface KeptDoor {
  readonly kind: DoorKind;
  readonly quality: number;
  readonly mean: number;
  readonly lower: number;
  readonly results: number;
  readonly gradingId: bigint;
  readonly provenExperts: number;
  readonly explore: number | null;
  readonly share: number | null;
  readonly accuracy: number | null;
}

const KindRow = z.object({
  kind: z.enum(['LOWER_BOUND', 'EXPLORATION', 'SCARCE_SKILL', 'RETEST', 'HIGH_BARS', 'KEPT', 'TRIAL']),
  quality: z.number(),
});

const DRAWN = Prisma.sql`('LOWER_BOUND', 'EXPLORATION', 'SCARCE_SKILL')`;

/**
 * Keeps a door. What a newcomer is taken for by chance is kept once for the same results, and again only where they are drawn for
 * another day; whatever else is kept where it is another one than the last. @returns the one kept
 */
export async function keepDoor(
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  d: KeptDoor & { readonly again?: boolean },
): Promise<z.infer<typeof KindRow>> {
  const own = Prisma.sql`tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId}`;
  const drawn = Prisma.sql`${own} and results = ${d.results} and grading_id = ${d.gradingId} and kind in ${DRAWN}`;
  await run(
    db,
    Prisma.sql`
      with kept as (
        insert into doors (tenant_id, expert_id, skill_id, kind, quality, mean, lower, results, grading_id, proven_experts, explore,
          explore_share, accuracy, opened_at, drawn_on)
        select ${tenantId}, ${expertId}, ${skillId}, ${d.kind}, ${d.quality}::float8, ${d.mean}::float8, ${d.lower}::float8,
          ${d.results}, ${d.gradingId}, ${d.provenExperts}, ${d.explore}::float8, ${d.share}::float8, ${d.accuracy}::float8, app.clock_now(),
          (app.clock_now() at time zone 'UTC')::date
        where case when ${d.kind} in ${DRAWN} then ${d.again === true} or not exists (select from doors where ${drawn})
          else not exists (
            select from (select kind, quality from doors where ${own} order by id desc limit 1) l
            where l.kind = ${d.kind} and l.quality = ${d.quality}::float8 and l.kind <> 'TRIAL') end
        on conflict do nothing returning 1
      )
      select count(*)::int from kept`,
  );
  const kept = await maybeOne(
    db,
    KindRow,
    Prisma.sql`
      select kind, quality from doors where ${drawn} and ${d.kind} in ${DRAWN} order by id desc limit 1`,
  );
  return kept ?? { kind: d.kind, quality: d.quality };
}

/** How somebody is taken. */
export interface NewcomerDecision {
  /** Null: whatever it is. */
  readonly status: 'PROBATION' | 'ACTIVE' | null;
  /** What the claim takes them for; null: for what is proven. */
  readonly door: number | null;
  /** A door that points at no answer: there are none, or the calendar opened it. */
  readonly isFirst: boolean;
  /** When they are to be tried again; null: there is no need. */
  readonly tryAt: Date | null;
}

/**
 * Keeps how somebody is taken; it is in effect when app.apply_effect says so, and where there is nothing that it could tell, at once.
 */
export const decide = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  { status, door, isFirst, tryAt }: NewcomerDecision,
) =>
  run(
    db,
    Prisma.sql`
      with decided as (
        insert into newcomer_decisions as n (tenant_id, expert_id, skill_id, status, door, decided_at)
        values (${tenantId}, ${expertId}, ${skillId}, ${status}, ${door}::float8, app.clock_now())
        on conflict (tenant_id, expert_id, skill_id) do update
          set status = excluded.status, door = excluded.door, decided_at = excluded.decided_at
          where (n.status, n.door) is distinct from (excluded.status, excluded.door)
      ), noted as (
        update expert_skills set door = case when ${isFirst} then ${door}::float8 else door end,
          door_at = case when ${isFirst} then app.clock_now() else coalesce(door_at, app.clock_now()) end,
          try_at = ${tryAt}::timestamptz, try_due = false
        where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId}
          and (${isFirst} or door_at is null or try_due or try_at is distinct from ${tryAt}::timestamptz) returning 1
      )
      select count(*)::int from noted`,
  );

/** Whether all results that ended a probation count still. What others do to the skill's prior takes nothing back. */
export const stands = async (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  { results, gradingId }: { results: number; gradingId: bigint },
): Promise<boolean> =>
  (
    await one(
      db,
      z.object({ stands: z.boolean() }),
      Prisma.sql`
        select count(*) >= ${results}::int as stands from (
          select from gradings g
          where g.tenant_id = ${tenantId} and g.expert_id = ${expertId} and g.skill_id = ${skillId} and g.id <= ${gradingId}
            and not exists (select from voided_gradings v where v.tenant_id = g.tenant_id and v.grading_id = g.id)
          group by g.assignment_id, g.kind) r`,
    )
  ).stands;

/** Records that probation ended or began again. */
export const saveProbation = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  p: { isOver: boolean; results: number; correct: number; gradingId: bigint },
) =>
  run(
    db,
    Prisma.sql`
      insert into probations (tenant_id, expert_id, skill_id, is_over, results, correct, grading_id, at)
      values (${tenantId}, ${expertId}, ${skillId}, ${p.isOver}, ${p.results}, ${p.correct}::float8, ${p.gradingId}, app.clock_now())`,
  );

/** Makes newcomers due who have no door yet, and whoever is to be tried at a bar again: at most so many of each. */
export const noteNewcomers = (db: Queryable, limit: number) =>
  many(
    db,
    z.object({ expertId: z.bigint() }),
    Prisma.sql`
      with trying as (
        update expert_skills s set try_at = null, try_due = true
        from (select tenant_id, expert_id, skill_id from expert_skills where try_at <= app.clock_now()
              order by try_at limit ${limit} for no key update skip locked) d
        where s.tenant_id = d.tenant_id and s.expert_id = d.expert_id and s.skill_id = d.skill_id
        returning s.tenant_id, s.expert_id, s.skill_id
      ), first as (
        select s.tenant_id, s.expert_id, s.skill_id from expert_skills s
        where s.status = 'PROBATION' and s.door_at is null
          and not exists (select from grading_dues d where d.tenant_id = s.tenant_id and d.expert_id = s.expert_id and d.skill_id = s.skill_id)
        limit ${limit}
      )
      insert into grading_dues (tenant_id, expert_id, skill_id)
      select * from trying union select * from first
      returning expert_id as "expertId"`,
  );
