import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';
import type { DoorKind } from '../gold/door.js';
import type { TypeGate } from './gates.sql.js';
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

export interface KeptDoor {
  readonly kind: DoorKind;
  /** The task type that it is about; not given: the skill as a whole. */
  readonly taskTypeId?: bigint;
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
  const type = d.taskTypeId ?? 0n;
  const own = Prisma.sql`tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} and task_type_id = ${type}`;
  const drawn = Prisma.sql`${own} and results = ${d.results} and grading_id = ${d.gradingId} and kind in ${DRAWN}`;
  await run(
    db,
    Prisma.sql`
      with kept as (
        insert into doors (tenant_id, expert_id, skill_id, kind, quality, mean, lower, results, grading_id, proven_experts, explore,
          explore_share, accuracy, opened_at, drawn_on, task_type_id)
        select ${tenantId}, ${expertId}, ${skillId}, ${d.kind}, ${d.quality}::float8, ${d.mean}::float8, ${d.lower}::float8,
          ${d.results}, ${d.gradingId}, ${d.provenExperts}, ${d.explore}::float8, ${d.share}::float8, ${d.accuracy}::float8, app.clock_now(),
          (app.clock_now() at time zone 'UTC')::date, ${type}
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
  /** When they are to be tried again in the skill as a whole; null: there is no need. */
  readonly tryAt: Date | null;
  readonly types: readonly TypeGate[];
  /**
   * The task types of which what is decided is in effect at once: those in which they are tried, for the calendar opened them. What
   * results decided of the others waits, or it would come with the trial and point at an answer. ALL: where a re-test begins, or a human lifts a pause.
   */
  readonly typesAtOnce: 'ALL' | readonly string[];
}

/**
 * Keeps how somebody is taken; it is in effect when app.apply_effect says so, and where there is nothing that it could tell, at once.
 */
export const decide = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  { status, door, isFirst, tryAt, types, typesAtOnce }: NewcomerDecision,
) => {
  const known = types
    .flatMap(({ type, quality }) => (quality === null ? [] : [{ type, quality }]))
    .sort((a, b) => Number(BigInt(a.type) - BigInt(b.type)));
  const ids = Prisma.sql`${known.map(({ type }) => type)}::bigint[]`;
  const gates = Prisma.sql`${known.map(({ quality }) => quality)}::float8[]`;
  const tries = types.flatMap(({ tryAtMs }) => (tryAtMs === null ? [] : [tryAtMs]));
  const nextMs = Math.min(tryAt?.getTime() ?? Number.POSITIVE_INFINITY, ...tries);
  const next = Number.isFinite(nextMs) ? new Date(nextMs) : null;
  const isAll = typesAtOnce === 'ALL';
  const tried = isAll ? [] : known.filter(({ type }) => typesAtOnce.includes(type));
  return run(
    db,
    Prisma.sql`
      with decided as (
        insert into newcomer_decisions as n (tenant_id, expert_id, skill_id, status, door, type_ids, type_gates, types, try_at, decided_at)
        values (${tenantId}, ${expertId}, ${skillId}, ${status}, ${door}::float8, ${ids}, ${gates}, ${JSON.stringify(types)}::jsonb,
          ${tryAt}::timestamptz, app.clock_now())
        on conflict (tenant_id, expert_id, skill_id) do update
          set status = excluded.status, door = excluded.door, type_ids = excluded.type_ids, type_gates = excluded.type_gates,
            types = excluded.types, try_at = excluded.try_at, decided_at = excluded.decided_at
          where (n.status, n.door, n.type_ids, n.type_gates, n.types, n.try_at)
            is distinct from (excluded.status, excluded.door, excluded.type_ids, excluded.type_gates, excluded.types, excluded.try_at)
      ), noted as (
        update expert_skills set door = case when ${isFirst} then ${door}::float8 else door end,
          (type_ids, type_gates) = (
            select coalesce(array_agg(k.id order by k.id), '{}'), coalesce(array_agg(k.gate order by k.id), '{}') from (
              select o.id, o.gate from unnest(type_ids, type_gates) as o(id, gate)
              where not ${isAll} and not o.id = any (${tried.map(({ type }) => type)}::bigint[])
              union all
              select d.id, d.gate from unnest(${ids}, ${gates}) as d(id, gate)
              where ${isAll} or d.id = any (${tried.map(({ type }) => type)}::bigint[])) k),
          door_at = case when ${isFirst} then app.clock_now() else coalesce(door_at, app.clock_now()) end,
          try_at = ${next}::timestamptz, try_due = false
        where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId}
          and (${isFirst || isAll || tried.length > 0} or door_at is null or try_due or try_at is distinct from ${next}::timestamptz) returning 1
      )
      select count(*)::int from noted`,
  );
};

/** In a pause types are not told apart, and after it they begin anew (docs/decisions/0122): nothing that was decided of them is left. */
export const restTypes = (db: Queryable, { tenantId, expertId, skillId }: Pair, types: readonly TypeGate[]) =>
  run(
    db,
    Prisma.sql`
      with rested as (
        update newcomer_decisions set type_ids = '{}', type_gates = '{}', types = ${JSON.stringify(types)}::jsonb
        where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId} and types is distinct from ${JSON.stringify(types)}::jsonb
        returning 1
      )
      select count(*)::int from rested`,
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
