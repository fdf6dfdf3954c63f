import { type ChildProcess, spawn } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { isAllowed } from '../../src/services/events/webhooks/address.js';
import {
  clearDeliveries,
  type DeliveryParts,
  pauseSeconds,
  sendDelivery,
  takeDeliveries,
} from '../../src/services/events/webhooks/deliver.js';
import { signedHeaders } from '../../src/services/events/webhooks/signature.js';
import {
  disableWebhook,
  replayWebhook,
  rotateSecret,
  setWebhook,
  testWebhook,
  type WebhookParts,
} from '../../src/services/events/webhooks/webhooks.js';
import { judgeProjects } from '../../src/services/forecast/risk.js';
import { withService } from '../../src/services/platform/database.js';
import { createIdCodec } from '../../src/services/platform/ids.js';
import { createSecretBox } from '../../src/services/platform/secret-box.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { useTestDb } from '../support/db.js';
import { makeTenant, makeWorld, type Tenant } from '../support/factories.js';
import { openReceiver, type Received } from './receiver.js';

// What webhooks are told, how it is signed, and that nothing is lost, sent out of order or sent by two at once.

const t = useTestDb();
const KEY = 'a key of webhooks';
const ids = createIdCodec(KEY);
const parts = (): WebhookParts & DeliveryParts => ({
  db: t.database,
  ids,
  secrets: createSecretBox(KEY),
  loopback: true,
});
const never = new AbortController().signal;

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

const notesOf = (received: readonly Received[]) => received.map(({ data }) => data.note);

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

/** Whether a message is signed with a secret as receivers know it. */
function isSignedWith(secret: string, { id, timestamp, body, signatures }: Received): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return signatures.includes(`v1,${signature}`);
}

