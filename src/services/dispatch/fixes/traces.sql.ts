import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable } from '../../platform/rows.js';

const WindowRow = z.object({ expertId: z.coerce.bigint(), fromAt: z.date(), toAt: z.date() });

/** Whose trace belongs to a job, and of when: of whoever accepted it last, from then until it had ended. */
export type TraceWindow = z.infer<typeof WindowRow>;

/** Null where nobody has accepted the job, or there is none. */
export const traceWindow = (db: Queryable, tenantId: bigint, jobId: bigint): Promise<TraceWindow | null> =>
  maybeOne(
    db,
    WindowRow,
    Prisma.sql`
      select o.expert_id as "expertId", o.accepted_at as "fromAt",
             greatest(o.accepted_at, coalesce(j.done_at, j.cancelled_at, o.ended_at, app.clock_now())) as "toAt"
      from jobs j join offers o on o.tenant_id = j.tenant_id and o.job_id = j.id and o.accepted_at is not null
      where j.tenant_id = ${tenantId} and j.id = ${jobId}
      order by o.epoch desc limit 1`,
  );

const SealedRow = z.object({ deviceAt: z.date(), sealed: z.instanceof(Uint8Array) });

/** What the archive has of a worker between two instants, in their order. */
export const sealedFixes = (
  db: Queryable,
  tenantId: bigint,
  { expertId, fromAt, toAt }: TraceWindow,
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
export interface TraceEntry extends TraceWindow {
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
        insert into trace_exports (tenant_id, access_log_id, expert_id, job_id, reason, from_at, to_at, fixes, exported_by)
        select ${entry.tenantId}::bigint, l.id, ${entry.expertId}::bigint, ${entry.jobId}::bigint, ${entry.reason}, ${entry.fromAt}::timestamptz, ${entry.toAt}::timestamptz,
               ${entry.fixes}::int, ${entry.actorId}::bigint
        from logged l returning id as "id"`,
    )
  ).id;
