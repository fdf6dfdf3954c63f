import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';
import type { Origin, Place } from './ports.js';

/** Which job is assigned, and on whose behalf. */
export interface WhoAssigns {
  readonly tenantId: bigint;
  readonly actorId: bigint | null;
  readonly jobId: bigint;
}

export const AssignableRow = z.object({
  kind: z.enum(['ON_DEMAND', 'SCHEDULED']),
  state: z.string(),
  /** How many offers of it there were. */
  epoch: z.int(),
  offerId: z.coerce.bigint().nullable(),
  isOfferDue: z.boolean(),
  latitude: z.number(),
  longitude: z.number(),
  priority: z.int(),
  remainingSeconds: z.number(),
  reason: z.string().nullable(),
  etaWeight: z.number(),
  fairnessWeight: z.number(),
  slackWeight: z.number(),
  searchMetres: z.int(),
});
/** A job as it is to be assigned, and by what its tenant assigns. */
export type Assignable = z.infer<typeof AssignableRow>;

/**
 * Ends some offers of the tenant that have run out, and tells of a job what assigning it stands on: {@link AssignableRow}, or null; see
 * app.begin_assigning.
 */
export const beginAssigning = (who: WhoAssigns, lapsed: number): Prisma.Sql => Prisma.sql`
  select app.begin_assigning(${who.tenantId}::bigint, ${who.actorId}::bigint, ${who.jobId}::bigint, ${lapsed}::int)`;

/** Which filters keep a worker from a job. */
export const FitRow = z.object({
  expertId: z.coerce.bigint(),
  jobsToday: z.int(),
  failed: z.array(z.string()),
});

/** Which filters keep workers from a job, given how long each would travel: a list of {@link FitRow}; see app.sift_workers. */
export const siftWorkers = (
  who: WhoAssigns,
  workers: readonly { readonly expertId: bigint; readonly guessSeconds: number }[],
): Prisma.Sql => Prisma.sql`
  select app.sift_workers(${who.tenantId}::bigint, ${who.actorId}::bigint, ${who.jobId}::bigint,
    ${workers.map(({ expertId }) => String(expertId))}::bigint[], ${workers.map(({ guessSeconds }) => guessSeconds)}::float8[])`;

const HomeRow = z
  .object({ expertId: z.bigint(), latitude: z.number(), longitude: z.number() })
  .transform(({ expertId, latitude, longitude }): Origin & { readonly expertId: bigint } => ({
    expertId,
    place: { latitude, longitude },
    ageSeconds: 0,
  }));

/** Where workers set out from for what is planned: the homes that are nearest to a place, at most `limit`; see app.nearest_homes. */
export const nearestHomes = (
  db: Queryable,
  { place, limit }: { readonly place: Place; readonly limit: number },
) =>
  many(
    db,
    HomeRow,
    Prisma.sql`
      select h.expert_id as "expertId", h.latitude, h.longitude
      from app.nearest_homes((select app.tenant_id()), ${place.latitude}::float8, ${place.longitude}::float8, ${limit}::int) h`,
  );

/** Who may have a job as far as that does not hang on the way there, with their homes; see app.qualified_workers. */
export const qualifiedWorkers = (
  db: Queryable,
  q: { readonly jobId: bigint; readonly except: readonly bigint[]; readonly limit: number },
) =>
  many(
    db,
    HomeRow,
    Prisma.sql`
      select q.expert_id as "expertId", q.latitude, q.longitude
      from app.qualified_workers((select app.tenant_id()), ${q.jobId}, ${q.except.map(String)}::bigint[], ${q.limit}::int) q`,
  );

/** Who leases what to whom, and on what grounds. */
export interface Lease {
  readonly tenantId: bigint;
  readonly actorId: bigint | null;
  readonly jobId: bigint;
  readonly expertId: bigint;
  readonly terms: object;
}

/** See app.lease_job. */
export const leaseJob = (l: Lease): Prisma.Sql => Prisma.sql`
  select app.lease_job(${l.tenantId}::bigint, ${l.actorId}::bigint, ${l.jobId}::bigint, ${l.expertId}::bigint, ${JSON.stringify(l.terms)}::jsonb)`;

/** See app.leave_unassigned. */
export const leaveUnassigned = (
  l: WhoAssigns,
  {
    epoch,
    reason,
    againSeconds,
  }: { readonly epoch: number; readonly reason: string; readonly againSeconds: number },
): Prisma.Sql => Prisma.sql`
  select app.leave_unassigned(${l.tenantId}::bigint, ${l.actorId}::bigint, ${l.jobId}::bigint, ${epoch}::int, ${reason}::text,
    ${againSeconds}::int)`;
