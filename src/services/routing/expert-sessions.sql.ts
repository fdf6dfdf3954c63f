import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../platform/rows.js';

const Id = z.coerce.bigint();

const KnownRow = z.object({ known: z.boolean() });

/** Says that a node lives; see app.beat_node. */
export const beatNode = async (db: Queryable, node: string): Promise<boolean> =>
  (await one(db, KnownRow, Prisma.sql`select app.beat_node(${node}::uuid) as known`)).known;

/** Keeps a node from being buried until the transaction ends; false: it is not known any more. */
export const holdNode = async (db: Queryable, node: string): Promise<boolean> =>
  (await maybeOne(
    db,
    KnownRow,
    Prisma.sql`select true as known from session_nodes n where n.id = ${node}::uuid for key share`,
  )) !== null;

const OverRow = z.object({ awaySeconds: z.number(), leaseHeld: z.boolean().nullable() });
/** An interruption that is over. */
export type Over = z.infer<typeof OverRow>;

const over = Prisma.sql`extract(epoch from i.back_at - i.lost_at)::float8 as "awaySeconds", i.lease_held as "leaseHeld"`;

/** See app.tell_sessions. */
export const tellSessions = (db: Queryable, node: string, told: readonly object[]): Promise<Over[]> =>
  many(
    db,
    OverRow,
    Prisma.sql`select ${over} from app.tell_sessions(${node}::uuid, ${JSON.stringify(told)}::jsonb) i`,
  );

/** See app.sweep_nodes. */
export const sweepNodes = (db: Queryable, node: string): Promise<Over[]> =>
  many(db, OverRow, Prisma.sql`select ${over} from app.sweep_nodes(${node}::uuid) i`);

/** Forgets a node that has told that nobody is on it. */
export const forgetNode = (db: Queryable, node: string): Promise<void> =>
  run(db, Prisma.sql`delete from session_nodes n where n.id = ${node}::uuid returning 1 as ok`);

/** Experts who are connected, of all tenants and nodes. */
export const countConnected = async (db: Queryable): Promise<number> =>
  (
    await one(
      db,
      z.object({ connected: z.int() }),
      Prisma.sql`select count(*)::int as connected from expert_sessions s where s.left_at is null`,
    )
  ).connected;

/** Takes away interruptions that began more than thirty days ago, at most `limit`; returns how many. */
export const dropInterruptions = async (db: Queryable, limit: number): Promise<number> =>
  (
    await one(
      db,
      z.object({ gone: z.int() }),
      Prisma.sql`
        with old as (
          select i.tenant_id, i.id from expert_interruptions i
          where i.lost_at < app.clock_now() - interval '30 days' order by i.lost_at limit ${limit}::int
        ), gone as (
          delete from expert_interruptions i using old o where i.tenant_id = o.tenant_id and i.id = o.id returning 1
        )
        select count(*)::int as gone from gone`,
    )
  ).gone;

const SessionRow = z.object({
  /** Of the expert. */
  id: Id,
  connectedAt: z.date().nullable(),
  lastSeenAt: z.date().nullable(),
  sockets: z.int(),
  streams: z.int(),
  nodes: z.int(),
  assignmentId: Id.nullable(),
  leaseUntil: z.date().nullable(),
  heartbeatAt: z.date().nullable(),
  interruptions: z.int(),
  longestAwaySeconds: z.number().nullable(),
  averageAwaySeconds: z.number().nullable(),
  leasesHeld: z.int(),
  leasesLost: z.int(),
});
/** How the session of an expert fares. */
export type ExpertSession = z.infer<typeof SessionRow>;

/** Which sessions are asked for; null: all. */
export interface SessionFilter {
  readonly connected: boolean | null;
  readonly expertId: bigint | null;
}

/**
 * Of experts who have been connected or hold a lease, by expert. Both kinds are ranges of an index, those who are connected one of
 * their own, so that a page costs no more where there are many; only those who are not are looked for among all. A heartbeat moves the end of a lease to a lease's length from then: that tells when it was.
 *
 * @param shortSeconds an absence that lasted longer was no short interruption
 */
