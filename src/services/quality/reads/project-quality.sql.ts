import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';

/** The tasks of a project that were finished last, at most `limit`; work only. */
const latest = (projectId: bigint, limit: number) => Prisma.sql`
  select t.id from tasks t
  where t.tenant_id = app.tenant_id() and t.project_id = ${projectId} and t.state = 'DONE' and t.kind = 'WORK'
  order by t.id desc limit ${limit}`;

const DecidedRow = z.object({ dimension: z.string(), tasks: z.int(), stated: z.number() });

/** How sure the results of the latest tasks were when the rule last decided about them. */
export const latestDecisions = (db: Queryable, projectId: bigint, limit: number) =>
  many(
    db,
    DecidedRow,
    Prisma.sql`
      with latest as materialized (${latest(projectId, limit)})
      select r ->> 'dimension' as dimension, count(*)::int as tasks, avg((r ->> 'stated')::float8) as stated
      from latest l
      cross join lateral (
        select d.results from task_decisions d where d.tenant_id = app.tenant_id() and d.task_id = l.id and d.results <> '[]' order by d.id desc limit 1
      ) d
      cross join lateral jsonb_array_elements(d.results) r
      group by 1 order by 1`,
  );

/** How many adjudications a project has, and how many of them are done. */
export const adjudicationsOf = (db: Queryable, projectId: bigint) =>
  one(
    db,
    z.object({ opened: z.int(), done: z.int() }),
    Prisma.sql`
      select count(*)::int as opened, count(*) filter (where t.state = 'DONE')::int as done
      from adjudications j join tasks t on t.tenant_id = j.tenant_id and t.id = j.task_id
      where j.tenant_id = app.tenant_id() and j.project_id = ${projectId}`,
  );

const FormRow = z.object({
  clientVersion: z.string().nullable(),
  formVariant: z.string().nullable(),
  answers: z.int(),
  medianSeconds: z.number(),
  agreed: z.number().nullable(),
  compared: z.int(),
  accuracyOnGold: z.number().nullable(),
  goldAnswers: z.int(),
});

/**
 * What was answered on each client and form, of the latest answers that say which: how many, how long it took, and how often
 * they are what most answers of their task say, where the task has others; numbers within their tolerance. What gold says of
 * them only where the scope shows gradings.
 */
export const formsOf = (db: Queryable, projectId: bigint, limit: number) =>
  many(
    db,
    FormRow,
    Prisma.sql`
      with answered as materialized (
        select f.client_version, f.form_variant, a.id, a.task_id, extract(epoch from a.submitted_at - a.leased_at) as seconds
        from (
          select * from answer_forms where tenant_id = app.tenant_id() and project_id = ${projectId}
          order by assignment_id desc limit ${limit}
        ) f
        join assignments a on a.tenant_id = f.tenant_id and a.id = f.assignment_id
      ), declared as materialized (
        select d ->> 'name' as name, app.tolerance_of(d) as tolerance
        from projects p join task_types y on y.tenant_id = p.tenant_id and y.id = p.task_type_id
        cross join lateral jsonb_array_elements(y.dimensions::jsonb) d
        where p.tenant_id = app.tenant_id() and p.id = ${projectId}
      ), compared as materialized (
        select w.id, v.dimension, count(*) as others, count(*) filter (
                 where (o.text_value, o.number_value) is not distinct from (v.text_value, v.number_value)
                    or abs(o.number_value - v.number_value) <= d.tolerance * (1 + 1e-9)) as same
        from answered w
        join answer_values v on v.tenant_id = app.tenant_id() and v.assignment_id = w.id
        join declared d on d.name = v.dimension
        join answer_values o on o.tenant_id = app.tenant_id() and o.task_id = w.task_id and o.dimension = v.dimension
          and o.assignment_id <> w.id
        group by w.id, v.dimension
      ), rated as (
        select c.id, avg(c.same::float8 / c.others) as agreed from compared c group by c.id
      ), graded as (
        select w.id, avg(g.is_right::int) as credit
        from answered w
        join gradings g on g.tenant_id = app.tenant_id() and g.assignment_id = w.id and g.kind = 'GOLD'
        where not exists (select from voided_gradings o where o.tenant_id = g.tenant_id and o.grading_id = g.id)
        group by w.id
      )
      select w.client_version as "clientVersion", w.form_variant as "formVariant", count(*)::int as answers,
             percentile_cont(0.5) within group (order by w.seconds)::float8 as "medianSeconds",
             avg(r.agreed) as agreed, count(r.agreed)::int as compared,
             avg(d.credit)::float8 as "accuracyOnGold", count(d.credit)::int as "goldAnswers"
      from answered w left join rated r on r.id = w.id left join graded d on d.id = w.id
      group by 1, 2 order by count(*) desc, 1, 2 limit 100`,
  );

const ResultRow = z.object({
  label: z.string(),
  dimension: z.string(),
  probability: z.number(),
  votes: z.bigint(),
  number: z.number().nullable(),
  tolerance: z.number().nullable(),
  deviation: z.number().nullable(),
});

/**
 * The classes of a task's dimensions that somebody named, the most probable first, and its numbers; by the answers as they
 * are now.
 */
export const consensusOf = (db: Queryable, taskId: bigint) =>
  many(
    db,
    ResultRow,
    Prisma.sql`
      select q.dimension, q.label, q.probability, q.votes, null::float8 as number, null::float8 as tolerance,
             null::float8 as deviation, q.position
      from app.task_posteriors(app.tenant_id(), array[${taskId}::bigint]) q where q.votes > 0
      union all
      select n.dimension, n.value::text, n.probability, n.votes, n.value, n.tolerance, n.deviation, 0
      from app.task_numbers(app.tenant_id(), array[${taskId}::bigint]) n
      order by dimension, probability desc, position`,
  );
