import { Prisma } from '../../generated/prisma/client.js';
import type { RuleCheck } from '../platform/rules.js';

/** Rule 8: one assignment, one payout of a kind; the books balance and were never changed. */
export const payoutRules: readonly RuleCheck[] = [
  {
    rule: 8,
    claim: 'Every submitted answer is paid exactly once, at the price of its claim.',
    looked: Prisma.sql`select count(*) from assignments where submitted_at is not null`,
    broken: Prisma.sql`
      select format('assignment %s of tenant %s: %s payouts, %s instead of %s', a.id, a.tenant_id, p.payouts, p.amount, a.price_minor) as what
      from assignments a
      cross join lateral (
        select count(*) as payouts, coalesce(sum(o.amount_minor), 0) as amount from payouts o
        where o.tenant_id = a.tenant_id and o.assignment_id = a.id and o.kind = 'EARNING'
          and o.expert_id = a.expert_id and o.currency = a.currency
      ) p
      where a.submitted_at is not null and (p.payouts <> 1 or p.amount <> a.price_minor)`,
  },
  {
    rule: 8,
    claim: 'Nothing is paid that was not submitted, and nothing is paid twice.',
    looked: Prisma.sql`select count(*) from payouts`,
    broken: Prisma.sql`
      select format('assignment %s of tenant %s: %s of kind %s', o.assignment_id, o.tenant_id, count(*), o.kind) as what
      from payouts o
      left join assignments a on a.tenant_id = o.tenant_id and a.id = o.assignment_id
      group by o.tenant_id, o.assignment_id, o.kind
      having count(*) > 1 or count(a.submitted_at) = 0`,
  },
  {
    rule: 8,
    claim: 'Every posting has at least two lines and sums to zero in each currency.',
    looked: Prisma.sql`select count(*) from postings`,
    broken: Prisma.sql`
      select format('posting %s of tenant %s', p.id, p.tenant_id) as what
      from postings p
      where (select count(*) from ledger_lines l where l.tenant_id = p.tenant_id and l.posting_id = p.id) < 2
         or exists (select from ledger_lines l where l.tenant_id = p.tenant_id and l.posting_id = p.id
                    group by l.currency having sum(l.amount_minor) <> 0)`,
  },
  {
    rule: 8,
    claim: 'Every line, payout and number belongs to a posting of its tenant.',
    looked: Prisma.sql`select count(*) from ledger_lines`,
    broken: Prisma.sql`
      select format('%s of tenant %s: there is no posting %s', r.what, r.tenant_id, r.posting_id) as what
      from (
        select 'a line' as what, l.tenant_id, l.posting_id from ledger_lines l
        union all
        select format('payout %s', o.id), o.tenant_id, o.posting_id from payouts o
        union all
        select format('number %s', s.posting_no), s.tenant_id, s.posting_id from ledger_stamps s
      ) r
      where not exists (select from postings p where p.tenant_id = r.tenant_id and p.id = r.posting_id)`,
  },
  {
    rule: 8,
    claim: 'Every entry of an account belongs to a number of its tenant.',
    looked: Prisma.sql`select count(*) from ledger_entries`,
    broken: Prisma.sql`
      select format('%s %s of tenant %s, entry %s: there is no number %s', e.owner_kind, e.owner_id, e.tenant_id, e.entry_no, e.posting_no) as what
      from ledger_entries e
      where not exists (select from ledger_stamps s where s.tenant_id = e.tenant_id and s.posting_no = e.posting_no)`,
  },
  {
    rule: 8,
    claim: 'Every posting is numbered or waits for its number.',
    looked: Prisma.sql`select count(*) from postings`,
    broken: Prisma.sql`
      select format('posting %s of tenant %s', p.id, p.tenant_id) as what
      from postings p
      where (select count(*) from ledger_stamps s where s.tenant_id = p.tenant_id and s.posting_id = p.id)
          + (select count(*) from ledger_outbox o where o.tenant_id = p.tenant_id and o.posting_id = p.id) <> 1`,
  },
  {
    rule: 8,
    claim: 'Posting numbers are dense, and each hash covers its posting and the hash before it.',
    looked: Prisma.sql`select count(*) from ledger_stamps`,
    broken: Prisma.sql`
      select format('posting number %s of tenant %s', s.posting_no, s.tenant_id) as what
      from (
        select s.*, lag(s.posting_no, 1, 0::bigint) over w as before, lag(s.hash) over w as hash_before
        from ledger_stamps s window w as (partition by s.tenant_id order by s.posting_no)
      ) s
      where s.posting_no <> s.before + 1
         or s.hash is distinct from sha256(coalesce(s.hash_before, ''::bytea) || convert_to(
              s.posting_no || '|' || app.posting_text(s.tenant_id, s.posting_id), 'UTF8'))`,
  },
  {
    rule: 8,
    claim: 'Each account is a chain without gaps whose balance is the sum of its lines.',
    looked: Prisma.sql`select count(*) from ledger_entries`,
    broken: Prisma.sql`
      select format('%s %s of tenant %s, entry %s', e.owner_kind, e.owner_id, e.tenant_id, e.entry_no) as what
      from (
        select e.*, lag(e.entry_no, 1, 0::bigint) over w as before, lag(e.balance_minor, 1, 0::bigint) over w as balance_before
        from ledger_entries e
        window w as (partition by e.tenant_id, e.owner_kind, e.owner_id, e.currency order by e.entry_no)
      ) e
      where e.entry_no <> e.before + 1 or e.balance_minor <> e.balance_before + e.amount_minor
      union all
      select format('%s %s of tenant %s: lines %s, entries %s', l.owner_kind, l.owner_id, l.tenant_id, l.total, coalesce(e.total, 0))
      from (
        select l.tenant_id, l.owner_kind, l.owner_id, l.currency, sum(l.amount_minor) as total
        from ledger_lines l join ledger_stamps s on s.tenant_id = l.tenant_id and s.posting_id = l.posting_id
        group by 1, 2, 3, 4
      ) l
      left join (
        select tenant_id, owner_kind, owner_id, currency, sum(amount_minor) as total from ledger_entries group by 1, 2, 3, 4
      ) e using (tenant_id, owner_kind, owner_id, currency)
      where l.total <> coalesce(e.total, 0)`,
  },
];
