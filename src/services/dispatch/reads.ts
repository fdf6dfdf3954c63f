import { z } from 'zod';
import type { JobMove, Offer } from '../../generated/prisma/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Tx } from '../platform/database.js';
import { many } from '../platform/rows.js';

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
