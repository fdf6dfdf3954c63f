import { Prisma } from '../../../generated/prisma/client.js';
import type { RuleCheck } from '../../platform/rules.js';

/** Rule 17 of traces; see docs/rules.md. */
export const fixRules: readonly RuleCheck[] = [
  {
    rule: 17,
    claim: 'Each trace that was given out stands in the access log, of the same worker to the same person.',
    looked: Prisma.sql`select count(*) from trace_exports`,
    broken: Prisma.sql`
      select format('trace export %s of tenant %s', t.id, t.tenant_id) as what
      from trace_exports t
      where not exists (
        select from access_log l
        where l.tenant_id = t.tenant_id and l.id = t.access_log_id and l.at >= t.exported_at - interval '1 minute'
          and l.subject_type = 'EXPERT' and l.subject_id = t.expert_id and l.actor_id = t.exported_by and l.purpose = 'TRACE')`,
  },
];
