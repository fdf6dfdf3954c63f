import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../../platform/rows.js';

const Id = z.coerce.bigint();

const WebhookRow = z.object({
  url: z.string(),
  state: z.enum(['ENABLED', 'DISABLED']),
  reason: z.string().nullable(),
  changedAt: z.date(),
  failingSince: z.date().nullable(),
  lastError: z.string().nullable(),
  deliveredAt: z.date().nullable(),
});
export type Webhook = z.infer<typeof WebhookRow>;

/** The tenant's webhook, where the scope shows it. */
export const webhook = (db: Queryable): Promise<Webhook | null> =>
  maybeOne(
    db,
    WebhookRow,
    Prisma.sql`
      select w.url, w.state, w.reason, w.changed_at as "changedAt", w.failing_since as "failingSince",
             w.last_error as "lastError", w.delivered_at as "deliveredAt"
      from webhooks w where w.tenant_id = (select app.tenant_id())`,
  );

/** Sets where the tenant's webhook goes, and enables it; what was failing begins anew. */
export const setWebhook = (
  db: Queryable,
  { tenantId, url, by }: { tenantId: bigint; url: string; by: bigint },
): Promise<void> =>
  run(
    db,
    Prisma.sql`
      insert into webhooks as w (tenant_id, url, changed_by, changed_at)
      values (${tenantId}::bigint, ${url}, ${by}::bigint, app.clock_now())
      on conflict (tenant_id) do update set url = excluded.url, state = 'ENABLED', reason = null, failing_since = null, last_error = null,
        changed_by = excluded.changed_by, changed_at = excluded.changed_at`,
  );

/** What waits is due at once: where it goes, or that it goes, has changed. */
export const hurry = (db: Queryable, tenantId: bigint): Promise<void> =>
  run(
    db,
    Prisma.sql`
      update webhook_deliveries d set due_at = app.clock_now(), attempts = 0, first_attempt_at = null
      where d.tenant_id = ${tenantId}::bigint and d.state = 'PENDING'`,
  );

/** Disables the webhook; null where there is none. */
export const disableWebhook = (
  db: Queryable,
  { tenantId, reason, by }: { tenantId: bigint; reason: string; by: bigint },
): Promise<{ tenantId: bigint } | null> =>
  maybeOne(
    db,
    z.object({ tenantId: Id }),
    Prisma.sql`
      update webhooks w set state = 'DISABLED', reason = ${reason}, changed_by = ${by}::bigint, changed_at = app.clock_now()
      where w.tenant_id = ${tenantId}::bigint returning w.tenant_id as "tenantId"`,
  );

/** Locks the webhook, so that changes come one after the other; null where there is none. */
export const lockWebhook = (db: Queryable, tenantId: bigint): Promise<{ state: string } | null> =>
  maybeOne(
    db,
    z.object({ state: z.string() }),
    Prisma.sql`select w.state from webhooks w where w.tenant_id = ${tenantId}::bigint for no key update`,
  );

/** Locks the webhook until what is made due again is there for all who take: nothing is taken meanwhile. */
export const holdWebhook = (db: Queryable, tenantId: bigint): Promise<void> =>
  run(db, Prisma.sql`select 1 as ok from webhooks w where w.tenant_id = ${tenantId}::bigint for update`);

/** Whoever disables the webhook knows that it fails. */
export const endFailing = (db: Queryable, tenantId: bigint): Promise<void> =>
  run(
    db,
    Prisma.sql`select 1 as ok from app.resolve_alert(${tenantId}::bigint, 'WEBHOOK_FAILING', 'webhook')`,
  );

/** Whether the tenant has a secret that is current. */
export const hasSecret = async (db: Queryable, tenantId: bigint): Promise<boolean> =>
  (await maybeOne(
    db,
    z.object({ id: Id }),
    Prisma.sql`select s.id from webhook_secrets s where s.tenant_id = ${tenantId}::bigint and s.ends_at is null`,
  )) !== null;

