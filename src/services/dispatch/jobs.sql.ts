import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable } from '../platform/rows.js';
import type { Place } from './ports.js';

/** A job as it is stored at first. */
export interface NewJobRow {
  readonly tenantId: bigint;
  readonly customerId: bigint;
  readonly kind: 'ON_DEMAND' | 'SCHEDULED';
  readonly type: string;
  readonly skillIds: readonly bigint[];
  readonly minQuality: number;
  readonly place: Place;
  readonly notBefore: Date | null;
  readonly dueBy: Date;
  readonly durationSeconds: number;
  readonly priority: number;
  readonly checkInCode: string;
  readonly idempotencyKey: string;
  readonly requestDigest: string;
}

/** See app.create_job: it ends `lapsed` offers that have run out where the job is for now. */
export const createJob = (j: NewJobRow & { actorId: bigint }, lapsed: number): Prisma.Sql => Prisma.sql`
  select app.create_job(${j.tenantId}::bigint, ${j.actorId}::bigint, ${j.customerId}::bigint, ${j.kind}::text, ${j.type}::text,
    ${j.skillIds.map(String)}::bigint[], ${j.minQuality}::float8, ${j.place.latitude}::float8, ${j.place.longitude}::float8,
    ${j.notBefore}::timestamptz, ${j.dueBy}::timestamptz, ${j.durationSeconds}::int, ${j.priority}::smallint, ${j.checkInCode}::text,
    ${j.idempotencyKey}::text, ${j.requestDigest}::text, ${lapsed}::int)`;

/** Who does something to which job. */
export interface JobCall {
  readonly tenantId: bigint;
  readonly actorId: bigint;
  readonly jobId: bigint;
}

/** See app.cancel_job. `customerId` null: any customer's. */
export const cancelJob = (
  c: JobCall & { customerId: bigint | null },
  reason: string,
): Prisma.Sql => Prisma.sql`
  select app.cancel_job(${c.tenantId}::bigint, ${c.actorId}::bigint, ${c.customerId}::bigint, ${c.jobId}::bigint, ${reason}::text)`;

/** See app.reassign_job. */
export const reassignJob = (c: JobCall, reason: string): Prisma.Sql => Prisma.sql`
  select app.reassign_job(${c.tenantId}::bigint, ${c.actorId}::bigint, ${c.jobId}::bigint, ${reason}::text)`;

/** See app.override_job. */
export const overrideJob = (
  c: JobCall & { expertId: bigint; preempt: boolean },
  terms: object,
): Prisma.Sql => Prisma.sql`
  select app.override_job(${c.tenantId}::bigint, ${c.actorId}::bigint, ${c.jobId}::bigint, ${c.expertId}::bigint, ${c.preempt}::boolean,
    ${JSON.stringify(terms)}::jsonb)`;

/** See app.check_in. */
export const checkIn = (c: JobCall & { expertId: bigint }, code: string): Prisma.Sql => Prisma.sql`
  select app.check_in(${c.tenantId}::bigint, ${c.actorId}::bigint, ${c.expertId}::bigint, ${c.jobId}::bigint, ${code}::text)`;

/** What proves that work was done. */
export interface Proof {
  readonly contentType: string;
  readonly content: Uint8Array;
}

/** See app.complete_job. */
export const completeJob = (
  c: JobCall & { expertId: bigint },
  proofs: readonly Proof[],
): Prisma.Sql => Prisma.sql`
  select app.complete_job(${c.tenantId}::bigint, ${c.actorId}::bigint, ${c.expertId}::bigint, ${c.jobId}::bigint,
    ${proofs.map(({ contentType }) => contentType)}::text[],
    (select array_agg(decode(h.hex, 'hex') order by h.n) from unnest(${proofs.map(({ content }) => Buffer.from(content).toString('hex'))}::text[]) with ordinality as h(hex, n)))`;