export const sessionPage = (
  db: Queryable,
  { connected, expertId }: SessionFilter,
  { take, afterId, shortSeconds }: { take: number; afterId: bigint | null; shortSeconds: number },
): Promise<ExpertSession[]> =>
  many(
    db,
    SessionRow,
    Prisma.sql`
      with listed as (
        select u.expert_id from (
          (select s.expert_id from expert_sessions s
           where s.tenant_id = (select app.tenant_id()) and s.expert_id > ${afterId ?? 0n}::bigint
             and (${expertId}::bigint is null or s.expert_id = ${expertId}::bigint)
             ${sessionsThat(connected)}
           order by s.expert_id limit ${take}::int)
          ${leasesThat(connected, { take, afterId, expertId })}
        ) u order by u.expert_id limit ${take}::int
      )
      select l.expert_id as id, case when c.nodes > 0 then s.connected_at end as "connectedAt",
             case when c.nodes > 0 then app.clock_now() else coalesce(s.left_at, n.beat_at) end as "lastSeenAt",
             c.sockets, c.streams, c.nodes, a.id as "assignmentId", a.lease_until as "leaseUntil",
             greatest(a.leased_at, a.lease_until - make_interval(secs => a.lease_seconds)) as "heartbeatAt",
             i.interruptions, i.longest as "longestAwaySeconds", i.average as "averageAwaySeconds", i.held as "leasesHeld", i.lost as "leasesLost"
      from listed l
      left join expert_sessions s on s.tenant_id = (select app.tenant_id()) and s.expert_id = l.expert_id
      left join lateral (
        select max(n.beat_at) as beat_at from expert_connections c join session_nodes n on n.id = c.node_id
        where c.tenant_id = (select app.tenant_id()) and c.expert_id = l.expert_id
      ) n on true
      cross join lateral (
        select coalesce(sum(c.sockets), 0)::int as sockets, coalesce(sum(c.streams), 0)::int as streams, count(*)::int as nodes
        from expert_connections c join session_nodes n on n.id = c.node_id
        where c.tenant_id = (select app.tenant_id()) and c.expert_id = l.expert_id and app.is_node_alive(n.beat_at)
      ) c
      left join lateral (
        select a.* from assignments a
        where a.tenant_id = (select app.tenant_id()) and a.expert_id = l.expert_id and a.state = 'LEASED' and a.lease_until > app.clock_now()
        limit 1
      ) a on true
      cross join lateral (
        select coalesce(sum(w.more + w.is_short::int), 0)::int as interruptions, count(*) filter (where w.is_short and w.lease_held)::int as held,
               count(*) filter (where w.is_short and not w.lease_held)::int as lost,
               max(w.away) filter (where w.is_short) as longest, avg(w.away) filter (where w.is_short) as average
        from (
          select i.more, i.lease_held, extract(epoch from i.back_at - i.lost_at)::float8 as away,
                 coalesce(i.back_at <= i.lost_at + make_interval(secs => ${shortSeconds}::float8), false) as is_short
          from expert_interruptions i
          where i.tenant_id = (select app.tenant_id()) and i.expert_id = l.expert_id and i.lost_at > app.clock_now() - interval '24 hours'
        ) w
      ) i
      order by l.expert_id`,
  );

/** A node that died leaves them as connected: who is there is said by their connections. */
const sessionsThat = (connected: boolean | null): Prisma.Sql =>
  connected === null
    ? Prisma.empty
    : connected
      ? Prisma.sql`and s.left_at is null and ${liveConnections(Prisma.sql`s`)}`
      : Prisma.sql`and (s.left_at is not null or not ${liveConnections(Prisma.sql`s`)})`;

const leasesThat = (
  connected: boolean | null,
  { take, afterId, expertId }: { take: number; afterId: bigint | null; expertId: bigint | null },
): Prisma.Sql =>
  connected === true
    ? Prisma.empty
    : Prisma.sql`
          union
          (select a.expert_id from assignments a
           where a.tenant_id = (select app.tenant_id()) and a.state = 'LEASED' and a.expert_id > ${afterId ?? 0n}::bigint
             and (${expertId}::bigint is null or a.expert_id = ${expertId}::bigint)
             ${connected === null ? Prisma.empty : Prisma.sql`and not ${liveConnections(Prisma.sql`a`)}`}
           order by a.expert_id limit ${take}::int)`;

const liveConnections = (of: Prisma.Sql): Prisma.Sql => Prisma.sql`
  exists (select from expert_connections c join session_nodes n on n.id = c.node_id
          where c.tenant_id = ${of}.tenant_id and c.expert_id = ${of}.expert_id and app.is_node_alive(n.beat_at))`;
