import { Prisma } from '../../../generated/prisma/client.js';
import type { RuleCheck } from '../../platform/rules.js';

/** Numbers of versions are kept to six digits: a row of shares adds up to one within so much. */
const DIGITS = 1e-4;

/** A decision `d` that rests on a draw. */
const RESTS_ON_A_DRAW = Prisma.sql`
  d.id > app.draws_kept_after() and (d.reason = 'AUDIT' and coalesce(d.decided_by, 0) = 0 or d.reason = 'FIRST_GOLD' and d.decided_by = 0)`;

/** Rule 11 of methods: what a result came from can be looked up, and computed anew. */
export const methodRules: readonly RuleCheck[] = [
  {
    rule: 11,
    claim:
      'The versions of a dimension count up from one, each later than the one before and on no less than it had.',
    looked: Prisma.sql`select count(*) from inference_versions`,
    broken: Prisma.sql`
      select format('version %s of %s in project %s of tenant %s', v.number, v.dimension, v.project_id, v.tenant_id) as what
      from (
        select i.*, row_number() over w as place, lag(i.fitted_at) over w as before, lag(i.last_grading) over w as graded
        from inference_versions i window w as (partition by i.tenant_id, i.project_id, i.dimension order by i.number)
      ) v
      where v.number <> v.place or v.fitted_at < v.before or v.last_grading < v.graded`,
  },
  {
    rule: 11,
    claim:
      'A frozen method knows P(answer | truth) of each expert as shares that add up to one; the default knows of nobody.',
    looked: Prisma.sql`select count(*) from inference_experts`,
    broken: Prisma.sql`
      with known as (
        select v.tenant_id, v.id, v.project_id, v.number, v.dimension, v.accuracy is not null as is_frozen, null::bigint as expert_id, v.matrix
        from inference_versions v
        union all
        select v.tenant_id, v.id, v.project_id, v.number, v.dimension, v.accuracy is not null, e.expert_id, e.matrix
        from inference_experts e join inference_versions v on v.tenant_id = e.tenant_id and v.id = e.version_id
      )
      select format('version %s of %s in project %s of tenant %s, expert %s', k.number, k.dimension, k.project_id, k.tenant_id, k.expert_id) as what
      from known k
      where not k.is_frozen and (k.expert_id is not null or k.matrix is not null)
         or exists (
           select from jsonb_each(k.matrix) r
           cross join lateral (select sum(s.value::text::float8) as total, min(s.value::text::float8) as least from jsonb_each(r.value) s) t
           where abs(t.total - 1) > ${DIGITS} or t.least < 0)
         or exists (
           select from inference_versions v
           cross join lateral (select sum(s.value::text::float8) as total from jsonb_each(v.prior) s) t
           where v.tenant_id = k.tenant_id and v.id = k.id and k.expert_id is null and abs(t.total - 1) > ${DIGITS})`,
  },
  {
    rule: 11,
    claim:
      'Each truth that was drawn by the share is of a task that a stronger expert was asked about, or that its budget stopped; each of the first gold of one that anybody may have.',
    looked: Prisma.sql`select count(*) from truth_draws`,
    broken: Prisma.sql`
      select format('task %s of tenant %s', w.task_id, w.tenant_id) as what from truth_draws w
      where case w.reason
        when 'AUDIT' then not exists (
          select from adjudications j where j.tenant_id = w.tenant_id and j.parent_id = w.task_id and j.project_id = w.project_id)
        when 'BUDGET' then not exists (
          select from task_decisions d where d.tenant_id = w.tenant_id and d.task_id = w.task_id and d.project_id = w.project_id and d.reason = 'BUDGET')
        else not exists (
          select from tasks t where t.tenant_id = w.tenant_id and t.id = w.task_id and t.project_id = w.project_id and t.kind = 'WORK' and t.allow is null)
        end`,
  },
  {
    rule: 11,
    claim:
      'Each task that was audited by the rule, or asked about for the first gold, was drawn, since draws are kept.',
    looked: Prisma.sql`select count(*) from task_decisions d where ${RESTS_ON_A_DRAW}`,
    broken: Prisma.sql`
      select format('decision %s about task %s of tenant %s', d.id, d.task_id, d.tenant_id) as what from task_decisions d
      where ${RESTS_ON_A_DRAW} and not exists (
        select from truth_draws w where w.tenant_id = d.tenant_id and w.project_id = d.project_id and w.task_id = d.task_id)`,
  },
  {
    rule: 11,
    claim: 'Each result that was decided names a version that its project had, and its method.',
    looked: Prisma.sql`select count(*) from task_decisions`,
    broken: Prisma.sql`
      select format('decision %s about task %s of tenant %s', d.id, d.task_id, d.tenant_id) as what
      from task_decisions d
      cross join lateral jsonb_array_elements(d.results) r
      left join inference_versions v on v.tenant_id = d.tenant_id and v.project_id = d.project_id and v.dimension = r ->> 'dimension'
        and v.number = (r ->> 'version')::integer
      where r ->> 'version' is not null and v.method is distinct from r ->> 'method'`,
  },
];
