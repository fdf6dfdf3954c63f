import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

/** Rule 7: what is lifted is lifted as far as somebody allowed, so that others keep their turns. */
export const forecastRules: readonly RuleCheck[] = [
  {
    rule: 7,
    claim:
      'Every lift began under a policy of its project that allowed as much, at a chance below its bound.',
    looked: Prisma.sql`select count(*) from project_lifts`,
    broken: Prisma.sql`
      select format('lift %s of tenant %s', l.id, l.tenant_id) as what
      from project_lifts l
      where not exists (
        select from risk_policies r
        where r.tenant_id = l.tenant_id and r.project_id = l.project_id and r.lift >= l.lift
          and coalesce(l.probability, 0) < (1 + coalesce(r.lift_below, r.threshold)) / 2
          -- (Until half of the way to certainty it goes on under another policy.) In force when the chance was judged, which may have been begun a while before.
          and r.set_at <= l.began_at + interval '1 minute'
          and not exists (
            select from risk_policies n
            where n.tenant_id = r.tenant_id and n.project_id = r.project_id and n.id > r.id
              and n.set_at <= l.began_at - interval '1 minute'))`,
  },
];
