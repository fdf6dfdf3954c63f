import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import type { Position, StreamName } from '../events/stream-types.js';
import { many, type Queryable } from '../platform/rows.js';

const BalanceRow = z.object({ currency: z.string(), balanceMinor: z.bigint() });

interface Owner {
  readonly tenantId: bigint;
  readonly kind: 'EXPERT' | 'CUSTOMER';
  readonly id: bigint;
}

/**
 * `numbered`: the last numbered entry of each account of an owner, a currency each. Currency after currency by index: to find them
 * among all entries would cost more with every answer given.
 */
const lastEntries = ({ tenantId, kind, id }: Owner) => {
  const owned = Prisma.sql`e.tenant_id = ${tenantId} and e.owner_kind = ${kind} and e.owner_id = ${id}`;
  return Prisma.sql`
    account (currency) as (
      (select e.currency from ledger_entries e where ${owned} order by e.currency, e.entry_no limit 1)
      union all
      select (select e.currency from ledger_entries e where ${owned} and e.currency > a.currency
              order by e.currency, e.entry_no limit 1)
      from account a where a.currency is not null
    ), numbered as (
      select l.currency, l.balance_minor
      from account a
      cross join lateral (
        select e.currency, e.balance_minor from ledger_entries e where ${owned} and e.currency = a.currency
        order by e.entry_no desc limit 1
      ) l
    )`;
};

/**
 * Balances of one owner, a currency each: the last numbered entry of the account plus the lines of postings that the
 * sequencer has not numbered yet. Summing the whole account would cost more with every answer given.
 */
export const balances = (db: Queryable, owner: Owner) =>
  many(
    db,
    BalanceRow,
    Prisma.sql`
      with recursive ${lastEntries(owner)}, tail as (
        select l.currency, sum(l.amount_minor)::bigint as amount_minor
        from ledger_outbox o
        join ledger_lines l on l.tenant_id = o.tenant_id and l.posting_id = o.posting_id
        where o.tenant_id = ${owner.tenantId} and l.owner_kind = ${owner.kind} and l.owner_id = ${owner.id}
        group by l.currency
      )
      select coalesce(n.currency, t.currency) as currency,
             (coalesce(n.balance_minor, 0) + coalesce(t.amount_minor, 0))::bigint as "balanceMinor"
      from numbered n full join tail t on t.currency = n.currency
      order by 1`,
  );

/** How many events, of those that wait for their numbers (of all streams) and of those after a position, are looked at. */
const UNTOLD_MAX = 10_000;

/**
 * Balances of an expert as events up to a position of their stream tell them: what a later event tells, or one that waits for
 * its number, is not in them. The first event of a currency that is not told yet says what the balance was before it. Of what has
 * waited long, {@link UNTOLD_MAX} events are looked at; a balance that lies behind them is the newest there is, and is told again.
 */
export const toldBalances = (
  db: Queryable,
  { tenantId, expertId, stream, epoch, seq }: StreamName & Position & { expertId: bigint },
) =>
  many(
    db,
    BalanceRow,
    Prisma.sql`
      with recursive ${lastEntries({ tenantId, kind: 'EXPERT', id: expertId })}, untold as (
        (select e.body, e.epoch, e.seq, e.id from stream_events e
         where e.tenant_id = ${tenantId} and e.stream = ${stream} and e.seq is not null
           and (e.epoch, e.seq) > (${epoch}::int, ${seq}::bigint)
         order by e.epoch, e.seq limit ${UNTOLD_MAX}::int)
        union all
        select w.body, null, null, w.id
        from (select e.* from stream_events e where e.seq is null order by e.id limit ${UNTOLD_MAX}::int) w
        where w.tenant_id = ${tenantId} and w.stream = ${stream}
      ), next as (
        select distinct on (u.body ->> 'currency') u.body ->> 'currency' as currency,
               (u.body ->> 'balanceMinor')::bigint - (u.body ->> 'amountMinor')::bigint as balance_minor,
               coalesce((u.body ->> 'firstEntry')::bigint = 1, false) as is_first
        from untold u
        order by 1, u.epoch nulls last, u.seq nulls last, u.id
      )
      select n.currency, coalesce(x.balance_minor, n.balance_minor) as "balanceMinor"
      from numbered n left join next x on x.currency = n.currency
      where x.is_first is not true
      order by 1`,
  );

const BookedRow = z.object({ currency: z.string(), amountMinor: z.bigint(), answers: z.bigint() });

/**
 * What was booked for an expert from an instant on, a currency each. An expert's payouts come one after another: it is read back to the
 * first that is older, and no further.
 */
export const bookedSince = (
  db: Queryable,
  { tenantId, expertId, since }: { tenantId: bigint; expertId: bigint; since: Date },
) =>
  many(
    db,
    BookedRow,
    Prisma.sql`
      select p.currency, sum(p.amount_minor)::bigint as "amountMinor", count(*) filter (where p.kind = 'EARNING') as answers
      from payouts p
      where p.tenant_id = ${tenantId} and p.expert_id = ${expertId} and p.id > coalesce(
        (select o.id from payouts o
         where o.tenant_id = ${tenantId} and o.expert_id = ${expertId} and o.created_at < ${since}
         order by o.id desc limit 1), 0)
      group by p.currency
      order by p.currency`,
  );

const SpendRow = z.object({
  projectId: z.bigint(),
  currency: z.string(),
  amountMinor: z.bigint(),
  answers: z.bigint(),
});

/** What answers have cost, by project and currency, of the projects that the scope shows. */
export const spend = (db: Queryable, filter: { tenantId: bigint; projectId: bigint | null }) =>
  many(
    db,
    SpendRow,
    Prisma.sql`
      select p.project_id as "projectId", p.currency, sum(p.amount_minor)::bigint as "amountMinor",
             count(*) filter (where p.kind = 'EARNING') as answers
      from payouts p
      where p.tenant_id = ${filter.tenantId}
        and (${filter.projectId}::bigint is null or p.project_id = ${filter.projectId}::bigint)
      group by p.project_id, p.currency
      order by p.project_id, p.currency`,
  );