/** See app.answer_offer. */
export const answerOffer = (
  c: Omit<JobCall, 'jobId'> & { expertId: bigint; offerId: bigint },
  accept: boolean,
): Prisma.Sql => Prisma.sql`
  select app.answer_offer(${c.tenantId}::bigint, ${c.actorId}::bigint, ${c.expertId}::bigint, ${c.offerId}::bigint, ${accept}::boolean)`;

/** Where a job is, and where a worker sets out from when nobody knows where they are. */
export const findWay = (db: Queryable, { jobId, expertId }: { jobId: bigint; expertId: bigint }) =>
  maybeOne(
    db,
    z.object({
      latitude: z.number(),
      longitude: z.number(),
      homeLatitude: z.number().nullable(),
      homeLongitude: z.number().nullable(),
    }),
    Prisma.sql`
      select j.latitude, j.longitude, w.home_latitude as "homeLatitude", w.home_longitude as "homeLongitude"
      from jobs j left join workers w on w.tenant_id = j.tenant_id and w.expert_id = ${expertId}
      where j.tenant_id = (select app.tenant_id()) and j.id = ${jobId}`,
  );

const Counted = z.object({ count: z.int() });

/** See app.expire_offers. */
export const expireOffers = async (db: Queryable, limit: number): Promise<number> =>
  (await one(db, Counted, Prisma.sql`select app.expire_offers(${limit}::int) as count`)).count;

/** See app.alert_no_shows. */
export const alertNoShows = async (db: Queryable, limit: number): Promise<number> =>
  (await one(db, Counted, Prisma.sql`select app.alert_no_shows(${limit}::int) as count`)).count;

const DueRow = z.object({ tenantId: z.bigint(), jobId: z.bigint(), place: z.coerce.number() });
/** A job that is to be assigned now. */
export type DueJob = z.infer<typeof DueRow>;

/**
 * Takes jobs that are to be assigned now, at most `limit`; whoever takes them and dies leaves them to others after `forSeconds`. Tenants
 * take turns, from the one behind `after` on, and in each of them those that nobody was looked for yet with those that it was in vain, and before
 * them, the most pressing of each first: neither a tenant with thousands of jobs nor many tenants with some nor jobs that nobody can have
 * hold up the rest. See app.due_jobs_of.
 */
export const takeDueJobs = (
  db: Queryable,
  {
    limit,
    forSeconds,
    after,
  }: { readonly limit: number; readonly forSeconds: number; readonly after: bigint },
): Promise<DueJob[]> =>
  many(
    db,
    DueRow,
    Prisma.sql`
      with recursive tenants_waiting(tenant_id) as (
        select 0::bigint
        union all
        select (select o.tenant_id from jobs o where o.assign_at is not null and o.tenant_id > w.tenant_id order by o.tenant_id limit 1)
        from tenants_waiting w where w.tenant_id is not null
      ), turns as (
        select w.tenant_id, d.id, row_number() over (order by d.turn, d.again, w.tenant_id <= ${after}, w.tenant_id) as place
        from tenants_waiting w
        cross join lateral app.due_jobs_of(w.tenant_id, ${limit}::int) d
        where w.tenant_id > 0 and (
          select true from jobs o
          where o.tenant_id = w.tenant_id and o.state in ('OPEN', 'UNASSIGNED_ALERT') and o.assign_at is not null and o.assign_at <= app.clock_now()
          limit 1)
        order by place limit ${limit}::int
      ), due as (
        select j.tenant_id, j.id, t.place from jobs j join turns t on t.tenant_id = j.tenant_id and t.id = j.id
        where j.assign_at <= app.clock_now() for update of j skip locked
      )
      update jobs j set assign_at = app.clock_now() + make_interval(secs => ${forSeconds}::int)
      from due where j.tenant_id = due.tenant_id and j.id = due.id
      returning j.tenant_id as "tenantId", j.id as "jobId", due.place`,
  );
