import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, type Queryable } from '../platform/rows.js';
import type { Origin, Place } from './ports.js';

const AssignableRow = z.object({
  kind: z.enum(['ON_DEMAND', 'SCHEDULED']),
  state: z.string(),
  offerId: z.bigint().nullable(),
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

export const assignableJob = (db: Queryable, jobId: bigint): Promise<Assignable | null> =>
  maybeOne(
    db,
    AssignableRow,
    Prisma.sql`
      select j.kind, j.state, j.offer_id as "offerId", coalesce(o.state = 'LIVE' and o.expires_at <= app.clock_now(), false) as "isOfferDue",
             j.latitude, j.longitude, j.priority, extract(epoch from j.due_by - app.clock_now())::float8 as "remainingSeconds", j.reason,
             s.eta_weight as "etaWeight", s.fairness_weight as "fairnessWeight", s.slack_weight as "slackWeight",
             s.search_metres as "searchMetres"
      from jobs j
      left join offers o on o.tenant_id = j.tenant_id and o.id = j.offer_id
      cross join lateral app.dispatch_settings_of(j.tenant_id) s
      where j.tenant_id = (select app.tenant_id()) and j.id = ${jobId}`,
  );

const FitRow = z.object({ expertId: z.bigint(), jobsToday: z.int(), failed: z.array(z.string()) });

/** Which filters keep workers from a job, given how long each would travel; see app.fit_now. */
export const fitWorkers = (
  db: Queryable,
  jobId: bigint,
  workers: readonly { readonly expertId: bigint; readonly guessSeconds: number }[],
): Promise<z.infer<typeof FitRow>[]> =>
  many(
    db,
    FitRow,
    Prisma.sql`
      select f.expert_id as "expertId", f.jobs_today as "jobsToday", f.failed
      from app.fit_now(${jobId}, ${workers.map(({ expertId }) => String(expertId))}::bigint[],
        ${workers.map(({ guessSeconds }) => guessSeconds)}::float8[]) f`,
  );

const HomeRow = z
  .object({ expertId: z.bigint(), latitude: z.number(), longitude: z.number() })
  .transform(({ expertId, latitude, longitude }): Origin & { readonly expertId: bigint } => ({
    expertId,
    place: { latitude, longitude },
    ageSeconds: 0,
  }));

/** Where workers set out from for what is planned: the homes that are nearest to a place, at most `limit`. */
export const nearestHomes = (
  db: Queryable,
  { place, limit }: { readonly place: Place; readonly limit: number },
) =>
  many(
    db,
    HomeRow,
    Prisma.sql`
      select w.expert_id as "expertId", w.home_latitude as latitude, w.home_longitude as longitude
      from workers w
      where w.tenant_id = (select app.tenant_id()) and w.active
      order by app.metres_about(w.home_latitude, w.home_longitude, ${place.latitude}::float8, ${place.longitude}::float8), w.expert_id
      limit ${limit}::int`,
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
  l: Pick<Lease, 'tenantId' | 'actorId' | 'jobId'>,
  { reason, againSeconds }: { readonly reason: string; readonly againSeconds: number },
): Prisma.Sql => Prisma.sql`
  select app.leave_unassigned(${l.tenantId}::bigint, ${l.actorId}::bigint, ${l.jobId}::bigint, ${reason}::text, ${againSeconds}::int)`;
