// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { EventStreams } from '../../src/http/event-stream.js';
import type { HttpParts } from '../../src/http/exchange.js';
import { createGraphQL } from '../../src/http/graphql.js';
import type { HttpProblem } from '../../src/http/problem.js';
import { createConnected } from '../../src/live/connected.js';
import { createRevocationWatch } from '../../src/live/revocation.js';
import { loadConfig } from '../../src/runtime/config.js';
import { tokenVerifier } from '../../src/runtime/token-verifier.js';
import { createAuthenticator } from '../../src/services/access/authenticator.js';
import { claimOne } from '../api/support/answering.js';
import { openEvents } from '../api/support/event-source.js';
import { makeApiWorld } from '../api/support/world.js';
import { silentLog } from '../live/waiting.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// How long a response of server-sent events lasts: a client that vanished without a word is not written to for ever.

const db = useTestDb();
const api = useTestApi(db);

/** Another way into the same server, by which responses last so long. */
async function lasting(lifeMs: number, { max = 20 }: { max?: number } = {}) {
  const { app } = api.server;
  const config = loadConfig({}, { TOUCHSTONE_DATA_DIR: api.dataDir, PORT: '0' });
  const revocation = createRevocationWatch({ db: app.db, log: silentLog });
  const connected = createConnected();
  const eventStreams = new EventStreams({ revocation, connected }, { lifeMs, max });
  const parts = {
    graphql: createGraphQL(app),
    authenticator: createAuthenticator(app.db, await tokenVerifier(config)),
  } as unknown as HttpParts; // What an operation as an event stream is answered with.
  const http = createServer((req, res) => {
    const url = new URL(req.url ?? '/', 'http://touchstone.invalid');
    eventStreams
      .handle({ req, res, url, app, parts, requestId: 'test' })
      .catch(({ status }: HttpProblem) => res.writeHead(status).end());
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(async () => {
    eventStreams.close();
    http.closeAllConnections();
    http.close();
    await revocation.close();
  });
  const { port } = http.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, eventStreams, connected };
}

test('a response ends without completion when it has lasted long enough: its client comes back and has missed nothing', {
  timeout: 60_000,
}, async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const [expert] = world.experts;
  const { url, eventStreams } = await lasting(1_000);
  const query = `subscription { leaseEvents(projectId: "${world.projectId}") { kind reset } }`;
  const first = await openEvents({ ...api, url }, world.customer, { query });
  const begun = await first.next();
  expect(begun?.data.data.leaseEvents.kind).toBe('CURRENT');
  expect(await first.next()).toBeNull();
  expect(eventStreams.count()).toBe(0);
  await claimOne(api, expert?.token ?? '');
  const again = await openEvents(api, world.customer, { query, lastEventId: begun?.id ?? '' });
  expect((await again.next())?.data.data.leaseEvents).toEqual({ kind: 'LEASED', reset: false });
});

test('an expert whose response has lasted long enough was not interrupted', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const { url, connected } = await lasting(1_000);
  const query = 'subscription { leaseEvents { kind } }';
  const stream = await openEvents({ ...api, url }, world.experts[0]?.token ?? '', { query });
  expect((await stream.next())?.data.data.leaseEvents.kind).toBe('CURRENT');
  expect(connected.changes(1)).toMatchObject([{ streams: 1 }]);
  expect(await stream.next()).toBeNull();
  expect(connected.changes(1)).toMatchObject([{ streams: 0, goodbye: true }]);
});

const LONG_MS = 600_000;

const asEventSource = (url: string, token: string, query: string) =>
  fetch(`${url}/graphql?${new URLSearchParams({ query })}`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${token}` },
  });

/** What an EventSource comes back after; any other answer is final to it. */
async function expectComeBack(response: Response): Promise<void> {
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(await response.text()).toMatch(/^retry: \d+\n\n$/);
}

test('a response that still begins when the server stops ends so that its EventSource comes back', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const { url, eventStreams } = await lasting(LONG_MS);
  const query = `subscription { leaseEvents(projectId: "${world.projectId}") { kind } }`;
  await db.admin.query('begin');
  try {
    await db.admin.query('lock table projects in access exclusive mode');
    const opening = asEventSource(url, world.customer, query);
    await expect.poll(() => eventStreams.count()).toBe(1);
    eventStreams.close();
    await expectComeBack(await opening);
  } finally {
    await db.admin.query('rollback');
  }
});

test.each([
  ['stops', true],
  ['is full', false],
])('a server that %s has an EventSource come back, and refuses others', async (_what, stops) => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const { url, eventStreams } = await lasting(LONG_MS, { max: stops ? 20 : 0 });
  if (stops) {
    eventStreams.close();
  }
  const query = '{ viewer { role } }';
  await expectComeBack(await asEventSource(url, world.operator, query));
  const other = await openEvents({ ...api, url }, world.operator, { query, method: 'POST' });
  expect(other.response.status).toBe(503);
});

test('what a subscription does not tell is passed once: it comes back to where it stood when its response ended', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const { url, eventStreams } = await lasting(LONG_MS);
  const of = (kinds: string) =>
    `subscription { leaseEvents(projectId: "${world.projectId}"${kinds}) { kind } }`;
  const filtered = await asEventSource(url, world.customer, of(', kinds: [EXPIRED]'));
  const all = await openEvents({ ...api, url }, world.customer, { query: of('') });
  const begun = await all.next();
  await claimOne(api, world.experts[0]?.token ?? '');
  const leased = await all.next();
  eventStreams.close();
  const ids = [...(await filtered.text()).matchAll(/^id: (.*)$/gm)].map(([, id]) => id);
  expect(ids).toEqual([begun?.id, leased?.id]);
});
