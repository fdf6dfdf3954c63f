import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';
import { CALIBRATED_TASKS_MIN } from './calibrated.sql.js';
import type { ProjectPlace } from './methods.sql.js';

/** Tasks of known truth that a fit looks at, of each kind: the latest. */
const TRUTHS_MAX = 5_000;

/**
 * The tasks of a project that were drawn and decided, and not given up: the latest. What is asked of an adjudicator still hides none of them.
 * @param asOf only what was graded by then
 */
export const drawnTasks = ({ tenantId, projectId }: ProjectPlace, asOf: AsOf | null = null) => Prisma.sql`
  select d.task_id from truth_draws d
  where d.tenant_id = ${tenantId} and d.project_id = ${projectId}
    and not exists (select from dropped_draws x where x.tenant_id = d.tenant_id and x.project_id = d.project_id and x.task_id = d.task_id)
    and exists (select from gradings g where g.tenant_id = d.tenant_id and g.task_id = d.task_id and ${counts(asOf)})
  order by d.task_id desc limit ${TRUTHS_MAX}`;

/** What counted at the time of a grading, the last of then; also what does not any more. */
export interface AsOf {
  readonly upTo: bigint;
}

/** Whether a grading `g` says how an answer was, and still does; or did then. */
const counts = (asOf: AsOf | null) =>
  asOf === null
    ? Prisma.sql`g.answered is not null
        and not exists (select from voided_gradings v where v.tenant_id = g.tenant_id and v.grading_id = g.id)`
    : Prisma.sql`g.answered is not null and g.id <= ${asOf.upTo}::bigint`;

/**
 * What was answered on tasks of a project whose truth is known and was not chosen by how sure the project was of it: tasks that were drawn
 * for a stronger expert (as first gold, or to be looked at), whatever they would have gone there for; and, in a dimension in which fewer of
 * those are to be seen here than a calibration asks for, gold by hand or imported, which somebody chose and which forty experts answer. So it gives
 * way only to what reaches the count by itself. Minted gold is what was beyond doubt: on that alone every method is right.
 */
export const seenGradings = (
  { tenantId, projectId }: ProjectPlace,
  { limit, asOf = null }: { readonly limit: number; readonly asOf?: AsOf | null },
) => Prisma.sql`
  (with drawn as materialized (
     select g.* from (${drawnTasks({ tenantId, projectId }, asOf)}) k
     join gradings g on g.tenant_id = ${tenantId} and g.task_id = k.task_id and ${counts(asOf)}
     order by g.id desc limit ${limit}
   ), enough as materialized (
     select n.dimension from drawn n group by n.dimension having count(distinct n.task_id) >= ${CALIBRATED_TASKS_MIN}
   ), chosen as materialized (
     select g.* from (
       select o.task_id from golds o where o.tenant_id = ${tenantId} and o.project_id = ${projectId} and o.source <> 'MINTED'
       order by o.task_id desc limit ${TRUTHS_MAX}) k
     join gradings g on g.tenant_id = ${tenantId} and g.task_id = k.task_id and ${counts(asOf)}
       and not exists (select from enough e where e.dimension = g.dimension)
     order by g.id desc limit ${limit}
   )
   select n.* from drawn n union all select n.* from chosen n)`;

const GoldRow = z.object({
  gradingId: z.bigint(),
  taskId: z.bigint(),
  expertId: z.bigint(),
  dimension: z.string(),
  truth: z.string(),
  answered: z.string(),
  isRight: z.boolean(),
  weight: z.number(),
  /** To a task of the project, not to gold. */
  isWork: z.boolean(),
  /** How sure the expert said they were. */
  stated: z.number().nullable(),
  /** Where it stands in its expert's score (scores/left-out.ts). Null, and nothing: it is not in it, or too old to count there. */
  later: z.int().nullable(),
  laterOfTruth: z.int(),
  earlierRight: z.number(),
  earlierWrong: z.number(),
});

/** Results of an expert that are looked through for those on the project's gold: of five dimensions eighty answers, of which the oldest counts a tenth. */
const RESULTS_AN_EXPERT = 400;

