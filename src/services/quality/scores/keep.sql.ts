import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';
import type { Estimate, Prior } from './estimate.js';
import type { ScoreState } from './score.js';

/** An expert and one skill of theirs. */
export interface Pair {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  readonly skillId: bigint;
}

/** The expert's own lock, as claims and pauses take it: two folds of one expert take turns. */
export const lockExpert = (db: Queryable, { tenantId, expertId }: Pair) =>
  run(
    db,
    Prisma.sql`select 1 as ok from experts where tenant_id = ${tenantId} and id = ${expertId} for no key update`,
  );

const GradingRow = z.object({
  id: z.bigint(),
  assignmentId: z.bigint(),
  taskTypeId: z.bigint(),
  dimension: z.string(),
  kind: z.enum(['GOLD', 'ADJUDICATION']),
  truth: z.string(),
  answered: z.string().nullable(),
  isRight: z.boolean(),
  weight: z.number(),
  stated: z.number().nullable(),
  gradedAt: z.date(),
  isClass: z.boolean(),
  classes: z.int().nullable(),
});

/** Two numbers that are both wrong agree within the tolerance about as seldom as one of ten classes with another. */
const NUMBERS = 10;

/** Of the classes of nominal dimensions that declare them matrices are made; of numbers and free texts none could be. */
const gradingColumns = Prisma.sql`
  g.id, g.assignment_id as "assignmentId", g.task_type_id as "taskTypeId", g.dimension, g.kind, g.truth, g.answered,
  g.is_right as "isRight", g.weight, round(g.stated::numeric, 6)::float8 as stated, g.graded_at as "gradedAt",
  exists (
    select from task_types y cross join lateral jsonb_array_elements(y.dimensions::jsonb) e
    cross join lateral jsonb_array_elements_text(coalesce(nullif(e -> 'values', 'null'), '[]')) v
    where y.tenant_id = g.tenant_id and y.id = g.task_type_id and e ->> 'name' = g.dimension and e ->> 'scale' = 'nominal'
      and v = g.truth) as "isClass",
  (select case e ->> 'scale' when 'interval' then ${NUMBERS} else jsonb_array_length(nullif(e -> 'values', 'null')) end from task_types y cross join lateral jsonb_array_elements(y.dimensions::jsonb) e
   where y.tenant_id = g.tenant_id and y.id = g.task_type_id and e ->> 'name' = g.dimension limit 1) as classes`;

const counts = Prisma.sql`
  not exists (select from voided_gradings v where v.tenant_id = g.tenant_id and v.grading_id = g.id)`;

/** Gradings of an expert in a skill that count, in the order of their ids: the next `limit` after one. */
export const gradingsAfter = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  { after, limit }: { after: bigint; limit: number },
) =>
  many(
    db,
    GradingRow,
    Prisma.sql`
      select ${gradingColumns} from gradings g
      where g.tenant_id = ${tenantId} and g.expert_id = ${expertId} and g.skill_id = ${skillId} and g.id > ${after} and ${counts}
      order by g.id limit ${limit}`,
  );

export interface StatedPage {
  /** None after this instant; null: up to now. */
  readonly until: Date | null;
  /** Of each skill. */
  readonly limit: number;
}

const StatedRow = GradingRow.extend({ skillId: z.bigint() });

/** The latest gradings of gold, of each skill of an expert, with a stated confidence that count; in the order of their ids. */
export const statedGradings = (db: Queryable, { tenantId, expertId }: Pair, { until, limit }: StatedPage) =>
  many(
    db,
    StatedRow,
    Prisma.sql`
      select g.skill_id as "skillId", ${gradingColumns} from expert_skills x
      cross join lateral (
        select * from gradings g
        where g.tenant_id = ${tenantId} and g.expert_id = ${expertId} and g.skill_id = x.skill_id and g.kind = 'GOLD'
          and g.stated is not null and ${counts}
          and (${until}::timestamptz is null or g.graded_at <= ${until}::timestamptz)
        order by g.id desc limit ${limit}) g
      where x.tenant_id = ${tenantId} and x.expert_id = ${expertId}
      order by g.id`,
  );

const Belief = z.object({
  vouchedMean: z.number().nullable(),
  vouchedLower: z.number().nullable(),
});

/** What a human said of the expert. Null: they do not have the skill. */
export const beliefOf = (db: Queryable, { tenantId, expertId, skillId }: Pair) =>
  maybeOne(
    db,
    Belief,
    Prisma.sql`
      select vouched_mean as "vouchedMean", vouched_lower as "vouchedLower"
      from expert_skills where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId}`,
  );

