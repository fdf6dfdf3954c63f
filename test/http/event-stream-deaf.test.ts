// @once: what it looks at is the node, not what PostgreSQL makes of a statement
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql';
import { createYoga } from 'graphql-yoga';
import { expect, onTestFinished, test } from 'vitest';
import { type EventStreamLimits, EventStreams } from '../../src/http/event-stream.js';
import type { HttpParts } from '../../src/http/exchange.js';
import { createConnected } from '../../src/live/connected.js';
import { createRevocationWatch } from '../../src/live/revocation.js';
import { loadConfig } from '../../src/runtime/config.js';
import { tokenVerifier } from '../../src/runtime/token-verifier.js';
import { createAuthenticator } from '../../src/services/access/authenticator.js';
import { makeApiWorld } from '../api/support/world.js';
import { silentLog } from '../live/waiting.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// Clients of server-sent events that do not read: however their response ends, it is over soon.

const db = useTestDb();
const api = useTestApi(db);

const VALUE = 'x'.repeat(8_192);

/** Tells a client more than it takes; it ends then where it is to complete. */
async function* tooMuch(res: ServerResponse, completes: boolean) {
  for (let n = 0; !(completes && (await waits(res))); n += 1) {
    yield { cursor: String(n), reset: false, skipped: null, value: VALUE };
  }
}

/** Whether something of a response waits for its client, which does not take it. */
async function waits(res: ServerResponse): Promise<boolean> {
  let turns = 0;
  while (turns < 200 && res.writableLength > 0) {
    turns += 1;
    await nextTurn();
  }
  return turns === 200;
}

/** One that does not read asks for more than it takes. @returns the response to it */
async function deafened({ completes, ...limits }: { completes: boolean } & Partial<EventStreamLimits>) {
  const world = await makeApiWorld(api, { tasks: 0 });
  const { app } = api.server;
  const config = loadConfig({}, { TOUCHSTONE_DATA_DIR: api.dataDir, PORT: '0' });
  const revocation = createRevocationWatch({ db: app.db, log: silentLog });
  const connected = createConnected();
  const eventStreams = new EventStreams({ revocation, connected }, limits);
  const authenticator = createAuthenticator(app.db, await tokenVerifier(config));
  const http = createServer((req, res) => {
    const schema = new GraphQLSchema({
      query: new GraphQLObjectType({ name: 'Query', fields: { hello: { type: GraphQLString } } }),
      subscription: new GraphQLObjectType({
        name: 'Subscription',
        fields: {
          much: {
            type: GraphQLString,
            subscribe: () => tooMuch(res, completes),
            resolve: (item: { value: string }) => item.value,
          },
        },
      }),
    });
    const parts = { graphql: createYoga({ schema, logging: false }), authenticator } as unknown as HttpParts;
    const url = new URL(req.url ?? '/', 'http://touchstone.invalid');
    void eventStreams.handle({ req, res, url, app, parts, requestId: 'test' });
  });
  await once(http.listen(0, '127.0.0.1'), 'listening');
  const client = connect((http.address() as AddressInfo).port, '127.0.0.1').pause();
  client.on('error', () => undefined);
  onTestFinished(async () => {
    client.destroy();
    eventStreams.close();
    http.closeAllConnections();
    http.close();
    await revocation.close();
  });
  const asked = new URLSearchParams({ query: 'subscription { much }' });
  client.write(`GET /graphql?${asked} HTTP/1.1\r\nHost: touchstone.invalid\r\nAccept: text/event-stream\r\n`);
  client.write(`Authorization: Bearer ${world.operator}\r\n\r\n`);
  const [, res] = (await once(http, 'request')) as [unknown, ServerResponse];
  return { res, eventStreams };
}

/** Less than the 20 s after which whoever takes nothing is cut off without any end. */
const SOON = { timeout: 15_000 };

test('a client that does not read is cut off when its response has lasted long enough', {
  timeout: 30_000,
}, async () => {
  const { res, eventStreams } = await deafened({ lifeMs: 3_000, completes: false });
  await expect.poll(() => res.closed, SOON).toBe(true);
  expect(eventStreams.count()).toBe(0);
});

test('a client that does not read is cut off when its operation has come to its end', {
  timeout: 30_000,
}, async () => {
  const { res, eventStreams } = await deafened({ stuckMs: 2_000, completes: true });
  await expect.poll(() => res.writableEnded, SOON).toBe(true);
  expect([res.closed, eventStreams.count()]).toEqual([false, 0]);
  await expect.poll(() => res.closed, SOON).toBe(true);
});
