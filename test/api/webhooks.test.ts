import { expect, test } from 'vitest';
import { faultOfUrl } from '../../src/services/events/webhooks/address.js';
import { openReceiver } from '../events/receiver.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { type ApiWorld, makeApiWorld } from './support/world.js';

// The webhook as an operator sets, tests, replays and looks at it; the server's own job sends.

const db = useTestDb();
const api = useTestApi(db);

const SET = `mutation($input: SetWebhookInput!) { setWebhook(input: $input) { __typename
  ... on SetWebhookPayload { secret webhook { url state failingSince deliveredAt } } ... on DomainError { code message } } }`;
const TEST = `mutation($input: TestWebhookInput!) { testWebhook(input: $input) { __typename
  ... on TestWebhookPayload { delivery { id messageId type state } } ... on DomainError { code } } }`;
const REPLAY = `mutation($input: ReplayWebhookInput!) { replayWebhook(input: $input) { __typename
  ... on ReplayWebhookPayload { replayed lastDeliveryId hasMore } ... on DomainError { code } } }`;
const ROTATE = `mutation($input: RotateWebhookSecretInput!) { rotateWebhookSecret(input: $input) { __typename
  ... on RotateWebhookSecretPayload { secret } ... on DomainError { code } } }`;
const DISABLE = `mutation($input: DisableWebhookInput!) { disableWebhook(input: $input) { __typename
  ... on DisableWebhookPayload { secret webhook { state reason } } ... on DomainError { code } } }`;
const LIST = `query($states: [WebhookDeliveryState!], $first: Int, $after: String) { webhook { url state }
  webhookDeliveries(states: $states, first: $first, after: $after) {
    edges { node { id messageId type state attempts nextAttemptAt endedAt statusCode error } } pageInfo { hasNextPage endCursor } } }`;

const run = async (token: string, document: string, input: object) =>
  Object.values<Record<string, never>>((await api.graphql(token, document, { input })).data)[0] ?? {};

const deliveries = async ({ operator }: Pick<ApiWorld, 'operator'>, variables: object = {}) =>
  (await api.graphql(operator, LIST, variables)).data.webhookDeliveries.edges.map(
    ({ node }: { node: object }) => node,
  );

test('an operator sets a webhook, is shown its secret once, tests it, replays and disables it', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const receiver = await openReceiver();
  const set = await run(world.operator, SET, { url: receiver.url });
  expect(set).toMatchObject({
    secret: expect.stringMatching(/^whsec_[\w+/]{43}=$/),
    webhook: { state: 'ENABLED' },
  });
  expect(await run(world.operator, SET, { url: receiver.url })).toMatchObject({ secret: null });
  const tested = await run(world.operator, TEST, { note: 'Are you there?' });
  await receiver.came(1);
  expect(receiver.received[0]).toMatchObject({ type: 'webhook.test', data: { note: 'Are you there?' } });
  const { id, messageId } = tested.delivery as unknown as { id: string; messageId: string };
  expect(receiver.received[0]?.id).toBe(messageId);
  await expect
    .poll(() => deliveries(world))
    .toMatchObject([
      { id, messageId, state: 'DELIVERED', attempts: 1, statusCode: 204, nextAttemptAt: null },
    ]);
  expect(await run(world.operator, REPLAY, { deliveryId: id })).toMatchObject({
    replayed: 1,
    lastDeliveryId: id,
    hasMore: false,
  });
  await receiver.came(2);
  expect(receiver.received[1]?.id).toBe(messageId);
  expect((await run(world.operator, ROTATE, { keepPreviousSeconds: 60 })).secret).not.toBe(set.secret);
  await run(world.operator, TEST, {});
  expect((await receiver.came(3))[2]?.signatures).toHaveLength(2);
  expect(await run(world.operator, DISABLE, { reason: 'We move.' })).toMatchObject({
    secret: null,
    webhook: { state: 'DISABLED', reason: 'We move.' },
  });
  expect(await run(world.operator, TEST, {})).toMatchObject({ code: 'WEBHOOK_DISABLED' });
  const page = (await api.graphql(world.operator, LIST, { first: 1 })).data.webhookDeliveries;
  expect(page.pageInfo.hasNextPage).toBe(true);
  expect(await deliveries(world, { first: 5, after: page.pageInfo.endCursor })).toHaveLength(1);
}, 30_000);