/** Scores read of an expert of a prior, for each who is counted: they have one a task type. */
const SCORES_AN_EXPERT = 8;

/**
 * The records of a skill's experts, all types together: of those whose results came last, at most so many, found among eight times as
 * many scores. By results and not by folds, so that it does not matter in what order those ran.
 */
export const statesOfSkill = (
  db: Queryable,
  { tenantId, skillId }: Pick<Pair, 'tenantId' | 'skillId'>,
  limit: number,
) =>
  many(
    db,
    z.object({ expertId: z.bigint(), right: z.number(), wrong: z.number() }),
    Prisma.sql`
      with latest as materialized (
        select l.expert_id from (
          select expert_id, last_at from quality_scores where tenant_id = ${tenantId} and skill_id = ${skillId}
          order by last_at desc nulls last, expert_id limit ${limit * SCORES_AN_EXPERT}) l
        group by l.expert_id order by max(l.last_at) desc nulls last, l.expert_id limit ${limit}
      )
      select l.expert_id as "expertId", s.right, s.wrong from latest l
      cross join lateral (
        select sum((q.state::jsonb ->> 'right')::float8) as right, sum((q.state::jsonb ->> 'wrong')::float8) as wrong
        from quality_scores q where q.tenant_id = ${tenantId} and q.expert_id = l.expert_id and q.skill_id = ${skillId}) s`,
  );

/** What is kept of the skill's experts. */
export const priorOfSkill = (db: Queryable, { tenantId, skillId }: Pair): Promise<Prior> =>
  one(
    db,
    z.object({ mean: z.number(), strength: z.number() }),
    Prisma.sql`select mean, strength from skill_priors where tenant_id = ${tenantId} and skill_id = ${skillId}`,
  );

export const savePrior = (db: Queryable, { tenantId, skillId }: Pair, prior: Prior) =>
  run(
    db,
    Prisma.sql`
      insert into skill_priors (tenant_id, skill_id, mean, strength, updated_at)
      values (${tenantId}, ${skillId}, ${prior.mean}::float8, ${prior.strength}::float8, app.clock_now())
      on conflict (tenant_id, skill_id) do update set mean = excluded.mean, strength = excluded.strength, updated_at = excluded.updated_at`,
  );

export interface KeptScore {
  readonly taskTypeId: bigint;
  readonly state: ScoreState;
  readonly estimate: Estimate;
  /** What the estimate was shrunk to. */
  readonly prior: Prior;
  /** By dimension. */
  readonly accuracies: object;
  /** By dimension, truth and answer. */
  readonly matrices: object;
}

/** Keeps a score, and what it was at the end of today so far. */
export const saveScore = (db: Queryable, { tenantId, expertId, skillId }: Pair, score: KeptScore) => {
  const { state, estimate, prior, accuracies, matrices, taskTypeId } = score;
  const lastAt = state.lastAtMs === null ? null : new Date(state.lastAtMs);
  return run(
    db,
    Prisma.sql`
      with kept as (
        insert into quality_scores (tenant_id, expert_id, skill_id, task_type_id, state, seen, last_at, mean, lower, upper, prior_mean,
          prior_strength, accuracies, matrices, updated_at)
        values (${tenantId}, ${expertId}, ${skillId}, ${taskTypeId}, ${JSON.stringify(state)}, ${state.seen},
          ${lastAt}::timestamptz, ${estimate.mean}::float8, ${estimate.lower}::float8, ${estimate.upper}::float8,
          ${prior.mean}::float8, ${prior.strength}::float8, ${JSON.stringify(accuracies)}::jsonb, ${JSON.stringify(matrices)}::jsonb, app.clock_now())
        on conflict (tenant_id, expert_id, skill_id, task_type_id) do update set
          state = excluded.state, seen = excluded.seen, last_at = excluded.last_at, mean = excluded.mean, lower = excluded.lower, upper = excluded.upper,
          prior_mean = excluded.prior_mean, prior_strength = excluded.prior_strength, accuracies = excluded.accuracies,
          matrices = excluded.matrices, updated_at = excluded.updated_at
      )
      insert into score_days (tenant_id, expert_id, skill_id, task_type_id, day, seen, mean, lower, upper)
      values (${tenantId}, ${expertId}, ${skillId}, ${taskTypeId}, (app.clock_now() at time zone 'UTC')::date, ${state.seen},
        ${estimate.mean}::float8, ${estimate.lower}::float8, ${estimate.upper}::float8)
      on conflict (tenant_id, expert_id, skill_id, task_type_id, day) do update set
        seen = excluded.seen, mean = excluded.mean, lower = excluded.lower, upper = excluded.upper`,
  );
};

