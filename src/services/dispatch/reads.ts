import { z } from 'zod';
import type { JobMove, Offer } from '../../generated/prisma/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Tx } from '../platform/database.js';
import { many, maybeOne } from '../platform/rows.js';

/** Of one job, at most. */
const OFFERS_MAX = 50;
const MOVES_MAX = 100;

const Ids = z.object({ id: z.bigint() });

/** The latest offers of each of some jobs, as far as the scope shows them, oldest first. */
export async function latestOffers(tx: Tx, jobIds: readonly bigint[]): Promise<Offer[]> {
  const ids = await latest(tx, { from: Prisma.sql`offers`, jobIds, limit: OFFERS_MAX });
  return tx.offer.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
}

/** The latest moves of each of some jobs, as far as the scope shows them, oldest first. */
export async function latestMoves(tx: Tx, jobIds: readonly bigint[]): Promise<JobMove[]> {
  const ids = await latest(tx, { from: Prisma.sql`job_moves`, jobIds, limit: MOVES_MAX });
  return tx.jobMove.findMany({ where: { id: { in: ids } }, orderBy: { id: 'asc' } });
}

async function latest(
  tx: Tx,
  { from, jobIds, limit }: { from: Prisma.Sql; jobIds: readonly bigint[]; limit: number },
): Promise<bigint[]> {
  const rows = await many(
    tx,
    Ids,
    Prisma.sql`
      select l.id from unnest(${jobIds.map(String)}::bigint[]) as j(id)
      cross join lateral (
        select x.id from ${from} x where x.tenant_id = (select app.tenant_id()) and x.job_id = j.id order by x.id desc limit ${limit}::int
      ) l`,
  );
  return rows.map(({ id }) => id);
}

const ProofRow = z.object({
  id: z.bigint(),
  jobId: z.bigint(),
  contentType: z.string(),
  bytes: z.int(),
  sha256: z.string(),
  at: z.date(),
});
/** What proves that a job was done, but for its bytes. */
export type Proof = z.infer<typeof ProofRow>;

/** The proofs of some jobs, as far as the scope shows them, in their order. */
export const proofsOf = (tx: Tx, jobIds: readonly bigint[]): Promise<Proof[]> =>
  many(
    tx,
    ProofRow,
    Prisma.sql`
      select a.id, a.job_id as "jobId", a.content_type as "contentType", octet_length(a.content) as bytes, a.sha256, a.created_at as at
      from job_attachments a
      where a.tenant_id = (select app.tenant_id()) and a.job_id = any (${jobIds.map(String)}::bigint[]) and a.kind = 'PROOF'
      order by a.id`,
  );

const ProofBytesRow = z.object({ contentType: z.string(), content: z.instanceof(Uint8Array) });

/** A proof with its bytes, if the scope shows it. */
export const proofBytes = (tx: Tx, id: bigint): Promise<z.infer<typeof ProofBytesRow> | null> =>
  maybeOne(
    tx,
    ProofBytesRow,
    Prisma.sql`
      select a.content_type as "contentType", a.content from job_attachments a
      where a.tenant_id = (select app.tenant_id()) and a.id = ${id} and a.kind = 'PROOF'`,
  );

export const JOB_STATES = [
  'OPEN',
  'OFFERED',
  'ACCEPTED',
  'IN_PROGRESS',
  'DONE',
  'CANCELLED',
  'UNASSIGNED_ALERT',
] as const;
export type JobState = (typeof JOB_STATES)[number];

export const OFFER_STATES = [
  'LIVE',
  'ACCEPTED',
  'DONE',
  'DECLINED',
  'EXPIRED',
  'WITHDRAWN',
  'REASSIGNED',
  'PREEMPTED',
] as const;
export type OfferState = (typeof OFFER_STATES)[number];

/** The first of more are told of when somebody begins to listen; who has so many reads the list. */
const LIVE_MAX = 1_000;

const StandingRow = z.object({
  jobId: z.bigint(),
  state: z.enum(JOB_STATES),
  at: z.date(),
  dueBy: z.date(),
  noShow: z.boolean(),
  reason: z.string().nullable(),
});
/** Where a job stands. */
export type JobStanding = z.infer<typeof StandingRow>;

/** Jobs that are not over, as far as the scope shows them, the first 1,000 that are due. */
export const liveJobs = (tx: Tx): Promise<JobStanding[]> =>
  many(
    tx,
    StandingRow,
    Prisma.sql`
      select j.id as "jobId", j.state, coalesce(j.checked_in_at, j.accepted_at, j.created_at) as at, j.due_by as "dueBy",
             j.no_show_at is not null as "noShow", j.reason
      from jobs j
      where j.tenant_id = (select app.tenant_id()) and j.state in ('OPEN', 'OFFERED', 'ACCEPTED', 'IN_PROGRESS', 'UNASSIGNED_ALERT')
      order by j.due_by limit ${LIVE_MAX}::int`,
  );

const LiveOfferRow = z.object({
  offerId: z.bigint(),
  jobId: z.bigint(),
  state: z.enum(OFFER_STATES),
  at: z.date(),
  expiresAt: z.date(),
});

/** Offers that stand, as far as the scope shows them. */
export const liveOffers = (tx: Tx): Promise<z.infer<typeof LiveOfferRow>[]> =>
  many(
    tx,
    LiveOfferRow,
    Prisma.sql`
      select o.id as "offerId", o.job_id as "jobId", o.state, coalesce(o.accepted_at, o.offered_at) as at, o.expires_at as "expiresAt"
      from offers o
      where o.tenant_id = (select app.tenant_id()) and (o.state = 'ACCEPTED' or o.state = 'LIVE' and o.expires_at > app.clock_now())
      order by o.id limit ${LIVE_MAX}::int`,
  );
