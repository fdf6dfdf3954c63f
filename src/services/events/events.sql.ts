import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, one, type Queryable, run } from '../platform/rows.js';
import type { StreamHead } from './bus.js';
import type { Position, StreamEvent, StreamName } from './stream-types.js';

// A dense number of a stream stays far below 2^53. pg says int8 as text, Prisma as bigint.
const Seq = z.coerce.number().pipe(z.int().min(0));
const TenantId = z.coerce.bigint();
const HeadRow = z.object({ tenantId: TenantId, stream: z.string(), epoch: z.int(), seq: Seq });
const EventRow = z.object({
  epoch: z.int(),
  seq: Seq,
  kind: z.string(),
  body: z.string(),
  at: z.date(),
});
const FoundEventRow = EventRow.extend({ from: z.int() });
const eventColumns = Prisma.sql`e.epoch, e.seq, e.kind, e.body::text as "body", e.created_at as "at"`;

/** Numbers at most `limit` committed events; returns the streams that moved. Only on the session with the lock. */
export const stampEvents = (db: Queryable, limit: number): Promise<StreamHead[]> =>
  many(
    db,
    HeadRow,
    Prisma.sql`select tenant_id as "tenantId", stream, epoch, head_seq as "seq" from app.stamp_events(${limit}::int)`,
  );

/** Numbers at most `limit` postings of the ledger; returns how many. Only on the session with the lock. */
export const stampPostings = async (db: Queryable, limit: number): Promise<number> =>
  (await one(db, CountRow, Prisma.sql`select app.stamp_postings(${limit}::int) as "count"`)).count;

const CountRow = z.object({ count: z.int() });

const TrimmedRow = z
  .object({ trimmed: z.int(), tenantId: TenantId.nullable(), stream: z.string().nullable() })
  .transform(({ trimmed, tenantId, stream }) => ({
    trimmed,
    next: tenantId === null || stream === null ? null : { tenantId, stream },
  }));

/** Before all streams. */
export const FIRST_STREAM: StreamName = { tenantId: 0n, stream: '' };

/**
 * Trims streams from one on; what is trimmed: see DESIGN section 8.7. Looks at `streams` of them and takes at most `events`.
 * @returns how many events went, and with which stream to go on; null when all streams have been looked at
 */
export const trimEvents = (
  db: Queryable,
  from: StreamName,
  { streams, events }: { streams: number; events: number },
): Promise<z.output<typeof TrimmedRow>> =>
  one(
    db,
    TrimmedRow,
    Prisma.sql`
      select t.trimmed, t.next_tenant as "tenantId", t.next_stream as "stream"
      from app.trim_events(interval '24 hours', 100000, ${events}::int, ${streams}::int, ${from.tenantId}::bigint, ${from.stream}) t`,
  );

/** Where streams stand, in the order given: before its first event one that had none yet, ever or since a restore of the database. */
export const headsOf = (db: Queryable, streams: readonly StreamName[]): Promise<StreamHead[]> =>
  many(
    db,
    HeadRow,
    Prisma.sql`
      select w.tenant_id as "tenantId", w.stream, ep.epoch, coalesce(s.head_seq, 0) as "seq"
      from unnest(${streams.map((s) => String(s.tenantId))}::bigint[], ${streams.map((s) => s.stream)}::text[])
        with ordinality as w(tenant_id, stream, n)
      cross join stream_epoch ep
      left join streams s on s.tenant_id = w.tenant_id and s.stream = w.stream and s.epoch = ep.epoch
      order by w.n`,
  );

/** An event, and after which of the positions that were given it comes. */
export type FoundEvent = StreamEvent & { readonly from: number };

/** The numbered events after each of some positions, of their epochs, at most `limitEach` of each; in the order of the positions. */
export const eventsAfterEach = (
  db: Queryable,
  froms: readonly (StreamName & Position)[],
  limitEach: number,
): Promise<FoundEvent[]> =>
  many(
    db,
    FoundEventRow,
    Prisma.sql`
      select f.n::int - 1 as "from", ${eventColumns}
      from unnest(
        ${froms.map((f) => String(f.tenantId))}::bigint[], ${froms.map((f) => f.stream)}::text[],
        ${froms.map((f) => f.epoch)}::int[], ${froms.map((f) => f.seq)}::bigint[]
      ) with ordinality as f(tenant_id, stream, epoch, seq, n)
      cross join lateral (
        select * from stream_events x
        where x.tenant_id = f.tenant_id and x.stream = f.stream and x.epoch = f.epoch and x.seq > f.seq
        order by x.seq limit ${limitEach}::int
      ) e
      order by f.n, e.seq`,
  );

/** How many events, of those that wait for their numbers (of all streams) and of those after a position, are looked at. */
const UNTOLD_MAX = 10_000;

const UntoldRow = z.object({ kind: z.string(), body: z.string() });

/**
 * What has happened in a stream and whoever stands at a position of it was not told: what has a later number, or waits for one. Of what
 * has waited long, {@link UNTOLD_MAX} are looked at.
 */
export const untoldEvents = (
  db: Queryable,
  { tenantId, stream, epoch, seq }: StreamName & Position,
): Promise<z.infer<typeof UntoldRow>[]> =>
  many(
    db,
    UntoldRow,
    Prisma.sql`
      (select e.kind, e.body::text as body from stream_events e
       where e.tenant_id = ${tenantId} and e.stream = ${stream} and e.seq is not null
         and (e.epoch, e.seq) > (${epoch}::int, ${seq}::bigint)
       order by e.epoch, e.seq limit ${UNTOLD_MAX}::int)
      union all
      select w.kind, w.body::text
      from (select e.* from stream_events e where e.seq is null order by e.id limit ${UNTOLD_MAX}::int) w
      where w.tenant_id = ${tenantId} and w.stream = ${stream}`,
  );

export interface NewEvent extends StreamName {
  readonly kind: string;
  readonly body: object;
  /** Whom it is about, for row-level security. */
  readonly customerId: bigint | null;
  readonly expertId: bigint | null;
}

/** Writes events, in this order, in the transaction of the changes that they tell of. */
export const appendEvents = (db: Queryable, events: readonly NewEvent[]): Promise<void> =>
  run(
    db,
    Prisma.sql`
      select 1 as ok
      from jsonb_to_recordset(${JSON.stringify(events.map(asRow))}::jsonb)
        as e(tenant bigint, stream text, kind text, body jsonb, customer bigint, expert bigint)
      cross join lateral app.append_event(e.tenant, e.stream, e.kind, e.body, e.customer, e.expert) appended`,
  );

/** Ids as text. */
function asRow({ tenantId, stream, kind, body, customerId, expertId }: NewEvent): object {
  const idOf = (id: bigint | null) => (id === null ? null : String(id));
  return {
    tenant: String(tenantId),
    stream,
    kind,
    body,
    customer: idOf(customerId),
    expert: idOf(expertId),
  };
}
