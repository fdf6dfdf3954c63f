import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { WebSocket } from 'ws';
import { type RunningIngest, startIngest } from '../../src/ingest.js';
import { loadConfig } from '../../src/runtime/config.js';
import {
  type DevelopmentKey,
  loadDevelopmentKey,
  mintDevelopmentToken,
} from '../../src/services/access/development-key.js';
import { openPosition } from '../../src/services/dispatch/fixes/archive-seal.js';
import { createIdCodec } from '../../src/services/platform/ids.js';
import { createSecretBox } from '../../src/services/platform/secret-box.js';
import { type OwnRedis, ownRedis } from '../live/redis-server.js';
import { useTestDb } from '../support/db.js';
import { type Depot, makeDepot, makeWorker } from '../support/dispatch.js';
import type { Expert } from '../support/factories.js';

const t = useTestDb();
const ID_KEY = 'the key of this test file';
/** Nobody is there by chance: what of it turns up in a log was put there. */
const PLACE = { lat: 42.512345, lng: 1.598765 };

let ingest: RunningIngest;
let redis: OwnRedis;
let key: DevelopmentKey;
let dataDir: string;
let depot: Depot;
const logged: string[] = [];

describe.skipIf(inject('redisUrl') === '')('fixes', () => {
  beforeAll(async () => {
    redis = await ownRedis();
    dataDir = await mkdtemp(join(tmpdir(), 'touchstone-ingest-'));
    const config = loadConfig(
      {},
      {
        TOUCHSTONE_DATA_DIR: dataDir,
        PORT: '0',
        REDIS_URL: redis.url,
        TOUCHSTONE_ID_KEY: ID_KEY,
        MAP_BOUNDS: '1.4,42.4,1.8,42.7',
      },
    );
    const lines = new Writable({
      write(line, _encoding, done) {
        logged.push(String(line));
        done();
      },
    });
    ingest = await startIngest({ config, databaseUrl: t.url, log: pino({ level: 'trace' }, lines) });
    key = await loadDevelopmentKey(dataDir);
    depot = await makeDepot(t);
  });
  afterAll(async () => {
    await ingest.close();
    await redis.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  const newWorker = (options = {}) => makeWorker(depot, { at: null, ...options });
  const tokenOf = ({ viewer }: Expert) =>
    mintDevelopmentToken(key, { subject: viewer.displayName, tenantSlug: viewer.tenantSlug, role: 'EXPERT' });
  const ids = createIdCodec(ID_KEY);

  interface Sent {
    readonly as?: Expert;
    readonly fixes?: unknown;
  }
  async function post(worker: Expert, { as = worker, fixes = [fix()] }: Sent = {}) {
    const path = `/v1/workers/${ids.encode('Expert', worker.expertId)}/locations`;
    const answer = await fetch(`${ingest.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${await tokenOf(as)}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ fixes }),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  const fix = (ageMs = 0, place: object = PLACE) => ({
    ...PLACE,
    ...place,
    deviceMs: ingest.fixes.clock.nowMs() - ageMs,
  });
  const seen = async ({ expertId }: Expert) =>
    (await ingest.fixes.index.lastSeen(depot.tenantId, [expertId]))[0];
  const counted = async (outcome: string) =>
    (await ingest.fixes.metrics.fixes.get()).values.find(({ labels }) => labels.outcome === outcome)?.value ??
    0;

  /** What a socket was told that nobody has looked at yet. */
  const inboxes = new WeakMap<WebSocket, Record<string, unknown>[]>();
  async function connect(token: string | null): Promise<WebSocket> {
    const headers = token === null ? {} : { Authorization: `Bearer ${token}` };
    const socket = new WebSocket(`${ingest.url.replace('http', 'ws')}/v1/fixes`, { headers });
    const inbox: Record<string, unknown>[] = [];
    inboxes.set(socket, inbox);
    socket.on('message', (data) => inbox.push(JSON.parse(String(data))));
    await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject));
    return socket;
  }
  async function said(socket: WebSocket) {
    await expect.poll(() => inboxes.get(socket)?.length).toBeGreaterThan(0);
    return inboxes.get(socket)?.shift();
  }
  const closed = (socket: WebSocket) =>
    new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));

  test('a phone posts what it has, and is told what could not be taken, and the time', async () => {
    const worker = await newWorker();
    const latest = fix(0);
    const fixes = [
      fix(4_000),
      fix(2_000),
      latest,
      fix(0, { lat: 0, lng: 0 }),
      { lat: 1 },
      fix(-60_000),
      fix(700_000),
    ];
    const { status, body } = await post(worker, { fixes });
    expect(status).toBe(200);
    expect(body).toEqual({
      accepted: 3,
      refused: [
        { index: 3, code: 'OFF_MAP' },
        { index: 4, code: 'MALFORMED' },
        { index: 5, code: 'AHEAD_OF_TIME' },
        { index: 6, code: 'TOO_OLD' },
      ],
      serverMs: expect.any(Number),
    });
    expect((await seen(worker))?.deviceAt.getTime()).toBe(latest.deviceMs);
    expect(await counted('AHEAD_OF_TIME')).toBeGreaterThan(0);
    const outside = await post(worker, { fixes: [fix(0, { lat: 41.38, lng: 2.17 })] });
    expect(outside).toMatchObject({
      status: 422,
      body: { code: 'FIXES_REFUSED', refused: [{ code: 'OFF_MAP' }] },
    });
  });

  test('an older fix that comes later moves nobody back, and a late upload makes nobody fresh', async () => {
    const worker = await newWorker();
    await post(worker, { fixes: [fix(1_000, { lat: 42.55 })] });
    await post(worker, { fixes: [fix(5_000, { lat: 42.45 })] });
    expect((await seen(worker))?.place.latitude).toBe(42.55);
    const late = await newWorker();
    expect((await post(late, { fixes: [fix(120_000)] })).status).toBe(200);
    expect(await seen(late)).toMatchObject({ isFresh: false });
  });

  test('a worker reports for themselves and nobody else, on their shift only', async () => {
    const [ada, bob] = [await newWorker(), await newWorker()];
    expect(await post(ada, { as: bob })).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
    const asleep = await newWorker({ shiftStart: '02:00', shiftEnd: '03:00' });
    expect(await post(asleep)).toMatchObject({ status: 403, body: { code: 'OFF_SHIFT' } });
    const other = await makeDepot(t);
    const stranger = await makeWorker(other, { at: null });
    expect(await post(ada, { as: stranger })).toMatchObject({ status: 403 });
    expect(await seen(ada)).toBeUndefined();
    expect((await post(stranger)).status).toBe(200);
    expect(await seen(stranger)).toBeUndefined();
    const bare = await fetch(`${ingest.url}/v1/workers/${ids.encode('Expert', ada.expertId)}/locations`, {
      method: 'POST',
    });
    expect(bare.status).toBe(401);
  });

  test('who reports too much is held up, and their neighbour in the same cell is not', async () => {
    const [loud, calm] = [await newWorker(), await newWorker()];
    const many = Array.from({ length: 50 }, (_, n) => fix(50 - n));
    expect((await post(loud, { fixes: many })).status).toBe(200);
    expect(await post(loud, { fixes: many })).toMatchObject({
      status: 429,
      body: { code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) },
    });
    expect((await post(calm)).status).toBe(200);
    expect((await post(loud, { fixes: Array.from({ length: 51 }, () => fix()) })).status).toBe(400);
  });

  test('a socket takes one fix a message or several, and tells what is wrong with them', async () => {
    const worker = await newWorker();
    const socket = await connect(await tokenOf(worker));
    expect(await said(socket)).toMatchObject({ type: 'ready' });
    socket.send(JSON.stringify(fix(1_000, { lat: 42.51 })));
    await expect.poll(() => seen(worker).then((one) => one?.place.latitude)).toBe(42.51);
    socket.send(JSON.stringify([fix(500, { lat: 42.52 }), fix(0, { lat: 42.53 })]));
    await expect.poll(() => seen(worker).then((one) => one?.place.latitude)).toBe(42.53);
    socket.send('no JSON');
    expect(await said(socket)).toMatchObject({ type: 'refused', code: 'MALFORMED' });
    socket.close();
    await closed(socket);
  });

  test('a page says who it is with its first message; whoever is nobody, or no worker on shift, is closed', async () => {
    const worker = await newWorker();
    const socket = await connect(null);
    socket.send(JSON.stringify({ type: 'hello', authorization: `Bearer ${await tokenOf(worker)}` }));
    expect(await said(socket)).toMatchObject({ type: 'ready' });
    socket.terminate();
    const asleep = await newWorker({ shiftStart: '02:00', shiftEnd: '03:00' });
    expect(await closed(await connect(await tokenOf(asleep)))).toBe(4403);
    expect(await closed(await connect('nonsense'))).toBe(4403);
    const silent = await connect(null);
    expect(await closed(silent)).toBe(4408);
  });

  test('one fix in thirty seconds is kept, sealed by the key of the tenant; the latest of each worker as it is', async () => {
    const worker = await newWorker();
    await post(worker, { fixes: [fix(2), fix(1, { lat: 42.6 }), fix(0, { lat: 42.61 })] });
    await post(worker, { fixes: [fix(0, { lat: 42.62 })] });
    await ingest.fixes.store.flush();
    const { rows } = await t.admin.query(
      'select a.device_at, a.sealed, k.sealed as key, l.latitude from fix_archive a join fix_keys k using (tenant_id) join latest_fixes l using (tenant_id, expert_id) where tenant_id = $1 and expert_id = $2',
      [depot.tenantId, worker.expertId],
    );
    expect(rows.length).toBeGreaterThanOrEqual(1);
    expect(rows.length).toBeLessThanOrEqual(2); // a half minute may have ended between them
    const [row] = rows;
    const tenantKey = createSecretBox(ID_KEY).open(row.key, `fix key of tenant ${depot.tenantId}`);
    const of = { tenantId: depot.tenantId, expertId: worker.expertId, deviceMs: row.device_at.getTime() };
    expect(openPosition(tenantKey, row.sealed, of)).toMatchObject({ lat: PLACE.lat, lng: PLACE.lng });
    expect(() => openPosition(tenantKey, row.sealed, { ...of, expertId: 1n })).toThrow();
  });

  test('an emptied Redis is filled from the database; one that is away is waited for, and nothing guessed', async () => {
    const [old, live] = [await newWorker(), await newWorker()];
    await post(old);
    await post(live);
    await ingest.fixes.store.flush();
    await redis.flush();
    await post(live, { fixes: [fix(0, { lat: 42.58 })] });
    await expect.poll(() => seen(old).then((one) => one?.place.latitude)).toBe(PLACE.lat);
    expect((await seen(live))?.place.latitude).toBe(42.58);

    await redis.kill();
    await expect
      .poll(() =>
        seen(old).then(
          () => 'seen',
          (error) => error.code,
        ),
      )
      .toBe('HOT_INDEX_UNAVAILABLE');
    const socket = await connect(await tokenOf(live));
    await said(socket);
    socket.send(JSON.stringify(fix(0, { lat: 42.59 })));
    await redis.start();
    await expect
      .poll(() =>
        seen(live).then(
          (one) => one?.place.latitude,
          () => null,
        ),
      )
      .toBe(42.59);
    await expect
      .poll(() =>
        seen(old).then(
          (one) => one?.place.latitude,
          () => null,
        ),
      )
      .toBe(PLACE.lat);
    socket.terminate();
  });

  test('no log line and no metric says where anybody was', async () => {
    const worker = await newWorker();
    await post(worker, { fixes: [fix(), fix(0, { lat: 'here' }), fix(0, { lat: 42.512346, lng: 99 })] });
    await ingest.fixes.store.flush();
    const metrics = await (await fetch(`${ingest.url}/metrics`)).text();
    expect(metrics).toContain('touchstone_fixes_total{outcome="NEWER"}');
    expect(logged.length).toBeGreaterThan(0);
    for (const text of [...logged, metrics]) {
      expect(text).not.toMatch(/42\.5123|1\.5987|8839[0-9a-f]{11}/);
    }
  });
});