test('what happens to projects, batches and alerts is told with opaque ids, and what is rolled back is not', async () => {
  const world = await makeWorld(t.database, { tasks: 1, experts: 1 });
  const receiver = await openReceiver();
  const { secret } = await setWebhook(parts(), world.operator, { url: receiver.url });
  await expect(
    withService(t.database, { tenantId: world.tenantId, actorId: null }, async (tx) => {
      await tx.project.updateMany({ where: { id: world.projectId }, data: { name: 'never' } });
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  await t.admin.query("update batches set deadline = now() + interval '1 day' where tenant_id = $1", [
    world.tenantId,
  ]);
  await t.admin.query(
    "update tasks set state = 'DONE', counted = wanted, done_at = now() where tenant_id = $1",
    [world.tenantId],
  );
  await judgeProjects(t.database, [world]);
  await t.admin.query(
    "update batches set state = 'FAILED', failure = 'Line 3.', stored_at = null where tenant_id = $1",
    [world.tenantId],
  );
  await cancelProject(t.database, world.customer.viewer, { projectId: world.projectId, policy: 'STOP' });
  await rounds();
  expect(receiver.received.map(({ type }) => type).sort()).toEqual([
    'alert.raised',
    'batch.failed',
    'batch.finished',
    'batch.updated',
    'project.cancelled',
  ]);
  const cancelled = receiver.received.find(({ type }) => type === 'project.cancelled');
  expect(cancelled?.data).toMatchObject({
    projectId: ids.encode('Project', world.projectId),
    customerId: ids.encode('Customer', world.customer.customerId),
    state: 'CANCELLED',
  });
  expect(receiver.received.every((message) => isSignedWith(secret ?? '', message))).toBe(true);
  expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(5);
  const told = receiver.received.flatMap(({ data }) => Object.entries<string>(data));
  expect(told.filter(([name, value]) => name.endsWith('Id') && ids.decode(value) === null)).toEqual([]);
});

test('a message that fails holds up its subject and nothing else, and comes again with the same id and bytes', async () => {
  const receiver = await openReceiver(({ data }) => (data.note === 'a1' ? 500 : 204));
  const tenant = await tenantWith(receiver.url);
  for (const note of ['a1', 'b1', 'a2', 'b2', 'a3']) {
    await tell(tenant, note.slice(0, 1), note);
  }
  expect(await rounds()).toEqual(['RETRY', 'DELIVERED', 'DELIVERED']);
  expect(notesOf(receiver.received).sort()).toEqual(['a1', 'b1', 'b2']);
  expect(await kept(tenant)).toMatchObject([
    { state: 'PENDING', attempts: 1, status: 500, error: 'The receiver answered 500.' },
    {},
    {},
    {},
    {},
  ]);
  receiver.reply(() => 200);
  expect(await rounds()).toEqual([]);
  await t.advance(5);
  expect(await rounds()).toEqual(['DELIVERED', 'DELIVERED', 'DELIVERED']);
  expect(notesOf(receiver.received).filter((note) => note.startsWith('a'))).toEqual(['a1', 'a1', 'a2', 'a3']);
  const [first, again] = receiver.received.filter(({ data }) => data.note === 'a1');
  expect([again?.id, again?.body]).toEqual([first?.id, first?.body]);
});

test('pauses grow from five seconds to an hour, and spread', () => {
  const longest = [1, 2, 3, 11, 80].map((attempt) => pauseSeconds(attempt, () => 0));
  expect(longest).toEqual([5, 10, 20, 3_600, 3_600]);
  expect(pauseSeconds(1, () => 0.999)).toBeGreaterThan(3.7);
});

test('ten senders at once send each message once, and each subject in order', async () => {
  const receiver = await openReceiver();
  const tenants = [
    await tenantWith(receiver.url),
    await tenantWith(receiver.url),
    await tenantWith(receiver.url),
  ];
  const expected: string[] = [];
  for (const [n, tenant] of tenants.entries()) {
    for (let m = 0; m < 24; m += 1) {
      expected.push(`${n}/${m % 6}/${m}`);
      await tell(tenant, `s${m % 6}`, `${n}/${m % 6}/${m}`);
    }
  }
  await Promise.all(
    Array.from({ length: 10 }, async () => {
      while (receiver.received.length < expected.length) {
        await round(8);
      }
    }),
  );
  const notes = notesOf(receiver.received);
  expect([...notes].sort()).toEqual([...expected].sort());
  const subjectOf = (note: string) => note.slice(0, note.lastIndexOf('/'));
  for (const subject of new Set(expected.map(subjectOf))) {
    expect(notes.filter((note) => subjectOf(note) === subject)).toEqual(
      expected.filter((note) => subjectOf(note) === subject),
    );
  }
});

test('a sender that hung is overtaken after half a minute, and what it says then is not believed', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 's', 'one');
  const [hung] = await takeDeliveries(parts(), 10);
  expect(await takeDeliveries(parts(), 10)).toEqual([]);
  await t.advance(31);
  const [taken] = await takeDeliveries(parts(), 10);
  expect(taken?.fence).toBe(2);
  receiver.reply(() => 500);
  expect(hung && (await sendDelivery(parts(), hung, never))).toBe('LOST');
  receiver.reply(() => 204);
  expect(taken && (await sendDelivery(parts(), taken, never))).toBe('DELIVERED');
  expect(await kept(tenant)).toMatchObject([{ state: 'DELIVERED', attempts: 2 }]);
});

/** A process that sends, until it is killed. */
function spawnSender(): ChildProcess {
  const child = spawn(
    process.execPath,
    ['--import', 'tsx', new URL('./sender-child.ts', import.meta.url).pathname, t.url, KEY],
    {
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  );
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

test('a sender that is killed in the middle of an attempt loses nothing', async () => {
  const receiver = await openReceiver(() => undefined);
  const tenant = await tenantWith(receiver.url);
  for (const note of ['a', 'b', 'c']) {
    await tell(tenant, note, note);
  }
  await tell(tenant, 'a', 'a2');
  const child = spawnSender();
  await receiver.came(3);
  child.kill('SIGKILL');
  await once(child, 'exit');
  receiver.reply(() => 204);
  expect(await rounds()).toEqual([]);
  await t.advance(31);
  expect(await rounds()).toHaveLength(4);
  expect(notesOf(receiver.received.slice(3)).sort()).toEqual(['a', 'a2', 'b', 'c']);
  expect((await kept(tenant)).every(({ state }) => state === 'DELIVERED')).toBe(true);
}, 60_000);

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

test('while a webhook is disabled what happens is kept, for two weeks, and sent when it is set again', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  await disableWebhook(parts(), tenant.operator, { reason: 'We move.' });
  await tell(tenant, 's', 'old');
  await t.advance(8 * 86_400);
  await tell(tenant, 's', 'young');
  expect(await rounds()).toEqual([]);
  await t.advance(7 * 86_400);
  await clearDeliveries(t.database);
  expect(await kept(tenant)).toHaveLength(1);
  expect(await setWebhook(parts(), tenant.operator, { url: receiver.url })).toEqual({ secret: null });
  await rounds();
  expect(notesOf(receiver.received)).toEqual(['young']);
  const without = await makeTenant(t.database);
  await tell(without, 's', 'nobody');
  expect(await kept(without)).toEqual([]);
});