/** Puts a secret in the place of the current one, which goes on signing for so many seconds. */
export async function putSecret(
  db: Queryable,
  { tenantId, sealed, keepSeconds }: { tenantId: bigint; sealed: Buffer; keepSeconds: number },
): Promise<void> {
  // What was kept before is kept no longer than what is put by now.
  await run(
    db,
    Prisma.sql`
      update webhook_secrets s set ends_at = least(s.ends_at, app.clock_now() + make_interval(secs => ${keepSeconds}::float8))
      where s.tenant_id = ${tenantId}::bigint and (s.ends_at is null or s.ends_at > app.clock_now())`,
  );
  await run(
    db,
    Prisma.sql`
      insert into webhook_secrets (tenant_id, sealed, created_at) values (${tenantId}::bigint, decode(${sealed.toString('hex')}, 'hex'), app.clock_now())`,
  );
}

export const DELIVERY_STATES = ['PENDING', 'DELIVERED', 'DEAD'] as const;
export type DeliveryState = (typeof DELIVERY_STATES)[number];

const DeliveryRow = z.object({
  id: Id,
  epoch: z.int(),
  subject: z.string(),
  type: z.string(),
  state: z.enum(DELIVERY_STATES),
  createdAt: z.date(),
  attempts: z.int(),
  dueAt: z.date(),
  endedAt: z.date().nullable(),
  status: z.int().nullable(),
  error: z.string().nullable(),
});
export type Delivery = z.infer<typeof DeliveryRow>;

const deliveryColumns = Prisma.sql`
  d.id, d.epoch, d.subject, d.type, d.state, d.created_at as "createdAt", d.attempts, d.due_at as "dueAt", d.ended_at as "endedAt", d.status::int, d.error`;

/** Deliveries that the scope shows, newest first. */
export const deliveryPage = (
  db: Queryable,
  { states, id }: { states: readonly DeliveryState[] | null; id: bigint | null },
  { take, afterId }: { take: number; afterId: bigint | null },
): Promise<Delivery[]> =>
  many(
    db,
    DeliveryRow,
    Prisma.sql`
      select ${deliveryColumns} from webhook_deliveries d
      where d.tenant_id = (select app.tenant_id())
        and (${states}::text[] is null or d.state = any (${states}::text[]))
        and (${id}::bigint is null or d.id = ${id}::bigint)
        and (${afterId}::bigint is null or d.id < ${afterId}::bigint)
      order by d.id desc limit ${take}::int`,
  );

/** Writes a message that tells of nothing; see app.tell_webhook. Null where the tenant has no webhook. */
export const tellTest = async (
  db: Queryable,
  { tenantId, note }: { tenantId: bigint; note: string | null },
): Promise<bigint | null> =>
  (
    await one(
      db,
      z.object({ id: Id.nullable() }),
      Prisma.sql`select app.tell_webhook(${tenantId}::bigint, 'test', 'webhook.test', jsonb_build_object('note', ${note}::text)) as id`,
    )
  ).id;

/** Which deliveries are to be sent again: one, or all after one or from an instant on. */
export interface Again {
  readonly deliveryId: bigint | null;
  readonly afterId: bigint | null;
  readonly since: Date | null;
}

/** Makes ended deliveries due again, oldest first, at most `limit`; returns them. */
export const replay = (
  db: Queryable,
  tenantId: bigint,
  { deliveryId, afterId, since, limit }: Again & { limit: number },
): Promise<{ id: bigint }[]> =>
  many(
    db,
    z.object({ id: Id }),
    Prisma.sql`
      with chosen as (
        select d.id from webhook_deliveries d
        where d.tenant_id = ${tenantId}::bigint and d.state <> 'PENDING'
          and (${deliveryId}::bigint is null or d.id = ${deliveryId}::bigint)
          and (${afterId}::bigint is null or d.id > ${afterId}::bigint)
          and (${since}::timestamptz is null or d.created_at >= ${since}::timestamptz)
        order by d.id limit ${limit}::int for update
      ), again as (
        update webhook_deliveries d set state = 'PENDING', attempts = 0, first_attempt_at = null, ended_at = null, due_at = app.clock_now()
        from chosen c where d.tenant_id = ${tenantId}::bigint and d.id = c.id
        returning d.id
      )
      select a.id from again a order by a.id`,
  );
