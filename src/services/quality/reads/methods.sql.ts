import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';
import { isCalibrated } from '../inference/calibrated.sql.js';

export const METHODS = [
  'GOLD_BAYES',
  'MAJORITY',
  'ONE_COIN',
  'DAWID_SKENE',
  'HYBRID',
  'ORDINAL',
  'NUMBERS',
] as const;
export const METHOD_REASONS = [
  'CHOSEN_ON_GOLD',
  'TOO_LITTLE_GOLD',
  'NOTHING_TO_CHOOSE',
  'NOT_LOOKED_YET',
] as const;

const TrialRow = z.object({ method: z.enum(METHODS), accuracy: z.number(), stated: z.number() });
const MethodRow = z.object({
  dimension: z.string(),
  method: z.enum(METHODS),
  version: z.int().nullable(),
  reason: z.enum(METHOD_REASONS),
  /** Whether what is stated by it was held to truths that were not chosen by how sure it was. */
  isCalibrated: z.boolean(),
  /** This and the next ones: null before the first version. */
  goldTasks: z.int().nullable(),
  /** Those of them that were drawn; null: nobody kept it. */
  drawnTasks: z.int().nullable(),
  goldAnswers: z.int().nullable(),
  goldItems: z.int().nullable(),
  answersAnItem: z.int().nullable(),
  answers: z.int().nullable(),
  trials: z.array(TrialRow),
  chosenAt: z.date().nullable(),
});
/** By what a dimension of a project is judged, and the evidence that it was chosen on. */
export type JudgingMethod = z.infer<typeof MethodRow>;

export interface MethodWhich {
  readonly projectId: bigint;
  /** Null: all. */
  readonly dimension: string | null;
  /** Null: the one that holds. */
  readonly version: number | null;
}

/** The methods of a project's dimensions, as its task type has them; nothing where the scope does not show the project. */
export const methodsOf = (db: Queryable, { projectId, dimension, version }: MethodWhich) =>
  many(
    db,
    MethodRow,
    Prisma.sql`
      select d.name as dimension, coalesce(i.method, case when d.tolerance is null then 'GOLD_BAYES' else 'NUMBERS' end) as method,
             i.number as version,
             case when i.id is not null then i.reason when d.tolerance is not null or d.classes >= 2 then 'NOT_LOOKED_YET'
                  else 'NOTHING_TO_CHOOSE' end as reason,
             ${isCalibrated} as "isCalibrated", i.gold_tasks as "goldTasks", i.drawn_tasks as "drawnTasks", i.gold_answers as "goldAnswers", i.gold_items as "goldItems",
             i.answers_an_item as "answersAnItem", i.answers, coalesce(i.trials, '[]') as trials,
             i.fitted_at as "chosenAt"
      from projects p
      join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
      cross join lateral (
        select e.value ->> 'name' as name, app.tolerance_of(e.value) as tolerance, e.ordinality as place,
               case when e.value ->> 'scale' <> 'interval' then jsonb_array_length(coalesce(e.value -> 'values', '[]')) else 0 end as classes
        from jsonb_array_elements(y.dimensions::jsonb) with ordinality e
      ) d
      left join lateral (
        select v.* from inference_versions v
        where v.tenant_id = p.tenant_id and v.project_id = p.id and v.dimension = d.name
          and (${version}::integer is null or v.number = ${version}::integer)
        order by v.number desc limit 1
      ) i on true
      where p.tenant_id = app.tenant_id() and p.id = ${projectId}
        and (${dimension}::text is null or d.name = ${dimension}::text)
        and (${version}::integer is null or i.id is not null)
      order by d.place`,
  );

const StatedRow = z.object({ dimension: z.string(), tasks: z.int(), stated: z.number() });

/**
 * How sure the results of the tasks that were finished last are, on average: of at most `limit` tasks with classes and a tenth of that
 * with numbers, which cost more. As they are now, with what adjudications said. For our own statements: it weighs by scores.
 */
export const statedNow = (db: Queryable, { projectId, limit }: { projectId: bigint; limit: number }) =>
  many(
    db,
    StatedRow,
    Prisma.sql`
      with latest as materialized (
        select t.id, row_number() over (order by t.id desc) as place from tasks t
        where t.tenant_id = app.tenant_id() and t.project_id = ${projectId} and t.state = 'DONE' and t.kind = 'WORK'
        order by t.id desc limit ${limit}
      ), results as (
        select distinct on (q.task_id, q.dimension) q.task_id, q.dimension, q.stated
        -- A task a call: of many at once each of their classes would be joined with all their answers.
        from latest l cross join lateral app.task_posteriors(app.tenant_id(), array[l.id]) q where q.label is not null
        order by q.task_id, q.dimension, q.probability desc, q.position
      ), numbers as (
        select n.task_id, n.dimension, n.stated
        from latest l cross join lateral app.task_numbers(app.tenant_id(), array[l.id]) n where l.place <= ${limit} / 10
      )
      select r.dimension, count(*)::int as tasks, avg(r.stated) as stated
      from (select * from results union all select * from numbers) r group by r.dimension order by r.dimension`,
  );
