import * as resolvers from '../../resolvers/webhooks.js';
import { InputInvalidError, NotFoundError } from '../../services/access/errors.js';
import { WebhookDisabledError } from '../../services/events/webhooks/errors.js';
import type { Replayed } from '../../services/events/webhooks/webhooks.js';
import { builder } from '../builder.js';
import { plainRefusal } from '../platform/domain-error.js';
import { DeliveryRef, WebhookRef } from './webhooks.js';

plainRefusal(WebhookDisabledError, 'The webhook is disabled: nothing is sent.');

const webhookPayload = (name: string, mutation: string) =>
  builder.objectRef<{ secret: string | null }>(name).implement({
    description: `What \`${mutation}\` did.`,
    fields: (t) => ({
      webhook: t.field({
        type: WebhookRef,
        nullable: true,
        description: 'The webhook.',
        resolve: (_did, _args, ctx) => resolvers.webhook(ctx),
      }),
      secret: t.exposeString('secret', {
        nullable: true,
        description: 'A new secret that messages are signed with, shown this once; null: there is none.',
      }),
    }),
  });

export const SetWebhookInput = builder.inputType('SetWebhookInput', {
  description: 'What `setWebhook` needs.',
  fields: (t) => ({
    url: t.string({
      required: true,
      description:
        'Where it goes: https, at an address of the public internet; on development also http on this machine.',
    }),
  }),
});

builder.mutationField('setWebhook', (t) =>
  t.field({
    type: webhookPayload('SetWebhookPayload', 'setWebhook'),
    nullable: true,
    description:
      'Sets where the tenant is told of what happens, and enables it: what waits is sent there. See docs/webhooks.md.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [InputInvalidError] },
    args: { input: t.arg({ type: SetWebhookInput, required: true, description: 'Where.' }) },
    resolve: (_root, { input }, ctx) => resolvers.setWebhook(input, ctx),
  }),
);

export const RotateWebhookSecretInput = builder.inputType('RotateWebhookSecretInput', {
  description: 'What `rotateWebhookSecret` needs.',
  fields: (t) => ({
    keepPreviousSeconds: t.int({
      required: false,
      description: 'How long messages are signed with the present secret too: 0 to 604800 (default 86400).',
    }),
  }),
});

builder.mutationField('rotateWebhookSecret', (t) =>
  t.field({
    type: webhookPayload('RotateWebhookSecretPayload', 'rotateWebhookSecret'),
    nullable: true,
    description: 'Gives the webhook a new secret; the present one signs beside it for a while.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: RotateWebhookSecretInput, required: true, description: 'For how long.' }) },
    resolve: (_root, { input }, ctx) => resolvers.rotateWebhookSecret(input, ctx),
  }),
);

export const DisableWebhookInput = builder.inputType('DisableWebhookInput', {
  description: 'What `disableWebhook` needs.',
  fields: (t) => ({
    reason: t.string({ required: true, description: 'Why; 1 to 500 characters, shown with the webhook.' }),
  }),
});

builder.mutationField('disableWebhook', (t) =>
  t.field({
    type: webhookPayload('DisableWebhookPayload', 'disableWebhook'),
    nullable: true,
    description: 'Sends nothing until it is set again; what happens meanwhile is kept for two weeks.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: DisableWebhookInput, required: true, description: 'Why.' }) },
    resolve: (_root, { input }, ctx) => resolvers.disableWebhook(input, ctx),
  }),
);

export const TestWebhookInput = builder.inputType('TestWebhookInput', {
  description: 'What `testWebhook` needs.',
  fields: (t) => ({
    note: t.string({ required: false, description: 'Comes with the message; 1 to 500 characters.' }),
  }),
});

const TestWebhookPayload = builder.objectRef<{ deliveryId: bigint }>('TestWebhookPayload').implement({
  description: 'What `testWebhook` did.',
  fields: (t) => ({
    delivery: t.field({
      type: DeliveryRef,
      nullable: true,
      description: 'The message: PENDING at first, in a moment what became of it.',
      resolve: ({ deliveryId }, _args, ctx) => resolvers.delivery(deliveryId, ctx),
    }),
  }),
});

builder.mutationField('testWebhook', (t) =>
  t.field({
    type: TestWebhookPayload,
    nullable: true,
    description: 'Sends a message of type "webhook.test" the way that all others go.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError, WebhookDisabledError] },
    args: { input: t.arg({ type: TestWebhookInput, required: true, description: 'With which words.' }) },
    resolve: (_root, { input }, ctx) => resolvers.testWebhook(input, ctx),
  }),
);

export const ReplayWebhookInput = builder.inputType('ReplayWebhookInput', {
  description: 'What `replayWebhook` needs: exactly one of these.',
  fields: (t) => ({
    deliveryId: t.id({ required: false, description: 'This one.' }),
    afterDeliveryId: t.id({ required: false, description: 'All after this one.' }),
    since: t.field({ type: 'DateTime', required: false, description: 'All of what happened from then on.' }),
  }),
});

const ReplayWebhookPayload = builder.objectRef<Replayed>('ReplayWebhookPayload').implement({
  description: 'What `replayWebhook` did.',
  fields: (t) => ({
    replayed: t.exposeInt('replayed', { description: 'How many are sent again, oldest first.' }),
    lastDeliveryId: t.id({
      nullable: true,
      description: 'The last of them.',
      resolve: ({ lastId }, _args, { app }) =>
        lastId === null ? null : app.ids.encode('WebhookDelivery', lastId),
    }),
    hasMore: t.exposeBoolean('hasMore', {
      description: 'There may be more: go on with `afterDeliveryId`. A call takes at most a thousand.',
    }),
  }),
});

builder.mutationField('replayWebhook', (t) =>
  t.field({
    type: ReplayWebhookPayload,
    nullable: true,
    description:
      'Sends deliveries again that were delivered or given up, under the message ids that they had, so that a receiver that drops what it has seen gets what it has missed.',
    authScopes: { role: ['OPERATOR'] },
    errors: { types: [NotFoundError, InputInvalidError] },
    args: { input: t.arg({ type: ReplayWebhookInput, required: true, description: 'Which.' }) },
    resolve: (_root, { input }, ctx) => resolvers.replayWebhook(input, ctx),
  }),
);
