import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

const held = Prisma.sql`o.state in ('LIVE', 'ACCEPTED')`;

/** Rules 13 to 15: jobs and workers are leased together, by fresh fixes, and around nobody. */
export const dispatchRules: readonly RuleCheck[] = [
  {
    rule: 13,
    claim: 'A job has at most one live offer or acceptance.',
    looked: Prisma.sql`select count(*) from jobs`,
    broken: Prisma.sql`
      select format('job %s of tenant %s has %s', o.job_id, o.tenant_id, count(*)) as what
      from offers o where ${held} group by o.tenant_id, o.job_id having count(*) > 1`,
  },
  {
    rule: 13,
    claim: 'Jobs and offers point at each other: nothing is orphaned.',
    looked: Prisma.sql`select count(*) from jobs`,
    broken: Prisma.sql`
      select format('job %s of tenant %s is %s with an offer %s', j.id, j.tenant_id, j.state, o.state) as what
      from jobs j left join offers o on o.tenant_id = j.tenant_id and o.id = j.offer_id
      where j.offer_id is not null and (o.id is null or o.job_id <> j.id
        or o.state <> case j.state when 'OFFERED' then 'LIVE' when 'DONE' then 'DONE' else 'ACCEPTED' end)
      union all
      select format('offer %s of tenant %s is %s, its job %s', o.id, o.tenant_id, o.state, j.state)
      from offers o join jobs j on j.tenant_id = o.tenant_id and j.id = o.job_id
      where ${held} and j.offer_id is distinct from o.id`,
  },
  {
    rule: 13,
    claim: 'A worker has at most one live offer of a job for now.',
    looked: Prisma.sql`select count(*) from offers o where o.state = 'LIVE'`,
    broken: Prisma.sql`
      select format('worker %s of tenant %s has %s', o.expert_id, o.tenant_id, count(*)) as what
      from offers o where o.state = 'LIVE' and o.occupies group by o.tenant_id, o.expert_id having count(*) > 1`,
  },
  {
    rule: 13,
    claim: 'What workers have accepted overlaps in no hand of theirs.',
    looked: Prisma.sql`select count(*) from offers o where ${held}`,
    broken: Prisma.sql`
      select format('offers %s and %s of tenant %s', o.id, other.id, o.tenant_id) as what
      from offers o
      join offers other on other.tenant_id = o.tenant_id and other.expert_id = o.expert_id and other.slot = o.slot
        and other.id > o.id and other.busy && o.busy and other.state in ('LIVE', 'ACCEPTED')
      where ${held}`,
  },
  {
    rule: 14,
    claim: 'No job for now was offered by a fix older than half a minute by either clock.',
    looked: Prisma.sql`select count(*) from offers o where o.occupies and o.kind = 'AUTO'`,
    broken: Prisma.sql`
      select format('offer %s of tenant %s', o.id, o.tenant_id) as what
      from offers o
      where o.occupies and o.kind = 'AUTO'
        and (least(o.fix_device_at, o.fix_received_at) >= o.offered_at - interval '30 seconds') is not true`,
  },
  {
    rule: 15,
    claim:
      'Whoever decided around the candidates stands on the offer, with why; and every move of a job is written down.',
    looked: Prisma.sql`select count(*) from offers o where o.kind = 'MANUAL'`,
    broken: Prisma.sql`
      select format('offer %s of tenant %s', o.id, o.tenant_id) as what
      from offers o where o.kind = 'MANUAL' and (o.actor_id is null or o.reason is null)
      union all
      select format('job %s of tenant %s is %s, last written down as %s', j.id, j.tenant_id, j.state, m.to_state)
      from jobs j
      left join lateral (
        select m.to_state from job_moves m where m.tenant_id = j.tenant_id and m.job_id = j.id order by m.id desc limit 1
      ) m on true
      where m.to_state is distinct from j.state`,
  },
];
