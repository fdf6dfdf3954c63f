// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { expect, test } from 'vitest';
import { isAllowed } from '../../src/services/events/webhooks/address.js';
import { sendDelivery, takeDeliveries } from '../../src/services/events/webhooks/deliver.js';
import { signedHeaders } from '../../src/services/events/webhooks/signature.js';
import { replayWebhook, rotateSecret, testWebhook } from '../../src/services/events/webhooks/webhooks.js';
import { openReceiver } from './receiver.js';
import { isSignedWith, never, useWebhooks } from './webhook-desk.js';

// What a receiver gets and may do: signatures and their secrets, addresses, slow and failing receivers, replays.

const { t, parts, tenantWith, tell, round, rounds, kept } = useWebhooks();

test('signs as the test vector of Standard Webhooks says', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');
  const message = {
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    timestamp: 1_614_265_330,
    body: '{"test": 2432232314}',
  };
  expect(signedHeaders(message, [secret])).toEqual({
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  });
});

test.each([
  ['8.8.8.8', true],
  ['2606:4700::1111', true],
  ['10.1.2.3', false],
  ['100.64.0.1', false],
  ['127.0.0.1', false],
  ['169.254.169.254', false],
  ['172.31.255.255', false],
  ['192.168.0.1', false],
  ['0.0.0.0', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['::1', false],
  ['::', false],
  ['::ffff:10.0.0.1', false],
  ['::ffff:7f00:1', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['2001:0:a00:1::', false],
  ['fd00::1', false],
  ['fe80::1', false],
  ['localhost', false],
])('the address %s is allowed: %s', (address, allowed) => {
  expect(isAllowed(address, false)).toBe(allowed);
});

test('a receiver that never answers is given up after 15 s and keeps nobody else waiting', async () => {
  const slow = await openReceiver(() => undefined);
  const quick = await openReceiver();
  const [stuck, other] = [await tenantWith(slow.url), await tenantWith(quick.url)];
  for (let n = 0; n < 10; n += 1) {
    await tell(stuck, `s${n}`, `slow ${n}`);
  }
  await tell(other, 's', 'quick');
  const attempts = (await takeDeliveries(parts(), 8)).map((one) => sendDelivery(parts(), one, never));
  // Four of a tenant at a time; the other's is among those that were taken.
  expect(attempts).toHaveLength(5);
  await quick.came(1);
  expect((await Promise.all(attempts)).sort()).toEqual(['DELIVERED', 'RETRY', 'RETRY', 'RETRY', 'RETRY']);
  expect((await kept(stuck))[0]).toMatchObject({
    error: 'The receiver did not answer within 15 s.',
    status: null,
  });
}, 60_000);

test('no redirect is followed, a long answer is not read to its end, and a refused address is not asked', async () => {
  const elsewhere = await openReceiver();
  const receiver = await openReceiver(({ data }, res) => {
    if (data.note === 'redirect') {
      res.writeHead(307, { location: elsewhere.url }).end();
      return undefined;
    }
    res.writeHead(200);
    const more = () => {
      while (!res.destroyed && res.write(Buffer.alloc(65_536))) {}
      res.once('drain', more);
    };
    more();
    return undefined;
  });
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 'a', 'redirect');
  await tell(tenant, 'b', 'endless');
  expect((await round()).sort()).toEqual(['DELIVERED', 'RETRY']);
  expect(elsewhere.received).toEqual([]);
  await tell(tenant, 'c', 'refused');
  const [taken] = await takeDeliveries(parts(), 1);
  expect(taken && (await sendDelivery({ ...parts(), loopback: false }, taken, never))).toBe('RETRY');
  const [named] = await takeDeliveries(parts(), 1);
  expect(named).toBeUndefined();
  await t.admin.query(
    "update webhooks set url = replace(url, '127.0.0.1', 'localhost') where tenant_id = $1",
    [tenant.tenantId],
  );
  await t.advance(6);
  const again = (await takeDeliveries(parts(), 9)).find(({ data }) => data.note === 'refused');
  expect(again && (await sendDelivery({ ...parts(), loopback: false }, again, never))).toBe('RETRY');
  expect(receiver.received).toHaveLength(2);
  expect((await kept(tenant)).at(-1)).toMatchObject({
    error: 'The address is not one of the public internet.',
  });
});

test('what fails for a quarter of an hour is an alert, what fails for three days is given up and can be replayed', async () => {
  const receiver = await openReceiver(() => 503);
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 's', 'one');
  await tell(tenant, 's', 'two');
  const alerts = async () =>
    (
      await t.admin.query('select kind, resolved_at is null as open from alerts where tenant_id = $1', [
        tenant.tenantId,
      ])
    ).rows;
  await round();
  expect(await alerts()).toEqual([]);
  await t.advance(901);
  await round();
  expect(await alerts()).toEqual([{ kind: 'WEBHOOK_FAILING', open: true }]);
  await t.advance(3 * 86_400);
  expect(await round()).toContain('DEAD');
  const [one, two] = await kept(tenant);
  expect([one.state, two.state]).toEqual(['DEAD', 'PENDING']);
  receiver.reply(() => 204);
  await t.advance(10);
  expect(await rounds()).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
  expect(await alerts()).toEqual([{ kind: 'WEBHOOK_FAILING', open: false }]);
  const deliveryId = BigInt(one.id);
  const again = { deliveryId, afterId: null, since: null };
  expect(await replayWebhook(parts(), tenant.operator, again)).toEqual({
    replayed: 1,
    lastId: deliveryId,
    hasMore: false,
  });
  expect(await replayWebhook(parts(), tenant.operator, again)).toMatchObject({ replayed: 0 });
  await rounds();
  const since = { deliveryId: null, afterId: null, since: new Date(0) };
  const before = receiver.received.length;
  const { replayed } = await replayWebhook(parts(), tenant.operator, since);
  await rounds();
  // one, two, and what was told of the alert: the same messages, in the order in which they were made.
  expect(replayed).toBe(4);
  const sent = receiver.received.slice(before);
  expect(sent.filter(({ data }) => data.note).map(({ data }) => data.note)).toEqual(['one', 'two']);
  expect(new Set(sent.map(({ id }) => id)).size).toBe(4);
  const after = { deliveryId: null, afterId: deliveryId, since: null };
  expect(await replayWebhook(parts(), tenant.operator, after)).toMatchObject({ replayed: 3 });
  await expect(replayWebhook(parts(), tenant.operator, { ...after, deliveryId })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
  const stranger = await tenantWith(receiver.url);
  for (const foreign of [again, after]) {
    await expect(replayWebhook(parts(), stranger.operator, foreign)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  }
});

test('two secrets sign for a while after a rotation; a receiver that answers 410 is sent nothing more', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  const next = await rotateSecret(parts(), tenant.operator, { keepSeconds: 3_600 });
  await testWebhook(parts(), tenant.operator, { note: 'both' });
  await rounds();
  await t.advance(3_601);
  await testWebhook(parts(), tenant.operator, { note: 'one' });
  await rounds();
  const signed = receiver.received.map((message) =>
    [tenant.secret, next.secret].map((secret) => isSignedWith(secret, message)),
  );
  expect(signed).toEqual([
    [true, true],
    [false, true],
  ]);
  expect(receiver.received.map(({ type }) => type)).toEqual(['webhook.test', 'webhook.test']);
  receiver.reply(() => 410);
  await testWebhook(parts(), tenant.operator, { note: 'gone' });
  await rounds();
  await expect(testWebhook(parts(), tenant.operator, { note: 'no' })).rejects.toMatchObject({
    code: 'WEBHOOK_DISABLED',
  });
});
