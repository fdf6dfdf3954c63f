import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';
import { isCalibrated } from '../inference/calibrated.sql.js';
import { METHODS } from './methods.sql.js';

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

/** Whether an expert in a skill `x` is no newcomer to it: past probation, or was before the pause that holds or the re-test after it. */
const isKnown = Prisma.sql`(
  x.status = 'ACTIVE'
  or (x.status = 'PAUSED' or exists (
        select from shown_standings w
        where w.tenant_id = x.tenant_id and w.expert_id = x.expert_id and w.skill_id = x.skill_id and w.phase = 'RETEST'))
     and (select u.status_before from pauses u
          where u.tenant_id = x.tenant_id and u.expert_id = x.expert_id and u.skill_id = x.skill_id order by u.id desc limit 1) = 'ACTIVE')`;

/**
 * Whether nobody whom the skill knows has a part in the result of a finished task `t` of a project `p`: no answer of it that counts is by an
 * expert who is past probation as things are now, paused or not, and no stronger expert has decided it.
 */
export const isByNewcomersAlone = Prisma.sql`(
  not exists (
    select from assignments a
    join expert_skills x on x.tenant_id = a.tenant_id and x.expert_id = a.expert_id and x.skill_id = p.skill_id
    where a.tenant_id = t.tenant_id and a.task_id = t.id and a.state in ('SUBMITTED', 'ACCEPTED') and ${isKnown})
  and not exists (
    select from adjudications j join tasks d on d.tenant_id = j.tenant_id and d.id = j.task_id and d.state = 'DONE'
    where j.tenant_id = t.tenant_id and j.parent_id = t.id))`;

/** Of the tasks that were finished last, how many rest on newcomers alone. For our own statements: customers see no experts. */
export const newcomersAloneOf = (
  db: Queryable,
  { projectId, limit }: { projectId: bigint; limit: number },
): Promise<{ tasks: number; alone: number }> =>
  one(
    db,
    z.object({ tasks: z.int(), alone: z.int() }),
    Prisma.sql`
      select count(*)::int as tasks, count(*) filter (where l.is_alone)::int as alone from (
        select ${isByNewcomersAlone} as is_alone
        from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
        where t.tenant_id = app.tenant_id() and t.project_id = ${projectId} and t.state = 'DONE' and t.kind = 'WORK'
        order by t.id desc limit ${limit}) l`,
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
  experts: z.int(),
  agreedExperts: z.int(),
  agreedDifference: z.number().nullable(),
  agreedError: z.number().nullable(),
  secondsExperts: z.int(),
  secondsRatio: z.number().nullable(),
  secondsError: z.number().nullable(),
});

/**
 * What was answered on each client and form, of the latest answers that say which: how many, by how many experts, how long it took, and how often
 * they are what most answers of their task say, where the task has others; numbers within their tolerance. What gold says of
 * them only where the scope shows gradings. And how the same experts did on other forms: who was given a form decides nothing of that.
 */
export const formsOf = (db: Queryable, projectId: bigint, limit: number) =>
  many(
    db,
    FormRow,
    Prisma.sql`
      with answered as materialized (
        select f.client_version, f.form_variant, a.id, a.task_id, a.expert_id,
               greatest(1, extract(epoch from a.submitted_at - a.leased_at))::float8 as seconds
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
      ), of_expert as materialized (
        select w.client_version, w.form_variant, w.expert_id, count(*) as n, sum(ln(w.seconds)) as seconds, count(r.agreed) as compared,
               sum(r.agreed) as agreed
        from answered w left join rated r on r.id = w.id group by 1, 2, 3
      ), apart as (
        -- An expert on this form against the same on all others.
        select e.client_version, e.form_variant,
               e.seconds / e.n - (sum(e.seconds) over mine - e.seconds) / nullif(sum(e.n) over mine - e.n, 0) as seconds,
               e.agreed / nullif(e.compared, 0) - (sum(e.agreed) over mine - e.agreed) / nullif(sum(e.compared) over mine - e.compared, 0) as agreed
        from of_expert e window mine as (partition by e.expert_id)
      ), within as (
        select a.client_version, a.form_variant, count(*) as experts, count(a.agreed) as agreed_experts, avg(a.agreed) as agreed,
               stddev_samp(a.agreed) / sqrt(nullif(count(a.agreed), 0)) as agreed_error, count(a.seconds) as seconds_experts,
               avg(a.seconds) as seconds, stddev_samp(a.seconds) / sqrt(nullif(count(a.seconds), 0)) as seconds_error
        from apart a group by 1, 2
      ), formed as (
      select w.client_version as "clientVersion", w.form_variant as "formVariant", count(*)::int as answers,
             percentile_cont(0.5) within group (order by w.seconds)::float8 as "medianSeconds",
             avg(r.agreed) as agreed, count(r.agreed)::int as compared,
             avg(d.credit)::float8 as "accuracyOnGold", count(d.credit)::int as "goldAnswers"
      from answered w left join rated r on r.id = w.id left join graded d on d.id = w.id
      group by 1, 2)
      select o.*, i.experts::int as experts, i.agreed_experts::int as "agreedExperts", i.agreed as "agreedDifference", i.agreed_error as "agreedError",
             i.seconds_experts::int as "secondsExperts", exp(i.seconds) as "secondsRatio", exp(i.seconds) * i.seconds_error as "secondsError"
      from formed o
      join within i on i.client_version is not distinct from o."clientVersion" and i.form_variant is not distinct from o."formVariant"
      order by o.answers desc, 1, 2 limit 100`,
  );

const ResultRow = z.object({
  label: z.string(),
  dimension: z.string(),
  probability: z.number(),
  votes: z.bigint(),
  number: z.number().nullable(),
  tolerance: z.number().nullable(),
  deviation: z.number().nullable(),
  method: z.enum(METHODS),
  version: z.int().nullable(),
  isCalibrated: z.boolean(),
});

/**
 * The classes of a task's dimensions that somebody named, the most probable first, and its numbers; by the answers as they
 * are now, the method that holds, and how probable things turned out on the project's gold.
 */
export const consensusOf = (db: Queryable, taskId: bigint) =>
  many(
    db,
    ResultRow,
    Prisma.sql`
      select r.*, coalesce(i.method, case when r.number is null then 'GOLD_BAYES' else 'NUMBERS' end) as method, i.number as version,
             ${isCalibrated} as "isCalibrated"
      from (
        select q.dimension, q.label, q.stated as probability, q.votes, null::float8 as number, null::float8 as tolerance,
               null::float8 as deviation, q.position, q.version_id
        from app.task_posteriors(app.tenant_id(), array[${taskId}::bigint]) q where q.votes > 0
        union all
        select n.dimension, n.value::text, n.stated, n.votes, n.value, n.tolerance, n.deviation, 0, n.version_id
        from app.task_numbers(app.tenant_id(), array[${taskId}::bigint]) n
      ) r
      left join inference_versions i on i.tenant_id = app.tenant_id() and i.id = r.version_id
      order by r.dimension, r.probability desc, r.position`,
  );
