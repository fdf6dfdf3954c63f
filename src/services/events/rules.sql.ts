import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

/** Rule 12: a change and its event are together, and each stream is numbered without a gap. */
export const eventRules: readonly RuleCheck[] = [
  {
    rule: 12,
    claim: 'Each stream is numbered densely from what was trimmed to its head.',
    looked: Prisma.sql`select count(*) from streams`,
    broken: Prisma.sql`
      select format('stream %s of tenant %s: %s events for %s to %s', s.stream, s.tenant_id, n.events, s.trimmed_seq + 1, s.head_seq) as what
      from streams s
      cross join lateral (
        select count(*) as events, min(e.seq) as first, max(e.seq) as last from stream_events e
        where e.tenant_id = s.tenant_id and e.stream = s.stream and e.epoch = s.epoch and e.seq > s.trimmed_seq
      ) n
      where n.events <> s.head_seq - s.trimmed_seq
         or (n.events > 0 and (n.first <> s.trimmed_seq + 1 or n.last <> s.head_seq))`,
  },
  {
    rule: 12,
    claim: 'Every answer of the last day has its event, once.',
    looked: Prisma.sql`select count(*) from assignments where submitted_at > app.clock_now() - interval '23 hours'`,
    broken: Prisma.sql`
      select format('assignment %s of tenant %s: %s events', a.id, a.tenant_id, coalesce(e.events, 0)) as what
      from assignments a
      left join (
        select e.tenant_id, (e.body ->> 'assignmentId')::bigint as assignment_id, count(*) as events
        from stream_events e where e.kind = 'SUBMITTED' group by 1, 2
      ) e on e.tenant_id = a.tenant_id and e.assignment_id = a.id
      left join streams s on s.tenant_id = a.tenant_id and s.stream = app.lease_stream(a)
      where a.submitted_at > app.clock_now() - interval '23 hours'
        and coalesce(s.trimmed_seq, 0) = 0 and coalesce(e.events, 0) <> 1`,
  },
];