/** Takes away scores that no fact is left of. */
export const dropScores = (db: Queryable, { tenantId, expertId, skillId }: Pair, kept: readonly bigint[]) =>
  run(
    db,
    Prisma.sql`
      delete from quality_scores
      where tenant_id = ${tenantId} and expert_id = ${expertId} and skill_id = ${skillId}
        and not task_type_id = any (${kept.map(String)}::bigint[])`,
  );

/** The figures of a skill, as they were at the end of today so far (task type 0): decided, and in effect when app.apply_effect says so. */
export const saveQuality = (
  db: Queryable,
  { tenantId, expertId, skillId }: Pair,
  { seen, estimate: { mean, lower, upper } }: { seen: number; estimate: Estimate },
) =>
  run(
    db,
    Prisma.sql`
      insert into score_days (tenant_id, expert_id, skill_id, task_type_id, day, seen, mean, lower, upper)
      values (${tenantId}, ${expertId}, ${skillId}, 0, (app.clock_now() at time zone 'UTC')::date, ${seen}, ${mean}::float8,
        ${lower}::float8, ${upper}::float8)
      on conflict (tenant_id, expert_id, skill_id, task_type_id, day) do update set
        seen = excluded.seen, mean = excluded.mean, lower = excluded.lower, upper = excluded.upper`,
  );

/**
 * Where all results of a score were taken back, its figures are again what they were before the first: what a human vouched
 * for, else .5 with a bound of 0. Of the scores of task types, and, where `isAll`, of the skill.
 * @returns the scores that this concerns, 0 for the skill's; none that were so already
 */
export const restFigures = (db: Queryable, { tenantId, expertId, skillId }: Pair, isAll: boolean) =>
  many(
    db,
    z.object({ taskTypeId: z.bigint() }),
    Prisma.sql`
      with recursive types as (
        (select s.task_type_id from score_days s
         where s.tenant_id = ${tenantId} and s.expert_id = ${expertId} and s.skill_id = ${skillId} order by s.task_type_id limit 1)
        union all
        select n.task_type_id from types y cross join lateral (
          select s.task_type_id from score_days s
          where s.tenant_id = ${tenantId} and s.expert_id = ${expertId} and s.skill_id = ${skillId} and s.task_type_id > y.task_type_id
          order by s.task_type_id limit 1) n
      )
      insert into score_days as d (tenant_id, expert_id, skill_id, task_type_id, day, seen, mean, lower, upper)
      select x.tenant_id, x.expert_id, x.skill_id, l.task_type_id, (app.clock_now() at time zone 'UTC')::date, 0,
             coalesce(x.vouched_mean, 0.5), coalesce(x.vouched_lower, 0), 1
      from expert_skills x
      cross join types y
      cross join lateral (
        select s.task_type_id, s.seen from score_days s
        where s.tenant_id = x.tenant_id and s.expert_id = x.expert_id and s.skill_id = x.skill_id and s.task_type_id = y.task_type_id
        order by s.day desc limit 1
      ) l
      where x.tenant_id = ${tenantId} and x.expert_id = ${expertId} and x.skill_id = ${skillId} and l.seen > 0
        and case when l.task_type_id = 0 then ${isAll} else not exists (
          select from quality_scores q where q.tenant_id = x.tenant_id and q.expert_id = x.expert_id
            and q.skill_id = x.skill_id and q.task_type_id = l.task_type_id) end
      on conflict (tenant_id, expert_id, skill_id, task_type_id, day) do update set
        seen = excluded.seen, mean = excluded.mean, lower = excluded.lower, upper = excluded.upper
      returning d.task_type_id as "taskTypeId"`,
  );

/** The classes of each nominal and ordinal dimension that declares them, of some task types. */
export const dimensionsOf = (db: Queryable, tenantId: bigint, taskTypeIds: readonly bigint[]) =>
  many(
    db,
    z.object({ id: z.bigint(), dimensions: z.string() }),
    Prisma.sql`
      select id, dimensions from task_types
      where tenant_id = ${tenantId} and id = any (${taskTypeIds.map(String)}::bigint[])`,
  );
