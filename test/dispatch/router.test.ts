// @once: looks at no database
import { Counter, Registry } from 'prom-client';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import {
  BUDGET_MS,
  type GuardedRouter,
  guardRouter,
} from '../../src/services/dispatch/eta/guarded-router.js';
import { createRouter } from '../../src/services/dispatch/eta/router.js';
import { ISLAND, junctionAt, RIVER_ROW } from '../support/router/grid.js';
import { startTestRouter, type TestRouter } from '../support/router/process.js';

// Every way in which a router may fail, by a router that is a process of its own and fails so.

let server: TestRouter;
let router: GuardedRouter;
let requests: Counter<'outcome'>;
const OPEN_MS = 1_000;
/** Where it is not the budget that is looked at: the machine may be busy. */
const PATIENT = { budgetMs: 30_000 };

beforeAll(async () => {
  server = await startTestRouter();
});
afterAll(() => server.stop());

async function fresh(options: { budgetMs?: number } = {}): Promise<void> {
  await server.behave({ how: 'answer', delayMs: 0 });
  requests = new Counter({ name: 'r', help: 'r', labelNames: ['outcome'], registers: [new Registry()] });
  router = guardRouter(createRouter(server.url), { requests, openMs: OPEN_MS, ...options });
}
afterEach(() => router.close());

const outcomes = async (): Promise<Record<string, number>> =>
  Object.fromEntries((await requests.get()).values.map(({ labels, value }) => [labels.outcome, value]));

const FROM = [junctionAt(3, 3), junctionAt(10, 3), junctionAt(3, RIVER_ROW + 2)];
const TO = junctionAt(5, 5);
/** The budget, and what a busy machine takes to notice that it has run out. */
const SOON_MS = BUDGET_MS + 1_500;

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const began = performance.now();
  const result = await work();
  return { result, ms: performance.now() - began };
}

/** So that a connection is there, and the first request has not to wait for it. */
const warm = () => expect.poll(() => router.ways(FROM, TO)).not.toContain(null);

test('a router says how long each way is; of one origin by a route, of several by a table', async () => {
  await fresh(PATIENT);
  await warm();
  expect(await router.ways(FROM.slice(0, 1), TO)).toEqual([{ seconds: 120 }]);
  const [near, far, across] = await router.ways(FROM, TO);
  expect(near).toEqual({ seconds: 120 });
  expect(far).toEqual({ seconds: 210 });
  // Two streets away as the crow flies over the river, but the bridge is at its western end.
  expect(across).toMatchObject({ seconds: expect.any(Number) });
  expect((across as { seconds: number }).seconds).toBeGreaterThan(600);
});

test('what is off the map, and what no road leads to, is told from the rest of the same table', async () => {
  await fresh(PATIENT);
  await warm();
  const away = { latitude: 52.4, longitude: 12 };
  const none = { latitude: 0, longitude: 0 };
  expect(await router.ways([junctionAt(3, 3), away, ISLAND, none], TO)).toEqual([
    { seconds: 120 },
    'OFF_MAP',
    'NO_ROUTE',
    'OFF_MAP',
  ]);
  expect(await router.ways(FROM, away)).toEqual(['OFF_MAP', 'OFF_MAP', 'OFF_MAP']);
  expect(await router.ways([ISLAND], TO)).toEqual(['NO_ROUTE']);
  expect(await router.ways([away], TO)).toEqual(['OFF_MAP']);
  expect(await outcomes()).toMatchObject({ OK: expect.any(Number) });
  expect(await outcomes()).not.toHaveProperty('FAILED');
});

test.each([
  ['hangs', { how: 'hang' }, 'LATE'],
  ['answers later than anybody waits', { delayMs: 5_000 }, 'LATE'],
  ['resets every connection', { how: 'reset' }, 'FAILED'],
  ['fails inside', { how: 'fail' }, 'FAILED'],
  ['answers half of an answer', { how: 'garble' }, 'FAILED'],
])(
  'a router that %s costs nobody more than the budget, and is left alone after five times',
  async (_, how, outcome) => {
    await fresh();
    await warm();
    await server.behave(how);
    const { result, ms } = await timed(() => router.ways(FROM, TO));
    expect(result).toEqual([null, null, null]);
    expect(ms).toBeLessThan(SOON_MS);
    for (let round = 0; round < 4; round++) {
      await router.ways(FROM, TO);
    }
    await expect.poll(() => router.isOpen()).toBe(true);
    const before = await server.behave({});
    const open = await timed(() => router.ways(FROM, TO));
    expect(open.result).toEqual([null, null, null]);
    expect(open.ms).toBeLessThan(SOON_MS);
    expect(await outcomes()).toMatchObject({ [outcome]: 5, OPEN: 1 });
    expect((await server.behave({})).requests).toBe(before.requests);

    await server.behave({ how: 'answer', delayMs: 0 });
    await expect.poll(() => router.ways(FROM, TO), { interval: 50 }).not.toContain(null);
    expect(router.isOpen()).toBe(false);
  },
);

test('NoSegment and NoRoute are answers, and no fault of the router', async () => {
  await fresh(PATIENT);
  await warm();
  await server.behave({ how: 'noSegment' });
  expect(await router.ways(FROM, TO)).toEqual(['OFF_MAP', 'OFF_MAP', 'OFF_MAP']);
  await server.behave({ how: 'noRoute' });
  expect(await router.ways(FROM, TO)).toEqual(['NO_ROUTE', 'NO_ROUTE', 'NO_ROUTE']);
  expect(await router.ways(FROM.slice(0, 1), TO)).toEqual(['NO_ROUTE']);
  expect(Object.keys(await outcomes())).toEqual(['OK']);
});

test('a router that ends connections after 512 requests, without a word, is never seen to fail', async () => {
  await fresh();
  const bare = createRouter(server.url);
  const begun = await server.behave({});
  // One after the other, and so all on one connection.
  for (let round = 0; round < 1_100; round++) {
    expect(await bare.ways(FROM.slice(0, 1), TO, AbortSignal.timeout(60_000))).toEqual([{ seconds: 120 }]);
  }
  const ended = await server.behave({});
  expect(ended.requests - begun.requests).toBe(1_100);
  expect(ended.connections - begun.connections).toBeGreaterThanOrEqual(3);
  expect(ended.connections - begun.connections).toBeLessThanOrEqual(6);
  await bare.close();
});

test('a router that has gone away is found again', async () => {
  await fresh();
  await warm();
  const own = await startTestRouter();
  const other = guardRouter(createRouter(own.url), { requests, openMs: OPEN_MS });
  await expect.poll(() => other.ways(FROM, TO)).not.toContain(null);
  await own.stop();
  expect(await other.ways(FROM, TO)).toEqual([null, null, null]);
  await other.close();
});

test('no more than 64 requests are under way, and one that finds no room does not wait', async () => {
  await fresh();
  await warm();
  await server.behave({ how: 'hang' });
  const all = Promise.all(Array.from({ length: 80 }, () => router.ways(FROM, TO)));
  await all;
  const { FULL = 0, LATE = 0, OPEN = 0 } = await outcomes();
  expect(FULL).toBeGreaterThanOrEqual(16);
  expect(LATE).toBeLessThanOrEqual(64);
  expect(FULL + LATE + OPEN).toBe(80);
});
