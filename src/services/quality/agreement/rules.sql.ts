import { Prisma } from '../../../generated/prisma/client.js';
import type { RuleCheck } from '../../platform/rules.js';

const PLACE = Prisma.sql`project_id, skill_id, task_type_id, dimension`;
const WHO = Prisma.sql`${PLACE}, expert_id, peer_id`;

/** The answers that are counted, of each tenant. */
const COUNTED = Prisma.sql`
  select t.id as tenant_id, array(select unnest(u.counted) from agreement_units u where u.tenant_id = t.id) as ids from tenants t`;

/** Of rows with their place, and figures with and without a minus, those that do not add up to nothing. */
const differing = (rows: Prisma.Sql, key: Prisma.Sql, isNothing: Prisma.Sql) => Prisma.sql`
  select format('%s of skill %s, project %s of tenant %s', dimension, skill_id, project_id, tenant_id) as what
  from (${rows}) r group by tenant_id, ${key} having not (${isNothing})`;

/** Rule 11 of agreement: what is kept is what the counted answers amount to. */
export const agreementRules: readonly RuleCheck[] = [
  {
    rule: 11,
    claim: 'Agreement is counted over the answers that count of finished tasks, or the task is due.',
    looked: Prisma.sql`select count(*) from agreement_units`,
    broken: Prisma.sql`
      with facts as (
        select t.tenant_id, t.id, array_agg(a.id order by a.id) as counted
        from tasks t
        join assignments a on a.tenant_id = t.tenant_id and a.task_id = t.id and a.state in ('SUBMITTED', 'ACCEPTED')
        where t.state = 'DONE' and t.kind = 'WORK' group by t.tenant_id, t.id having count(*) >= 2
      )
      select format('task %s of tenant %s', coalesce(f.id, u.task_id), coalesce(f.tenant_id, u.tenant_id)) as what
      from facts f full join agreement_units u on u.tenant_id = f.tenant_id and u.task_id = f.id
      where f.counted is distinct from u.counted
        and not exists (select from agreement_dues d where d.tenant_id = coalesce(f.tenant_id, u.tenant_id)
                          and d.task_id = coalesce(f.id, u.task_id))`,
  },
  {
    rule: 11,
    claim: 'The counts of answers that met are those of the answers they are counted over.',
    looked: Prisma.sql`select count(*) from agreement_cells`,
    broken: differing(
      Prisma.sql`
        select tenant_id, ${WHO}, size, said, heard, pairs, spread from agreement_cells
        union all
        select k.tenant_id, ${WHO}, size, said, heard, -pairs, -spread from (${COUNTED}) k
        cross join lateral app.agreement_cells_of(k.tenant_id, k.ids)`,
      Prisma.sql`${WHO}, size, said, heard`,
      Prisma.sql`sum(pairs) = 0 and sum(spread) = 0`,
    ),
  },
  {
    rule: 11,
    claim: 'How often each value was said is counted from those answers.',
    looked: Prisma.sql`select count(*) from agreement_values`,
    broken: differing(
      Prisma.sql`
        select tenant_id, ${PLACE}, digest, answers from agreement_values
        union all
        select k.tenant_id, ${PLACE}, digest, -answers from (${COUNTED}) k
        cross join lateral app.agreement_values_of(k.tenant_id, k.ids)`,
      Prisma.sql`${PLACE}, digest`,
      Prisma.sql`sum(answers) = 0`,
    ),
  },
  {
    rule: 11,
    claim: 'Tasks, answers, sums and squares of agreement are those of the same answers.',
    looked: Prisma.sql`select count(*) from agreement_totals`,
    broken: differing(
      Prisma.sql`
        select tenant_id, ${WHO}, tasks, answers, total, squares from agreement_totals
        union all
        select k.tenant_id, ${WHO}, -tasks, -answers, -total, -squares from (${COUNTED}) k
        cross join lateral app.agreement_totals_of(k.tenant_id, k.ids)
        union all
        select tenant_id, ${PLACE}, 0, 0, 0, 0, 0, -answers::numeric * answers from agreement_values`,
      WHO,
      Prisma.sql`sum(tasks) = 0 and sum(answers) = 0 and sum(total) = 0 and sum(squares) = 0`,
    ),
  },
];
