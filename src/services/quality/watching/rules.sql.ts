import { Prisma } from '../../../generated/prisma/client.js';
import type { RuleCheck } from '../../platform/rules.js';

/** Rule 11 of adjudicators: what somebody adjudicated who knew gold grades nobody, while the finding about them stands. */
export const asideRules: readonly RuleCheck[] = [
  {
    rule: 11,
    claim:
      'What was adjudicated by whoever is found to have known gold counts for nobody while that stands, and all else that was adjudicated counts.',
    looked: Prisma.sql`select count(*) from gradings where kind = 'ADJUDICATION'`,
    broken: Prisma.sql`
      with found as materialized (
        select distinct s.tenant_id, s.expert_id, s.skill_id from set_asides s
      ), judged as (
        select g.tenant_id, g.id, v.reason, a.expert_id, g.skill_id, g.graded_at
        from gradings g
        join adjudications j on j.tenant_id = g.tenant_id and j.parent_id = g.task_id
        join assignments a on a.tenant_id = g.tenant_id and a.task_id = j.task_id and a.submitted_at <= g.graded_at
        left join voided_gradings v on v.tenant_id = g.tenant_id and v.grading_id = g.id
        where g.kind = 'ADJUDICATION'
          and (v.reason = 'ADJUDICATOR'
               or exists (select from found f where f.tenant_id = g.tenant_id and f.expert_id = a.expert_id and f.skill_id = g.skill_id))
          and not exists (select from assignments o where o.tenant_id = a.tenant_id and o.task_id = a.task_id and o.submitted_at < a.submitted_at)
          and not exists (select from set_asides s where s.tenant_id = g.tenant_id and s.expert_id = a.expert_id and s.skill_id = g.skill_id and s.is_due)
      )
      select format('grading %s of tenant %s', d.id, d.tenant_id) as what from judged d
      cross join lateral (select app.aside_until(d.tenant_id, d.expert_id, d.skill_id) >= d.graded_at as is_aside) u
      where case when u.is_aside then d.reason is null else d.reason = 'ADJUDICATOR' end`,
  },
];
