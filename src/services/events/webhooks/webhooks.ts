import { InputInvalidError, NotFoundError } from '../../access/errors.js';
import { checkedReason } from '../../access/profile.js';
import type { Viewer } from '../../access/viewer.js';
import { type Database, type Tx, withService } from '../../platform/database.js';
import { retrying } from '../../platform/retry.js';
import type { SecretBox } from '../../platform/secret-box.js';
import { faultOfUrl } from './address.js';
import { WebhookDisabledError } from './errors.js';
import { newSecret, secretText } from './signature.js';
import * as sql from './webhooks.sql.js';

export type { Delivery, DeliveryState, Webhook } from './webhooks.sql.js';
export { deliveryPage, webhook } from './webhooks.sql.js';

/** What webhooks of this installation are made with. */
export interface WebhookParts {
  readonly db: Database;
  readonly secrets: SecretBox;
  /** Whether this machine itself may be a receiver: in development. */
  readonly loopback: boolean;
}

/** What a secret is sealed for. */
export const secretPlace = (tenantId: bigint): string => `webhook ${tenantId}`;

/**
 * Sets where the tenant's webhook goes, and enables it: what waits is sent there.
 * @returns the secret, where the tenant had none: it is shown this once
 * @throws InputInvalidError
 */
export async function setWebhook(
  { db, secrets, loopback }: WebhookParts,
  viewer: Viewer,
  { url }: { url: string },
): Promise<{ secret: string | null }> {
  const fault = faultOfUrl(url, loopback);
  if (fault !== null) {
    throw new InputInvalidError([{ path: '/url', message: fault }]);
  }
  const { tenantId } = viewer;
  return service(db, viewer, async (tx) => {
    await sql.setWebhook(tx, { tenantId, url, by: viewer.identityId });
    await sql.hurry(tx, tenantId);
    return {
      secret: (await sql.hasSecret(tx, tenantId))
        ? null
        : await putNewSecret(tx, secrets, { tenantId, keepSeconds: 0 }),
    };
  });
}

const KEEP_SECONDS_MAX = 7 * 86_400;

/**
 * Puts a new secret in the place of the current one, which goes on signing beside it for `keepSeconds`.
 * @returns the secret: it is shown this once
 * @throws NotFoundError, InputInvalidError
 */
export async function rotateSecret(
  { db, secrets }: WebhookParts,
  viewer: Viewer,
  { keepSeconds }: { keepSeconds: number },
): Promise<{ secret: string }> {
  if (keepSeconds < 0 || keepSeconds > KEEP_SECONDS_MAX) {
    const message = `Give 0 to ${KEEP_SECONDS_MAX} seconds.`;
    throw new InputInvalidError([{ path: '/keepPreviousSeconds', message }]);
  }
  const { tenantId } = viewer;
  return service(db, viewer, async (tx) => {
    await lock(tx, tenantId);
    return { secret: await putNewSecret(tx, secrets, { tenantId, keepSeconds }) };
  });
}

/** Stops the webhook. What happens meanwhile is kept, and sent when it is set again. @throws NotFoundError, InputInvalidError */
export async function disableWebhook(
  { db }: WebhookParts,
  viewer: Viewer,
  { reason }: { reason: string },
): Promise<void> {
  const asked = { tenantId: viewer.tenantId, by: viewer.identityId, reason: checkedReason(reason) };
  await service(db, viewer, async (tx) => {
    if ((await sql.disableWebhook(tx, asked)) === null) {
      throw new NotFoundError('webhook');
    }
    await sql.endFailing(tx, viewer.tenantId);
  });
}

/** Sends a message that tells of nothing. @throws NotFoundError, InputInvalidError, WebhookDisabledError */
export async function testWebhook(
  { db }: WebhookParts,
  viewer: Viewer,
  { note }: { note: string | null },
): Promise<{ deliveryId: bigint }> {
  const { tenantId } = viewer;
  const text = note === null ? null : checkedReason(note, '/note');
  return service(db, viewer, async (tx) => {
    if ((await lock(tx, tenantId)).state === 'DISABLED') {
      throw new WebhookDisabledError();
    }
    const deliveryId = await sql.tellTest(tx, { tenantId, note: text });
    if (deliveryId === null) {
      throw new NotFoundError('webhook');
    }
    return { deliveryId };
  });
}

/** Deliveries that are made due again at once. */
const REPLAYED_MAX = 1_000;

/** What was made due again. */
export interface Replayed {
  readonly replayed: number;
  /** The last of them, to go on after. */
  readonly lastId: bigint | null;
  readonly hasMore: boolean;
}

/**
 * Sends deliveries again that have ended, under the ids that they had.
 * @throws InputInvalidError unless exactly one way of saying which is given; NotFoundError where one is named that is not there
 */
export async function replayWebhook(
  { db }: WebhookParts,
  viewer: Viewer,
  which: sql.Again,
): Promise<Replayed> {
  const given = [which.deliveryId, which.afterId, which.since].filter((one) => one !== null);
  if (given.length !== 1) {
    const message = 'Give exactly one of deliveryId, afterDeliveryId and since.';
    throw new InputInvalidError([{ path: '', message }]);
  }
  const { tenantId } = viewer;
  return service(db, viewer, async (tx) => {
    await sql.holdWebhook(tx, tenantId);
    await requireDelivery(tx, which.deliveryId ?? which.afterId);
    const rows = await sql.replay(tx, tenantId, { ...which, limit: REPLAYED_MAX });
    return {
      replayed: rows.length,
      lastId: rows.at(-1)?.id ?? null,
      hasMore: rows.length === REPLAYED_MAX,
    };
  });
}

async function requireDelivery(tx: Tx, id: bigint | null): Promise<void> {
  if (
    id !== null &&
    (await sql.deliveryPage(tx, { states: null, id }, { take: 1, afterId: null })).length === 0
  ) {
    throw new NotFoundError('delivery');
  }
}

async function lock(tx: Tx, tenantId: bigint): Promise<{ state: string }> {
  const found = await sql.lockWebhook(tx, tenantId);
  if (found === null) {
    throw new NotFoundError('webhook');
  }
  return found;
}

async function putNewSecret(
  tx: Tx,
  secrets: SecretBox,
  { tenantId, keepSeconds }: { tenantId: bigint; keepSeconds: number },
): Promise<string> {
  const secret = newSecret();
  await sql.putSecret(tx, { tenantId, keepSeconds, sealed: secrets.seal(secret, secretPlace(tenantId)) });
  return secretText(secret);
}

const service = <T>(db: Database, { tenantId, identityId }: Viewer, work: (tx: Tx) => Promise<T>) =>
  retrying(() => withService(db, { tenantId, actorId: identityId }, work));
