import type { App, Context } from '../context.js';
import type {
  DisableWebhookInput,
  ReplayWebhookInput,
  RotateWebhookSecretInput,
  SetWebhookInput,
  TestWebhookInput,
} from '../schema/events/webhook-mutations.js';
import * as webhooks from '../services/events/webhooks/webhooks.js';
import { badInput } from './api-errors.js';
import type { Page } from './paging.js';

const partsOf = ({ db, secrets, production }: App): webhooks.WebhookParts => ({
  db,
  secrets,
  loopback: !production,
});

export const webhook = ({ read }: Context): Promise<webhooks.Webhook | null> =>
  read((tx) => webhooks.webhook(tx));

export const deliveries = (
  states: readonly webhooks.DeliveryState[] | null,
  page: Page,
  { read }: Context,
): Promise<webhooks.Delivery[]> => read((tx) => webhooks.deliveryPage(tx, { states, id: null }, page));

export async function delivery(id: bigint, { read }: Context): Promise<webhooks.Delivery | null> {
  const page = { take: 1, afterId: null };
  return (await read((tx) => webhooks.deliveryPage(tx, { states: null, id }, page)))[0] ?? null;
}

export const setWebhook = ({ url }: typeof SetWebhookInput.$inferInput, { app, viewer }: Context) =>
  webhooks.setWebhook(partsOf(app), viewer, { url });

const A_DAY = 86_400;

export const rotateWebhookSecret = (
  { keepPreviousSeconds }: typeof RotateWebhookSecretInput.$inferInput,
  { app, viewer }: Context,
) => webhooks.rotateSecret(partsOf(app), viewer, { keepSeconds: keepPreviousSeconds ?? A_DAY });

export async function disableWebhook(
  { reason }: typeof DisableWebhookInput.$inferInput,
  { app, viewer }: Context,
): Promise<{ secret: null }> {
  await webhooks.disableWebhook(partsOf(app), viewer, { reason });
  return { secret: null };
}

export const testWebhook = ({ note }: typeof TestWebhookInput.$inferInput, { app, viewer }: Context) =>
  webhooks.testWebhook(partsOf(app), viewer, { note: note ?? null });

export const replayWebhook = (
  { deliveryId, afterDeliveryId, since }: typeof ReplayWebhookInput.$inferInput,
  ctx: Context,
): Promise<webhooks.Replayed> =>
  webhooks.replayWebhook(partsOf(ctx.app), ctx.viewer, {
    deliveryId: deliveryOf(deliveryId, ctx),
    afterId: deliveryOf(afterDeliveryId, ctx),
    since: since ?? null,
  });

function deliveryOf(opaque: string | null | undefined, { app }: Context): bigint | null {
  if (opaque === null || opaque === undefined) {
    return null;
  }
  const decoded = app.ids.decode(opaque);
  if (decoded === null || decoded.type !== 'WebhookDelivery') {
    throw badInput('This is not the id of a delivery.');
  }
  return decoded.id;
}
