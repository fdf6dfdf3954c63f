import { Prisma } from '../../../generated/prisma/client.js';
import type { RuleCheck } from '../../platform/rules.js';

/** What is folded counts: nothing of it is due, so nothing has come since. */
const isFolded = Prisma.sql`not exists (
  select from grading_dues d where d.tenant_id = k.tenant_id and d.expert_id = k.expert_id and d.skill_id = k.skill_id)`;

/** Rule 11 of dimensions: what an answer's dimensions weigh is a fold over their results too. */
export const dimensionRules: readonly RuleCheck[] = [
  {
    rule: 11,
    claim:
      'A dimension of a score is what the results in it add up to: the weight of each, .97 for each later one.',
    looked: Prisma.sql`select count(*) from quality_scores`,
    broken: Prisma.sql`
      with aged as (
        select g.tenant_id, g.expert_id, g.skill_id, g.task_type_id, g.dimension, g.is_right,
               g.weight * power(0.97, row_number() over (partition by g.tenant_id, g.expert_id, g.skill_id, g.task_type_id, g.dimension
                                                         order by g.graded_at desc, g.id desc) - 1) as weight
        from gradings g
        where not exists (select from voided_gradings v where v.tenant_id = g.tenant_id and v.grading_id = g.id)
      ), folded as (
        select a.tenant_id, a.expert_id, a.skill_id, a.task_type_id, a.dimension,
               coalesce(sum(a.weight) filter (where a.is_right), 0) as correct, coalesce(sum(a.weight) filter (where not a.is_right), 0) as wrong
        from aged a group by a.tenant_id, a.expert_id, a.skill_id, a.task_type_id, a.dimension
      ), kept as (
        select s.tenant_id, s.expert_id, s.skill_id, s.task_type_id, d ->> 'dimension' as dimension,
               (d ->> 'right')::float8 as correct, (d ->> 'wrong')::float8 as wrong
        from quality_scores s cross join jsonb_array_elements(coalesce(s.state::jsonb -> 'dimensions', '[]')) d
      )
      select format('%s of expert %s of tenant %s in skill %s', k.dimension, k.expert_id, k.tenant_id, k.skill_id) as what
      from (
        select coalesce(k.tenant_id, f.tenant_id) as tenant_id, coalesce(k.expert_id, f.expert_id) as expert_id,
               coalesce(k.skill_id, f.skill_id) as skill_id, coalesce(k.dimension, f.dimension) as dimension,
               abs(k.correct - f.correct) <= 1e-6 and abs(k.wrong - f.wrong) <= 1e-6 as is_right
        from kept k
        full join folded f on f.tenant_id = k.tenant_id and f.expert_id = k.expert_id and f.skill_id = k.skill_id
          and f.task_type_id = k.task_type_id and f.dimension = k.dimension
      ) k
      where k.is_right is not true and ${isFolded}`,
  },
  {
    rule: 11,
    claim:
      'What a dimension weighs is its results and what they are shrunk to: what the other dimensions say.',
    looked: Prisma.sql`select count(*) from quality_scores where accuracies <> '{}'`,
    broken: Prisma.sql`
      with sides as (
        select s.tenant_id, s.expert_id, s.skill_id, s.task_type_id, s.accuracies, s.prior_mean, s.prior_strength, d ->> 'dimension' as dimension,
               (d ->> 'right')::float8 as correct, (d ->> 'wrong')::float8 as wrong
        from quality_scores s cross join jsonb_array_elements(coalesce(s.state::jsonb -> 'dimensions', '[]')) d
      ), summed as (
        select d.*, count(*) over w - 1 as sides, (sum(d.correct) over w - d.correct) / greatest(1, count(*) over w - 1) as elsewhere_right,
               (sum(d.wrong) over w - d.wrong) / greatest(1, count(*) over w - 1) as elsewhere_wrong
        from sides d window w as (partition by d.tenant_id, d.expert_id, d.skill_id, d.task_type_id)
      ), others as (
        select d.*, (least(0.95, greatest(0.05, d.prior_mean)) * d.prior_strength + d.elsewhere_right)
                    / (d.prior_strength + d.elsewhere_right + d.elsewhere_wrong) as elsewhere
        from summed d
      ), shrunk as (
        select o.*, case when o.sides = 0 then o.prior_strength else 4.5 end as strength,
               least(0.95, greatest(0.05, case when o.sides = 0 then o.prior_mean else o.elsewhere end)) as centre
        from others o
      )
      select format('%s of expert %s of tenant %s in skill %s', k.dimension, k.expert_id, k.tenant_id, k.skill_id) as what
      from shrunk k
      where abs((k.accuracies ->> k.dimension)::float8 - (k.centre * k.strength + k.correct) / (k.strength + k.correct + k.wrong)) <= 1e-6
            is not true
        and ${isFolded}`,
  },
  {
    rule: 11,
    claim: 'A score says of an expert what its counts do, with what they are shrunk to.',
    looked: Prisma.sql`select count(*) from quality_scores where prior_mean is not null`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s in skill %s', k.expert_id, k.tenant_id, k.skill_id) as what
      from quality_scores k
      cross join lateral (select (k.state::jsonb ->> 'right')::float8 as correct, (k.state::jsonb ->> 'wrong')::float8 as wrong,
                                 least(0.95, greatest(0.05, k.prior_mean)) as centre) c
      where abs(k.mean - (c.centre * k.prior_strength + c.correct) / (k.prior_strength + c.correct + c.wrong)) > 1e-6
        and ${isFolded}`,
  },
];
