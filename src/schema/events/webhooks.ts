import { pageOf } from '../../resolvers/paging.js';
import * as resolvers from '../../resolvers/webhooks.js';
import { messageId } from '../../services/events/webhooks/payload.js';
import type { Delivery, Webhook } from '../../services/events/webhooks/webhooks.js';
import { builder } from '../builder.js';
import { connectionArgs, connectionCost, connectionOf } from '../platform/connection.js';

const WebhookStateEnum = builder.enumType('WebhookState', {
  description: 'Whether a webhook is sent to.',
  values: {
    ENABLED: { description: 'It is sent to.' },
    DISABLED: { description: 'It is not; what happens is kept, and sent when it is set again.' },
  } as const,
});

export const WebhookRef = builder.objectRef<Webhook>('Webhook').implement({
  description:
    'Where a tenant is told of what happens: see docs/webhooks.md. Its secret is never shown again.',
  fields: (t) => ({
    url: t.exposeString('url', { description: 'Where it goes.' }),
    state: t.field({
      type: WebhookStateEnum,
      description: 'Whether it is sent to.',
      resolve: ({ state }) => state,
    }),
    reason: t.exposeString('reason', { nullable: true, description: 'Why it is disabled.' }),
    changedAt: t.field({
      type: 'DateTime',
      description: 'When it was set or disabled.',
      resolve: ({ changedAt }) => changedAt,
    }),
    failingSince: t.field({
      type: 'DateTime',
      nullable: true,
      description:
        'When the first of the attempts failed since which none has succeeded; null: the last one did.',
      resolve: ({ failingSince }) => failingSince,
    }),
    lastError: t.exposeString('lastError', { nullable: true, description: 'What the last of them met.' }),
    deliveredAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When a delivery last succeeded, to ten seconds.',
      resolve: ({ deliveredAt }) => deliveredAt,
    }),
  }),
});

builder.queryField('webhook', (t) =>
  t.field({
    type: WebhookRef,
    nullable: true,
    description: 'The tenant’s webhook; null before one was set.',
    authScopes: { role: ['OPERATOR'] },
    resolve: (_root, _args, ctx) => resolvers.webhook(ctx),
  }),
);

const DeliveryStateEnum = builder.enumType('WebhookDeliveryState', {
  description: 'What became of a delivery.',
  values: {
    PENDING: { description: 'It waits, or is tried again.' },
    DELIVERED: { description: 'The receiver has answered 2xx.' },
    DEAD: { description: 'It was tried for three days in vain; `replayWebhook` tries again.' },
  } as const,
});

export const DeliveryRef = builder.objectRef<Delivery>('WebhookDelivery').implement({
  description: 'One message to the webhook, kept for two weeks.',
  fields: (t) => ({
    id: t.id({
      description: 'For `replayWebhook`.',
      resolve: ({ id }, _args, { app }) => app.ids.encode('WebhookDelivery', id),
    }),
    messageId: t.string({
      description: 'The `webhook-id` that it is sent with, each time.',
      resolve: (delivery, _args, { app }) => messageId(app.ids, delivery),
    }),
    type: t.exposeString('type', { description: 'What it tells, such as "alert.raised".' }),
    state: t.field({ type: DeliveryStateEnum, description: 'What became of it.', resolve: (d) => d.state }),
    createdAt: t.field({ type: 'DateTime', description: 'When it happened.', resolve: (d) => d.createdAt }),
    attempts: t.exposeInt('attempts', { description: 'How often it was tried, since it was last replayed.' }),
    nextAttemptAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Of PENDING: not before then, and not before earlier ones of its subject.',
      resolve: ({ state, dueAt }) => (state === 'PENDING' ? dueAt : null),
    }),
    endedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was delivered or given up.',
      resolve: (d) => d.endedAt,
    }),
    statusCode: t.exposeInt('status', {
      nullable: true,
      description: 'What the receiver last answered; null: nothing.',
    }),
    error: t.exposeString('error', { nullable: true, description: 'Why the last attempt failed.' }),
  }),
});

const DeliveryConnection = connectionOf(DeliveryRef, 'deliveries');

builder.queryField('webhookDeliveries', (t) =>
  t.field({
    type: DeliveryConnection,
    description: 'What the webhook was told, and is to be told, newest first.',
    authScopes: { role: ['OPERATOR'] },
    args: {
      ...connectionArgs(),
      states: t.arg({ type: [DeliveryStateEnum], required: false, description: 'Only in these states.' }),
    },
    complexity: connectionCost,
    resolve: (_root, { states, ...args }, ctx) =>
      pageOf(args, { ctx, type: 'WebhookDelivery' }, (page) =>
        resolvers.deliveries(states ?? null, page, ctx),
      ),
  }),
);
