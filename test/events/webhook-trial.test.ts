// @once
import { createServer, type Socket } from 'node:net';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import {
  readWebhookBacklog,
  sendDelivery,
  takeDeliveries,
} from '../../src/services/events/webhooks/deliver.js';
import { disableWebhook, replayWebhook, setWebhook } from '../../src/services/events/webhooks/webhooks.js';
import { onRetry } from '../../src/services/platform/retry.js';
import { openReceiver } from './receiver.js';
import { ids, never, notesOf, useWebhooks } from './webhook-desk.js';

// Receivers and operators that do their worst.

const { t, parts, tenantWith, tell, round, rounds, kept } = useWebhooks();

/** A receiver that answers by bytes of its own. */
async function openBytes(answer: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) {
      socket.destroy();
    }
    server.close();
  });
  const address = server.address();
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hooks`;
}

test.for<[what: string, answer: (socket: Socket) => void, outcome: string, error: string | null]>([
  [
    'says 200 and breaks off',
    (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhal'),
    'DELIVERED',
    null,
  ],
  [
    'says 500 and breaks off',
    (socket) => socket.end('HTTP/1.1 500 Oh\r\nContent-Length: 100\r\n\r\nhal'),
    'RETRY',
    'The receiver answered 500.',
  ],
  [
    'wants another protocol',
    (socket) => socket.write('HTTP/1.1 101 Go\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n'),
    'RETRY',
    'The receiver answered 101.',
  ],
  ['closes', (socket) => socket.destroy(), 'RETRY', 'The receiver could not be reached: ECONNRESET.'],
  [
    'speaks no HTTP',
    (socket) => socket.end('220 mail.example ESMTP\r\n'),
    'RETRY',
    'The receiver could not be reached: HPE_INVALID_CONSTANT.',
  ],
  [
    'has headers without end',
    (socket) => socket.end(`HTTP/1.1 200 OK\r\n${'X-More: and more\r\n'.repeat(10_000)}`),
    'RETRY',
    'The receiver could not be reached: HPE_HEADER_OVERFLOW.',
  ],
])('a receiver that %s', async ([, answer, outcome, error]) => {
  const tenant = await tenantWith(await openBytes(answer));
  await tell(tenant, 's', 'one');
  expect(await round()).toEqual([outcome]);
  expect((await kept(tenant))[0].error).toBe(error);
});

test('a receiver without TLS behind https is not talked to', async () => {
  const plain = await openReceiver();
  const tenant = await tenantWith(plain.url.replace('http:', 'https:'));
  await tell(tenant, 's', 'one');
  expect(await round()).toEqual(['RETRY']);
  expect(plain.received).toEqual([]);
  expect((await kept(tenant))[0].error).toMatch(/^The receiver could not be reached: [A-Z_]+\.$/);
});

test('a receiver that answers 200 and then byte by byte has taken the message', async () => {
  const receiver = await openReceiver((_message, res) => {
    res.writeHead(200);
    const drip = setInterval(() => res.write('.'), 500);
    res.once('close', () => clearInterval(drip));
    return undefined;
  });
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 's', 'one');
  expect(await round()).toEqual(['DELIVERED']);
}, 60_000);

test('a receiver that says until when to wait is waited for, an hour at most', async () => {
  const at = (ms: number) => new Date(Date.now() + ms).toUTCString();
  const receiver = await openReceiver(({ data }, res) => {
    res.writeHead(503, { 'retry-after': data.note === 'soon' ? at(600_000) : at(86_400_000) }).end();
    return undefined;
  });
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 'a', 'soon');
  await tell(tenant, 'b', 'late');
  await round();
  const { rows } = await t.admin.query<{ seconds: string }>(
    'select extract(epoch from due_at - app.clock_now())::float8 as seconds from webhook_deliveries where tenant_id = $1 order by id',
    [tenant.tenantId],
  );
  const [soon = 0, late = 0] = rows.map(({ seconds }) => Number(seconds));
  expect(soon).toBeGreaterThan(570);
  expect(soon).toBeLessThanOrEqual(600);
  expect(late).toBeGreaterThan(3_580);
  expect(late).toBeLessThanOrEqual(3_600);
});

test('what an attempt at the old URL meets says nothing about the new one, and is due there at once', async () => {
  const old = await openReceiver(() => 410);
  const next = await openReceiver();
  const tenant = await tenantWith(old.url);
  await tell(tenant, 's', 'one');
  const [taken] = await takeDeliveries(parts(), 1);
  await setWebhook(parts(), tenant.operator, { url: next.url });
  expect(taken && (await sendDelivery(parts(), taken, never))).toBe('RETRY');
  expect(await rounds()).toEqual(['DELIVERED']);
  expect(notesOf(next.received)).toEqual(['one']);
  const { rows } = await t.admin.query('select state, failing_since from webhooks where tenant_id = $1', [
    tenant.tenantId,
  ]);
  expect(rows).toEqual([{ state: 'ENABLED', failing_since: null }]);
});

test('a webhook that is set while a sender stops has its message given back all the same', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 's', 'one');
  const [taken] = await takeDeliveries(parts(), 1);
  await setWebhook(parts(), tenant.operator, { url: receiver.url });
  expect(taken && (await sendDelivery(parts(), taken, AbortSignal.abort()))).toBe('GIVEN_BACK');
  expect(await rounds()).toEqual(['DELIVERED']);
});

test('a webhook is set, disabled and replayed while it delivers, and nobody stands in the way of another', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  const retried: string[] = [];
  onTestFinished(onRetry((state) => void retried.push(state)));
  for (let n = 0; n < 14; n += 1) {
    await tell(tenant, `s${n % 7}`, String(n));
  }
  let isOver = false;
  const sending = Array.from({ length: 2 }, async () => {
    while (!isOver) {
      await round(4);
    }
  });
  try {
    for (let n = 0; n < 4; n += 1) {
      await setWebhook(parts(), tenant.operator, { url: receiver.url });
      await replayWebhook(parts(), tenant.operator, { deliveryId: null, afterId: null, since: new Date(0) });
      await disableWebhook(parts(), tenant.operator, { reason: 'r' });
    }
    await setWebhook(parts(), tenant.operator, { url: receiver.url });
    await expect
      .poll(async () => (await kept(tenant)).every(({ state }) => state === 'DELIVERED'))
      .toBe(true);
  } finally {
    isOver = true;
    await Promise.all(sending);
  }
  expect(retried).toEqual([]);
  expect(new Set(notesOf(receiver.received)).size).toBe(14);
}, 60_000);

test('an earlier message that is made due again while the next is being taken waits for it', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 's', 'one');
  await rounds();
  await tell(tenant, 's', 'two');
  const other = new pg.Client(t.systemUrl);
  await other.connect();
  onTestFinished(() => other.end());
  await other.query('begin');
  const { rowCount } = await other.query('select id from app.take_deliveries(10, 4, 30)');
  expect(rowCount).toBe(1);
  let isThrough = false;
  const replayed = replayWebhook(parts(), tenant.operator, {
    deliveryId: null,
    afterId: null,
    since: new Date(0),
  }).then(() => {
    isThrough = true;
  });
  await expect.poll(async () => isThrough || (await isWaiting())).toBe(true);
  const meanwhile = await takeDeliveries(parts(), 10);
  await other.query('commit');
  await replayed;
  expect(meanwhile).toEqual([]);
  // Of the subject one is on its way.
  expect(await takeDeliveries(parts(), 10)).toEqual([]);
});

async function isWaiting(): Promise<boolean> {
  const { rows } = await t.admin.query(
    "select count(*)::int as count from pg_stat_activity where query like '%from webhooks w%for update%' and wait_event_type = 'Lock' and datname = current_database()",
  );
  return rows[0].count > 0;
}

test('an operator who disables a failing webhook has ended its alert', async () => {
  const receiver = await openReceiver(() => 500);
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 's', 'one');
  await round();
  await t.advance(901);
  await round();
  const open = async () =>
    (
      await t.admin.query('select kind from alerts where tenant_id = $1 and resolved_at is null', [
        tenant.tenantId,
      ])
    ).rows;
  expect(await open()).toEqual([{ kind: 'WEBHOOK_FAILING' }]);
  await disableWebhook(parts(), tenant.operator, { reason: 'It is being repaired.' });
  expect(await open()).toEqual([]);
  await setWebhook(parts(), tenant.operator, { url: receiver.url });
  await t.advance(10);
  await round();
  await t.advance(901);
  await round();
  expect(await open()).toEqual([{ kind: 'WEBHOOK_FAILING' }]);
});

test('six hundred that wait are sent, each once and in the order of its subject', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  await t.admin.query(
    `insert into webhook_deliveries (tenant_id, epoch, subject, type, data, created_at, due_at)
     select $1, 1, 's' || n % 150, 'webhook.test', jsonb_build_object('note', n::text), now(), app.clock_now() from generate_series(1, 600) n`,
    [tenant.tenantId],
  );
  expect((await readWebhookBacklog(t.database)).pending).toBeGreaterThanOrEqual(600);
  await rounds();
  const notes = notesOf(receiver.received).map(Number);
  expect(new Set(notes).size).toBe(600);
  expect(notes).toHaveLength(600);
  const last = new Map<number, number>();
  for (const note of notes) {
    expect(note).toBeGreaterThan(last.get(note % 150) ?? 0);
    last.set(note % 150, note);
  }
}, 120_000);

test('after a restore new messages have ids that no receiver has seen, old ones those that they had', async () => {
  const receiver = await openReceiver();
  const tenant = await tenantWith(receiver.url);
  await tell(tenant, 's', 'before');
  await rounds();
  await t.admin.query('update stream_epoch set epoch = epoch + 1');
  await tell(tenant, 's', 'after');
  await rounds();
  await replayWebhook(parts(), tenant.operator, { deliveryId: null, afterId: null, since: new Date(0) });
  await rounds();
  const [before, after] = await kept(tenant);
  const known = `msg_${ids.encode('WebhookDelivery', BigInt(before.id))}`;
  const renewed = `msg_${ids.encode('WebhookDelivery', BigInt(after.id))}_2`;
  expect(receiver.received.map(({ id }) => id)).toEqual([known, renewed, known, renewed]);
});

test('a webhook that has nothing to send is not written to by a take', async () => {
  const receiver = await openReceiver();
  const [idle, busy] = [await tenantWith(receiver.url), await tenantWith(receiver.url)];
  const lockOf = async ({ tenantId }: typeof idle): Promise<string> =>
    (await t.admin.query('select xmax::text from webhooks where tenant_id = $1', [tenantId])).rows[0].xmax;
  const before = [await lockOf(idle), await lockOf(busy)];
  await tell(busy, 'alert/1', 'one');
  expect(await takeDeliveries(parts(), 10)).toHaveLength(1);
  expect(await lockOf(idle)).toBe(before[0]);
  expect(await lockOf(busy)).not.toBe(before[1]);
});

test('a change outside the scope of a tenant is refused, not left untold', async () => {
  const { tenantId } = await tenantWith('http://127.0.0.1:9/hooks');
  const client = new pg.Client({ connectionString: t.appUrl });
  await client.connect();
  onTestFinished(() => client.end());
  await expect(
    client.query(`select app.tell_webhook($1, 'alert/1', 'webhook.test', '{}')`, [tenantId]),
  ).rejects.toThrow('app.tell_webhook is called outside the scope of a tenant');
});
