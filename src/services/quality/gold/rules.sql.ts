import { Prisma } from '../../../generated/prisma/client.js';
import type { RuleCheck } from '../../platform/rules.js';

/** Rules 8 and 10 for gold. */
export const goldRules: readonly RuleCheck[] = [
  {
    rule: 10,
    claim:
      'Each gold has as many leases as exposures, of as many experts, none of whom was barred, each by a recorded draw.',
    looked: Prisma.sql`select count(*) from golds`,
    broken: Prisma.sql`
      select format('gold %s of tenant %s', g.task_id, g.tenant_id) as what
      from golds g
      cross join lateral (
        select count(*) as leases, count(distinct a.expert_id) as experts, count(d.assignment_id) as draws,
               coalesce(bool_or(a.expert_id = any (g.barred)), false) as known
        from assignments a left join gold_draws d on d.tenant_id = a.tenant_id and d.assignment_id = a.id
        where a.tenant_id = g.tenant_id and a.task_id = g.task_id
      ) n
      where n.leases <> g.exposures or n.experts <> g.exposures or n.draws <> g.exposures or n.known`,
  },
  {
    rule: 10,
    claim: 'Every gold has its key, and every answer to it its gradings, one for each dimension of the key.',
    looked: Prisma.sql`select count(*) from tasks where kind = 'GOLD'`,
    broken: Prisma.sql`
      select format('task %s of tenant %s', t.id, t.tenant_id) as what
      from tasks t
      cross join lateral (select count(*) as n from gold_keys k where k.tenant_id = t.tenant_id and k.task_id = t.id) k
      where t.kind = 'GOLD' and (k.n = 0 or exists (
        select from assignments a
        where a.tenant_id = t.tenant_id and a.task_id = t.id and a.submitted_at is not null
          and (select count(*) from gradings g where g.tenant_id = a.tenant_id and g.assignment_id = a.id and g.kind = 'GOLD') <> k.n))`,
  },
  {
    rule: 10,
    claim:
      'A task is out of sight only for gold of its project that was begun in its place, counted, and no look for tasks that are due passes it by.',
    looked: Prisma.sql`select count(*) from ready where phase = 3`,
    broken: Prisma.sql`
      select format('task %s of tenant %s', r.task_id, r.tenant_id) as what
      from ready r
      join projects p on p.tenant_id = r.tenant_id and p.id = r.project_id
      left join gold_pools q on q.tenant_id = r.tenant_id and q.project_id = r.project_id
      where r.phase = 3 and (r.is_gold
        or not exists (
          select from golds g
          join assignments a on a.tenant_id = g.tenant_id and a.task_id = g.task_id and a.project_id = g.project_id
          where g.tenant_id = r.tenant_id and g.task_id = r.gold_task_id and g.project_id = r.project_id
            and a.lane_id = r.lane_id and a.leased_at >= r.hidden_at)
        or exists (select from ready_directed d where d.tenant_id = r.tenant_id and d.task_id = r.task_id)
        or r.hidings = 0
        or q.looked_at > r.hidden_at + make_interval(mins => 30, secs => 4 * p.lease_seconds))`,
  },
  {
    rule: 8,
    claim: 'Gold is paid by the tenant, and nothing else is.',
    looked: Prisma.sql`select count(*) from payouts`,
    broken: Prisma.sql`
      select format('payout %s of tenant %s', o.id, o.tenant_id) as what
      from payouts o
      where (o.customer_id = 0) <> exists (
        select from ledger_lines l where l.tenant_id = o.tenant_id and l.posting_id = o.posting_id and l.owner_kind = 'TENANT')`,
  },
];
