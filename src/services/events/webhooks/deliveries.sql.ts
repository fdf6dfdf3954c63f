import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';

const Id = z.coerce.bigint();

const TakenRow = z.object({
  tenantId: Id,
  id: Id,
  epoch: z.int(),
  type: z.string(),
  data: z.record(z.string(), z.unknown()),
  createdAt: z.date(),
  attempts: z.int(),
  fence: z.int(),
  url: z.string(),
  sealed: z.array(z.string().transform((hex) => Buffer.from(hex, 'hex'))),
  /** The database's clock, in seconds of the epoch. */
  now: z.coerce.number(),
});
/** A delivery that this process has taken, with what it is sent by. */
export type Taken = z.infer<typeof TakenRow>;

/** Takes deliveries that are due; see app.take_deliveries. Newest secrets first. */
export const takeDeliveries = (
  db: Queryable,
  { limit, each, seconds }: { limit: number; each: number; seconds: number },
): Promise<Taken[]> =>
  many(
    db,
    TakenRow,
    Prisma.sql`
      select t.tenant_id as "tenantId", t.id, t.epoch, t.type, t.data, t.created_at as "createdAt", t.attempts, t.fence, w.url,
             array(select encode(s.sealed, 'hex') from webhook_secrets s
                   where s.tenant_id = t.tenant_id and (s.ends_at is null or s.ends_at > app.clock_now())
                   order by s.id desc limit 3) as sealed,
             extract(epoch from app.clock_now())::float8 as now
      from app.take_deliveries(${limit}::int, ${each}::int, ${seconds}::float8) t
      join webhooks w on w.tenant_id = t.tenant_id
      order by t.id`,
  );

/** What came of an attempt: no error means that it was accepted. */
export interface Attempt {
  readonly status: number | null;
  readonly error: string | null;
  readonly afterSeconds: number;
  readonly isGone: boolean;
}

const OutcomeRow = z.object({ outcome: z.enum(['DELIVERED', 'RETRY', 'DEAD', 'LOST']) });
export type Outcome = z.infer<typeof OutcomeRow>['outcome'];

/** Records what came of it; see app.end_delivery. */
export const endDelivery = async (
  db: Queryable,
  { tenantId, id, fence, url }: Taken,
  { status, error, afterSeconds, isGone }: Attempt,
): Promise<Outcome> =>
  (
    await one(
      db,
      OutcomeRow,
      Prisma.sql`
        select app.end_delivery(${tenantId}::bigint, ${id}::bigint, ${fence}::int, ${status}::int, ${error}::text,
          ${afterSeconds}::float8, ${isGone}::boolean, ${url}) as outcome`,
    )
  ).outcome;

/** Gives a delivery back that was not tried: its process stops. */
export const giveBack = (db: Queryable, { tenantId, id, fence }: Taken): Promise<unknown[]> =>
  many(
    db,
    z.object({ id: Id }),
    Prisma.sql`
      update webhook_deliveries d set leased_until = null, attempts = greatest(d.attempts - 1, 0)
      where d.tenant_id = ${tenantId}::bigint and d.id = ${id}::bigint and d.fence = ${fence}::int and d.state = 'PENDING'
      returning d.id`,
  );

const CountRow = z.object({ gone: z.int() });

/** Takes away deliveries that are older than two weeks, whatever became of them, at most `limit`; returns how many. */
export const dropDeliveries = async (db: Queryable, limit: number): Promise<number> =>
  (
    await one(
      db,
      CountRow,
      Prisma.sql`
        with old as (
          select d.tenant_id, d.id from webhook_deliveries d
          where d.created_at < app.clock_now() - interval '14 days' order by d.created_at limit ${limit}::int
        ), gone as (
          delete from webhook_deliveries d using old o where d.tenant_id = o.tenant_id and d.id = o.id returning 1
        ), secrets as (
          delete from webhook_secrets s where s.ends_at < app.clock_now() - interval '1 day'
        )
        select count(*)::int as gone from gone`,
    )
  ).gone;

const BacklogRow = z.object({ pending: z.int(), oldestSeconds: z.number(), dead: z.int() });
/** What waits for receivers that are enabled, since when the oldest of it, and what was given up; of all tenants. */
export type WebhookBacklog = z.infer<typeof BacklogRow>;

export const webhookBacklog = (db: Queryable): Promise<WebhookBacklog> =>
  one(
    db,
    BacklogRow,
    Prisma.sql`
      select count(*) filter (where d.state = 'PENDING')::int as pending,
             coalesce(extract(epoch from app.clock_now() - min(d.created_at) filter (where d.state = 'PENDING')), 0)::float8 as "oldestSeconds",
             count(*) filter (where d.state = 'DEAD')::int as dead
      from webhook_deliveries d join webhooks w on w.tenant_id = d.tenant_id
      where w.state = 'ENABLED' and d.state <> 'DELIVERED'`,
  );
