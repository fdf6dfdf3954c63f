import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

const live = Prisma.sql`a.state = 'LEASED'`;
const counted = Prisma.sql`a.state in ('SUBMITTED', 'ACCEPTED')`;
const answered = Prisma.sql`a.state in ('SUBMITTED', 'ACCEPTED', 'REJECTED')`;

/** Rules 1 to 5 and 9: claims, redundancy, answers, caps, cancellation. */
export const routingRules: readonly RuleCheck[] = [
  {
    rule: 1,
    claim: 'An expert holds at most one live claim.',
    looked: Prisma.sql`select count(*) from assignments a where ${live}`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s holds %s', a.expert_id, a.tenant_id, count(*)) as what
      from assignments a where ${live} group by a.tenant_id, a.expert_id having count(*) > 1`,
  },
  {
    rule: 2,
    claim: 'Live plus counted answers of a task never exceed the number it wants.',
    looked: Prisma.sql`select count(*) from tasks`,
    broken: Prisma.sql`
      select format('task %s of tenant %s wants %s, has %s', t.id, t.tenant_id, t.wanted, count(*)) as what
      from tasks t join assignments a on a.tenant_id = t.tenant_id and a.task_id = t.id and (${live} or ${counted})
      group by t.tenant_id, t.id, t.wanted having count(*) > t.wanted`,
  },
  {
    rule: 2,
    claim: 'A task counts the answers that it has; gold counts none.',
    looked: Prisma.sql`select count(*) from tasks`,
    broken: Prisma.sql`
      select format('task %s of tenant %s counts %s, has %s', t.id, t.tenant_id, t.counted, n.answers) as what
      from tasks t
      cross join lateral (
        select count(*) as answers from assignments a
        where a.tenant_id = t.tenant_id and a.task_id = t.id and ${counted}
      ) n
      where t.counted <> case t.kind when 'GOLD' then 0 else n.answers end`,
  },
  {
    rule: 3,
    claim: 'The same expert never has the same task twice.',
    looked: Prisma.sql`select count(*) from assignments`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s has task %s %s times', a.expert_id, a.tenant_id, a.task_id, count(*)) as what
      from assignments a group by a.tenant_id, a.task_id, a.expert_id having count(*) > 1`,
  },
  {
    rule: 4,
    claim:
      'Every answer was stored inside its lease, at its epoch, by its holder, and is what its digest says.',
    looked: Prisma.sql`select count(*) from answers`,
    broken: Prisma.sql`
      select format('answer of assignment %s of tenant %s', n.assignment_id, n.tenant_id) as what
      from answers n
      left join assignments a on a.tenant_id = n.tenant_id and a.id = n.assignment_id
      where a.id is null or not (${answered}) or a.epoch <> n.epoch or a.expert_id <> n.expert_id
         or a.submitted_at <> n.submitted_at or n.submitted_at >= a.lease_until or n.submitted_at < a.leased_at
         or n.digest <> encode(sha256(convert_to(n.body, 'UTF8')), 'hex')`,
  },
  {
    rule: 4,
    claim: 'Every submitted assignment has its answer.',
    looked: Prisma.sql`select count(*) from assignments a where ${answered}`,
    broken: Prisma.sql`
      select format('assignment %s of tenant %s', a.id, a.tenant_id) as what
      from assignments a
      where ${answered}
        and not exists (select from answers n where n.tenant_id = a.tenant_id and n.assignment_id = a.id)`,
  },
  {
    rule: 5,
    claim: 'No expert has more tasks of a project than it lets one have.',
    looked: Prisma.sql`select count(*) from projects where max_per_expert is not null`,
    broken: Prisma.sql`
      select format('expert %s of tenant %s has %s of project %s', a.expert_id, a.tenant_id, count(*), a.project_id) as what
      from projects p join assignments a on a.tenant_id = p.tenant_id and a.project_id = p.id and (${live} or ${answered})
      where p.max_per_expert is not null
      group by a.tenant_id, a.expert_id, a.project_id, p.max_per_expert having count(*) > p.max_per_expert`,
  },
  {
    rule: 9,
    claim: 'No lease is live in a stopped project, and none was given well after a cancel.',
    looked: Prisma.sql`select count(*) from projects where state = 'CANCELLED'`,
    broken: Prisma.sql`
      select format('assignment %s of project %s, tenant %s', a.id, p.id, p.tenant_id) as what
      from projects p join assignments a on a.tenant_id = p.tenant_id and a.project_id = p.id
      where p.state = 'CANCELLED'
        and ((p.cancel_policy = 'STOP' and ${live}) or a.leased_at > p.cancelled_at + interval '60 seconds')`,
  },
];
