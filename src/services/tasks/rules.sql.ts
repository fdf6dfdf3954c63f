import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

/** Rules 5 and 6: what is in the queue may be claimed, and what may be claimed is in the queue. */
export const taskRules: readonly RuleCheck[] = [
  {
    rule: 5,
    claim:
      'What can be claimed is an open task of a running project, or gold that may be shown, in the lane of its skill, minimum quality and task type; an adjudication in the stronger one.',
    looked: Prisma.sql`select count(*) from ready`,
    broken: Prisma.sql`
      select format('task %s of tenant %s', r.task_id, r.tenant_id) as what
      from ready r
      left join tasks t on t.tenant_id = r.tenant_id and t.id = r.task_id
      left join projects p on p.tenant_id = r.tenant_id and p.id = r.project_id
      left join lanes l on l.tenant_id = r.tenant_id and l.id = r.lane_id
      left join adjudications j on j.tenant_id = r.tenant_id and j.task_id = r.task_id
      where t.id is null or p.id is null or l.id is null or t.state <> 'OPEN' or p.state <> 'RUNNING'
         or t.project_id <> r.project_id or r.is_gold <> (t.kind = 'GOLD') or l.skill_id <> p.skill_id
         or r.lane_id is distinct from case when j.task_id is null then p.lane_id else p.adjudication_lane_id end
         or case when j.task_id is null then l.min_quality <> p.min_quality else l.min_quality < p.min_quality end
         or l.task_type_id not in (0, p.task_type_id)
         or r.is_gold and not exists (select from golds g where g.tenant_id = r.tenant_id and g.task_id = r.task_id and g.state = 'ACTIVE')`,
  },
  {
    rule: 6,
    claim:
      'No slot is lost: the free and the taken ones of every open task of a running project are 1 to wanted, once each.',
    looked: Prisma.sql`
      select count(*) from tasks t join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
      where t.state = 'OPEN' and p.state = 'RUNNING' and t.kind <> 'GOLD'`,
    broken: Prisma.sql`
      select format('task %s of tenant %s wants %s, has slots %s', t.id, t.tenant_id, t.wanted, s.slots) as what
      from tasks t
      join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
      cross join lateral (
        select array_agg(x.slot order by x.slot) as slots from (
          select unnest(r.free_slots) as slot from ready r where r.tenant_id = t.tenant_id and r.task_id = t.id
          union all
          select a.slot from assignments a
          where a.tenant_id = t.tenant_id and a.task_id = t.id and a.state in ('LEASED', 'SUBMITTED', 'ACCEPTED')
        ) x
      ) s
      where t.state = 'OPEN' and p.state = 'RUNNING' and t.kind <> 'GOLD'
        and s.slots is distinct from (select array_agg(n::smallint order by n) from generate_series(1, t.wanted) n)`,
  },
  {
    rule: 6,
    claim: 'Every live lease has an alarm that will look at it, due no later than its end.',
    looked: Prisma.sql`select count(*) from assignments where state = 'LEASED'`,
    broken: Prisma.sql`
      select format('assignment %s of tenant %s', a.id, a.tenant_id) as what
      from assignments a
      where a.state = 'LEASED' and not exists (
        select from lease_alarms l
        where l.tenant_id = a.tenant_id and l.assignment_id = a.id and l.epoch = a.epoch and l.due_at <= a.lease_until)`,
  },
  {
    rule: 6,
    claim: 'Every task reserved for experts is in the own queue of each of them who may still have it.',
    looked: Prisma.sql`select count(*) from ready where phase = 2`,
    broken: Prisma.sql`
      select format('task %s of tenant %s for expert %s', r.task_id, r.tenant_id, e.expert_id) as what
      from ready r
      join tasks t on t.tenant_id = r.tenant_id and t.id = r.task_id
      cross join lateral unnest(t.allow) as e(expert_id)
      where r.phase = 2 and not e.expert_id = any (r.excl) and not exists (
        select from ready_directed d
        where d.tenant_id = r.tenant_id and d.task_id = r.task_id and d.expert_id = e.expert_id)`,
  },
  {
    rule: 11,
    claim:
      'What is kept of how many tasks of a batch want and have how much, with what has changed since, is what there is.',
    looked: Prisma.sql`select count(*) from task_tallies`,
    broken: Prisma.sql`
      select format('%s tasks of batch %s of tenant %s that are %s and have %s of %s: %s off', kind, batch_id, tenant_id, state, counted, wanted, sum(tasks)) as what
      from (
        select tenant_id, batch_id, kind, state, wanted, counted, tasks from task_tallies
        union all
        select tenant_id, batch_id, kind, state, wanted, counted, tasks from task_deltas
        union all
        select tenant_id, batch_id, kind, state, wanted, counted, -count(*) from tasks where batch_id is not null group by 1, 2, 3, 4, 5, 6) n
      group by tenant_id, batch_id, kind, state, wanted, counted having sum(tasks) <> 0`,
  },
];
