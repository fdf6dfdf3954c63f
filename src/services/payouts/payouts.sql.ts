import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import type { Position, StreamName } from '../events/stream-types.js';
import { many, type Queryable } from '../platform/rows.js';

const BalanceRow = z.object({ currency: z.string(), balanceMinor: z.bigint() });

/**
 * Balances of one owner, a currency each: the last numbered entry of the account plus the lines of postings that the
 * sequencer has not numbered yet. Summing the whole account would cost more with every answer given.
 */
export const balances = (
  db: Queryable,
  owner: { tenantId: bigint; kind: 'EXPERT' | 'CUSTOMER'; id: bigint },
) =>
  many(
    db,
    BalanceRow,
    Prisma.sql`
      with numbered as (
        select distinct on (e.currency) e.currency, e.balance_minor
        from ledger_entries e
        where e.tenant_id = ${owner.tenantId} and e.owner_kind = ${owner.kind} and e.owner_id = ${owner.id}
        order by e.currency, e.entry_no desc
      ), tail as (
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

/**
 * Balances of an expert as events up to a position of their stream tell them: what a later event tells, or one that waits for
 * its number, is not in them.
 */
export const toldBalances = (
  db: Queryable,
  { tenantId, expertId, stream, epoch, seq }: StreamName & Position & { expertId: bigint },
) =>
  many(
    db,
    BalanceRow,
    Prisma.sql`
      with later as materialized (
        select e.body from stream_events e
        where e.tenant_id = ${tenantId} and e.stream = ${stream} and e.epoch = ${epoch} and e.seq > ${seq}
        union all
        select e.body from stream_events e
        where e.tenant_id = ${tenantId} and e.stream = ${stream} and e.epoch > ${epoch} and e.seq is not null
        union all
        select e.body from stream_events e where e.seq is null and e.tenant_id = ${tenantId} and e.stream = ${stream}
      ), untold as (
        select l.body ->> 'currency' as currency, min((l.body ->> 'firstEntry')::bigint) as entry_no from later l group by 1
      )
      select distinct on (e.currency) e.currency, e.balance_minor as "balanceMinor"
      from ledger_entries e left join untold u on u.currency = e.currency
      where e.tenant_id = ${tenantId} and e.owner_kind = 'EXPERT' and e.owner_id = ${expertId}
        and (u.entry_no is null or e.entry_no < u.entry_no)
      order by e.currency, e.entry_no desc`,
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