test('the server itself tells of what happens in the tenant', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const receiver = await openReceiver();
  await run(world.operator, SET, { url: receiver.url });
  const pause = `mutation($input: PauseExpertInput!) { pauseExpert(input: $input) { __typename } }`;
  await run(world.operator, pause, { expertId: world.experts[0]?.id, reason: 'A break.' });
  const [message] = await receiver.came(1);
  expect(message).toMatchObject({
    type: 'alert.raised',
    data: { kind: 'EXPERT_PAUSED', severity: 'INFO', expertId: world.experts[0]?.id },
  });
});

test('a webhook is its tenant’s operators’ alone', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const stranger = await makeApiWorld(api, { tasks: 0 });
  const receiver = await openReceiver();
  await run(world.operator, SET, { url: receiver.url });
  await run(world.operator, TEST, {});
  const [{ id }] = await deliveries(world);
  expect((await api.graphql(stranger.operator, LIST)).data.webhook).toBeNull();
  expect(await deliveries(stranger)).toEqual([]);
  for (const input of [{ deliveryId: id }, { afterDeliveryId: id }]) {
    expect(await run(stranger.operator, REPLAY, input)).toMatchObject({ code: 'NOT_FOUND' });
  }
  for (const [document, input] of [
    [ROTATE, {}],
    [TEST, {}],
    [DISABLE, { reason: 'r' }],
  ] as const) {
    expect(await run(stranger.operator, document, input)).toMatchObject({ code: 'NOT_FOUND' });
  }
  for (const token of [world.customer, world.analyst, world.dispatcher, world.experts[0]?.token ?? '']) {
    for (const [document, variables] of [
      [LIST, {}],
      [SET, { input: { url: receiver.url } }],
      [REPLAY, { input: { deliveryId: id } }],
    ] as const) {
      expect((await api.attempt(token, document, variables)).errors[0]?.extensions?.code).toBe('FORBIDDEN');
    }
  }
  const wrong = await api.attempt(world.operator, REPLAY, { input: { deliveryId: world.projectId } });
  expect(wrong.errors[0]?.extensions?.code).toBe('BAD_USER_INPUT');
  expect(await run(world.operator, ROTATE, { keepPreviousSeconds: -1 })).toMatchObject({
    code: 'INPUT_INVALID',
  });
});

test.each([
  ['https://example.com/hooks', true, true],
  ['https://example.com:8443/hooks?a=b', true, true],
  ['http://127.0.0.1:4000/', false, true],
  ['http://localhost:4000/', false, true],
  ['https://[::1]/', false, true],
  ['http://example.com/', false, false],
  ['https://10.0.0.1/', false, false],
  ['https://169.254.169.254/latest', false, false],
  ['https://0x7f.1/', false, true],
  ['https://user:word@example.com/', false, false],
  ['https://example.com/#part', false, false],
  ['ftp://example.com/', false, false],
  ['example.com', false, false],
  [`https://example.com/${'x'.repeat(2_000)}`, false, false],
])('the URL %s is acceptable in production: %s, in development: %s', (url, inProduction, inDevelopment) => {
  expect(faultOfUrl(url, false) === null).toBe(inProduction);
  expect(faultOfUrl(url, true) === null).toBe(inDevelopment);
});

test('a URL that is not acceptable is refused with why', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  expect(await run(world.operator, SET, { url: 'https://192.168.1.1/' })).toMatchObject({
    code: 'INPUT_INVALID',
    message: expect.stringMatching(/public internet/),
  });
});
