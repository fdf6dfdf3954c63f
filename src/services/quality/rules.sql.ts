import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

/** Rules 2 and 3 where answers disagree. */
export const qualityRules: readonly RuleCheck[] = [
  {
    rule: 2,
    claim: 'A task that goes on has at least the answers that were decided about, and wants more than those.',
    looked: Prisma.sql`select count(*) from task_decisions`,
    broken: Prisma.sql`
      select format('task %s of tenant %s', d.task_id, d.tenant_id) as what
      from task_decisions d join tasks t on t.tenant_id = d.tenant_id and t.id = d.task_id
      where d.next = 'MORE' and t.wanted <= d.answers or t.counted < d.answers`,
  },
  {
    rule: 3,
    claim: 'Nobody adjudicates what they have answered, and an adjudication wants one answer.',
    looked: Prisma.sql`select count(*) from adjudications`,
    broken: Prisma.sql`
      select format('task %s of tenant %s', j.task_id, j.tenant_id) as what
      from adjudications j
      join tasks t on t.tenant_id = j.tenant_id and t.id = j.task_id
      where t.wanted <> 1 or exists (
        select from assignments a
        join assignments o on o.tenant_id = a.tenant_id and o.expert_id = a.expert_id and o.task_id = j.parent_id
        where a.tenant_id = j.tenant_id and a.task_id = j.task_id)`,
  },
];