/** What was answered on tasks of a project whose truth is known and drawn (seenGradings), the latest of it that counts, in the order in which it came. */
export const goldAnswers = (db: Queryable, { tenantId, projectId }: ProjectPlace, limit: number) =>
  many(
    db,
    GoldRow,
    Prisma.sql`
      with given as materialized (
        select g.* from ${seenGradings({ tenantId, projectId }, { limit })} g
      ), results as (
        select f.*, row_number() over latest_first - 1 as later,
               count(*) filter (where f.answered is not null) over (partition by f.expert_id, f.dimension, f.truth
                 order by f.graded_at desc, f.id desc rows between unbounded preceding and 1 preceding) as later_of_truth
        from (select distinct expert_id, skill_id, task_type_id from given) e
        join quality_scores s on s.tenant_id = ${tenantId} and s.expert_id = e.expert_id and s.skill_id = e.skill_id
          and s.task_type_id = e.task_type_id
        cross join lateral (
          select g.id, g.expert_id, g.dimension, g.truth, g.answered, g.is_right, g.weight, g.graded_at from gradings g
          where g.tenant_id = ${tenantId} and g.expert_id = e.expert_id and g.skill_id = e.skill_id and g.task_type_id = e.task_type_id
            and g.graded_at <= s.last_at
            and not exists (select from voided_gradings v where v.tenant_id = ${tenantId} and v.grading_id = g.id)
          order by g.id desc limit ${RESULTS_AN_EXPERT}
        ) f
        window latest_first as (partition by f.expert_id, f.dimension order by f.graded_at desc, f.id desc)
      ), counted as (
        select r.id, r.later, r.later_of_truth, sum(r.worth * r.is_right::int) over earlier as earlier_right,
               sum(r.worth * (not r.is_right)::int) over earlier as earlier_wrong
        from (select o.*, o.weight * power(0.97, o.later) as worth from results o) r
        window earlier as (partition by r.expert_id, r.dimension order by r.later desc rows between unbounded preceding and 1 preceding)
      )
      select g.id as "gradingId", g.task_id as "taskId", g.expert_id as "expertId", g.dimension, g.truth, g.answered,
             g.is_right as "isRight", g.weight, g.kind = 'ADJUDICATION' as "isWork", round(g.stated::numeric, 6)::float8 as stated, c.later::int,
             coalesce(c.later_of_truth, 0)::int as "laterOfTruth", coalesce(c.earlier_right, 0)::float8 as "earlierRight",
             coalesce(c.earlier_wrong, 0)::float8 as "earlierWrong"
      from given g left join counted c on c.id = g.id
      order by g.id`,
  );

const Calibration = z.object({
  /** '': of the skill as a whole. */
  dimension: z.string(),
  usual: z.number(),
  map: z.object({ intercept: z.number(), slope: z.number() }),
  use: z.enum(['USABLE', 'TOO_FEW', 'SAYS_NOTHING']),
});
const RecordRow = z.object({
  expertId: z.bigint(),
  /** scores/score.ts; null: no result of theirs is folded. */
  state: z.string().nullable(),
  priorMean: z.number().nullable(),
  priorStrength: z.number().nullable(),
  qualityMean: z.number().nullable(),
  calibrations: z.array(Calibration),
});

/** What is kept of some experts and weighs their answers in a project. */
export const expertRecords = (
  db: Queryable,
  { tenantId, projectId }: ProjectPlace,
  experts: readonly bigint[],
) =>
  many(
    db,
    RecordRow,
    Prisma.sql`
      select e.id as "expertId", s.state, s.prior_mean as "priorMean", s.prior_strength as "priorStrength",
             x.quality_mean as "qualityMean",
             (select coalesce(jsonb_agg(jsonb_build_object('dimension', k.dimension, 'usual', k.usual,
                       'map', jsonb_build_object('intercept', k.intercept, 'slope', k.slope), 'use', k.use)), '[]')
              from skill_calibrations k
              where k.tenant_id = ${tenantId} and k.expert_id = e.id and k.skill_id = p.skill_id) as calibrations
      from projects p
      cross join unnest(${experts.map(String)}::bigint[]) as e(id)
      left join quality_scores s on s.tenant_id = ${tenantId} and s.expert_id = e.id and s.skill_id = p.skill_id
        and s.task_type_id = p.task_type_id
      left join expert_skills x on x.tenant_id = ${tenantId} and x.expert_id = e.id and x.skill_id = p.skill_id
      where p.tenant_id = ${tenantId} and p.id = ${projectId}
      order by e.id`,
  );
