import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable } from '../../platform/rows.js';

const WindowRow = z.object({
  expertId: z.coerce.bigint(),
  fromAt: z.date(),
  toAt: z.date(),
  /** Of the job. */
  state: z.string(),
  /** Whether they are still about it, or have it before them. */
  isRunning: z.boolean(),
});

/**
 * Whose trace belongs to a job, and of when: of whoever accepted it last, from then, but no earlier than half an hour before they were to
 * set out, until it had ended, but no later than four hours after they were to be done: what they did for others is not of it.
 */
export type TraceWindow = z.infer<typeof WindowRow>;

/** Null where nobody has accepted the job, or there is none. */
export const traceWindow = (db: Queryable, tenantId: bigint, jobId: bigint): Promise<TraceWindow | null> =>
  maybeOne(
    db,
    WindowRow,
    Prisma.sql`
      select o.expert_id as "expertId", f.at as "fromAt",
             greatest(f.at, least(coalesce(o.ended_at, j.done_at, j.cancelled_at, app.clock_now()), upper(o.busy) + interval '4 hours')) as "toAt",
             j.state as "state", o.ended_at is null as "isRunning"
      from jobs j join offers o on o.tenant_id = j.tenant_id and o.job_id = j.id and o.accepted_at is not null
      cross join lateral (select greatest(o.accepted_at, lower(o.busy) - interval '30 minutes') as at) f
      where j.tenant_id = ${tenantId} and j.id = ${jobId}
      order by o.epoch desc limit 1`,
  );

const SealedRow = z.object({ deviceAt: z.date(), sealed: z.instanceof(Uint8Array) });

/** What the archive has of a worker between two instants, in their order. */
export const sealedFixes = (
  db: Queryable,
  tenantId: bigint,
  { expertId, fromAt, toAt }: Pick<TraceWindow, 'expertId' | 'fromAt' | 'toAt'>,
): Promise<z.infer<typeof SealedRow>[]> =>
  many(
    db,
    SealedRow,
    Prisma.sql`
      select a.device_at as "deviceAt", a.sealed as "sealed" from fix_archive a
      where a.tenant_id = ${tenantId} and a.expert_id = ${expertId}
        and a.bucket_at >= ${fromAt}::timestamptz - interval '30 seconds' and a.bucket_at <= ${toAt}::timestamptz and a.device_at between ${fromAt}::timestamptz and ${toAt}::timestamptz
      order by a.bucket_at limit 20000`,
  );

/** An export, as it is written down. */
export interface TraceEntry extends Pick<TraceWindow, 'expertId' | 'fromAt' | 'toAt'> {
  readonly tenantId: bigint;
  readonly actorId: bigint;
  readonly role: string;
  readonly requestId: string;
  readonly jobId: bigint;
  readonly reason: string;
  readonly fixes: number;
}

/** Writes down who was given which trace, and why: in the access log, and as an export. Returns its number. */
export const logTrace = async (db: Queryable, entry: TraceEntry): Promise<bigint> =>
  (
    await one(
      db,
      z.object({ id: z.coerce.bigint() }),
      Prisma.sql`
        with logged as (
          insert into access_log (tenant_id, actor_id, role, subject_type, subject_id, purpose, request_id)
          values (${entry.tenantId}, ${entry.actorId}, ${entry.role}, 'EXPERT', ${entry.expertId}, 'TRACE', ${entry.requestId})
          returning id
        )
        insert into trace_exports (tenant_id, access_log_id, expert_id, job_id, reason, from_at, to_at, fixes, exported_by, role)
        select ${entry.tenantId}::bigint, l.id, ${entry.expertId}::bigint, ${entry.jobId}::bigint, ${entry.reason}, ${entry.fromAt}::timestamptz, ${entry.toAt}::timestamptz,
               ${entry.fixes}::int, ${entry.actorId}::bigint, ${entry.role}
        from logged l returning id as "id"`,
    )
  ).id;

const ExportRow = z.object({
  id: z.bigint(),
  expertId: z.bigint(),
  jobId: z.bigint(),
  exportedBy: z.bigint(),
  role: z.enum(['DISPATCHER', 'OPERATOR']),
  reason: z.string(),
  fromAt: z.date(),
  toAt: z.date(),
  fixes: z.int(),
  at: z.date(),
});
/** That somebody was given a trace. */
export type TraceExport = z.infer<typeof ExportRow>;

/** Traces that were given away, newest first, as far as the scope shows them: a worker's own, or the tenant's. */
export const traceExports = (
  db: Queryable,
  { take, afterId }: { readonly take: number; readonly afterId: bigint | null },
): Promise<TraceExport[]> =>
  many(
    db,
    ExportRow,
    Prisma.sql`
      select t.id as "id", t.expert_id as "expertId", t.job_id as "jobId", t.exported_by as "exportedBy", t.role as "role", t.reason as "reason",
             t.from_at as "fromAt", t.to_at as "toAt", t.fixes as "fixes", t.exported_at as "at"
      from trace_exports t
      where t.tenant_id = (select app.tenant_id()) and (${afterId}::bigint is null or t.id < ${afterId}::bigint)
      order by t.id desc limit ${take}::int`,
  );
