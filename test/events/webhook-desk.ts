import { createHmac } from 'node:crypto';
import { afterEach } from 'vitest';
import {
  type DeliveryParts,
  sendDelivery,
  takeDeliveries,
} from '../../src/services/events/webhooks/deliver.js';
import { setWebhook, type WebhookParts } from '../../src/services/events/webhooks/webhooks.js';
import { withService } from '../../src/services/platform/database.js';
import { createIdCodec } from '../../src/services/platform/ids.js';
import { createSecretBox } from '../../src/services/platform/secret-box.js';
import { useTestDb } from '../support/db.js';
import { makeTenant, type Tenant } from '../support/factories.js';
import type { Received } from './receiver.js';

/** The key of ids and secrets. */
export const KEY = 'a key of webhooks';
export const ids = createIdCodec(KEY);
/** For attempts that nobody gives up. */
export const never = new AbortController().signal;

/** Tenants with webhooks, something to tell them, and rounds of a sender; on a database of the file's own. */
export function useWebhooks() {
  const t = useTestDb();
  const parts = (): WebhookParts & DeliveryParts => ({
    db: t.database,
    ids,
    secrets: createSecretBox(KEY),
    loopback: true,
  });

  // What a test has left waiting is not sent in the next one.
  afterEach(() => t.admin.query("update webhooks set state = 'DISABLED', reason = 'the test is over'"));

  async function tenantWith(url: string): Promise<Tenant & { secret: string }> {
    const tenant = await makeTenant(t.database);
    const { secret } = await setWebhook(parts(), tenant.operator, { url });
    return { ...tenant, secret: secret ?? '' };
  }

  /** Something to be told of, as a change would. */
  const tell = ({ tenantId }: Tenant, subject: string, note: string) =>
    withService(
      t.database,
      { tenantId, actorId: null },
      (tx) =>
        tx.$queryRaw`select app.tell_webhook(${tenantId}::bigint, ${subject}, 'webhook.test', jsonb_build_object('note', ${note}::text)) as id`,
    );

  /** One round of a sender: what was due, and what came of it. */
  async function round(limit = 100): Promise<string[]> {
    const taken = await takeDeliveries(parts(), limit);
    return Promise.all(taken.map((one) => sendDelivery(parts(), one, never)));
  }

  /** Rounds until nothing is due. */
  async function rounds(): Promise<string[]> {
    const all: string[] = [];
    for (let some = await round(); some.length > 0; some = await round()) {
      all.push(...some);
    }
    return all;
  }

  async function kept({ tenantId }: Tenant) {
    const { rows } = await t.admin.query(
      'select id, type, subject, state, attempts, status, error from webhook_deliveries where tenant_id = $1 order by id',
      [tenantId],
    );
    return rows;
  }

  return { t, parts, tenantWith, tell, round, rounds, kept };
}

/** What messages of `tell` said. */
export const notesOf = (received: readonly Received[]) => received.map(({ data }) => String(data.note));

/** Whether a message is signed with a secret as receivers know it. */
export function isSignedWith(secret: string, { id, timestamp, body, signatures }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return signatures.includes(`v1,${signature}`);
}
