// @once @long
import { type Client, createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { loadConfig } from '../../src/runtime/config.js';
import { type RunningServer, startServer } from '../../src/server.js';
import { mintDevelopmentToken } from '../../src/services/access/development-key.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { Nodes } from '../soak/nodes.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { openEvents } from './support/event-source.js';
import { type ApiWorld, makeApiWorld } from './support/world.js';

const db = useTestDb();
const first = useTestApi(db);
let second: RunningServer;

beforeAll(async () => {
  const config = loadConfig({}, { TOUCHSTONE_DATA_DIR: first.dataDir, PORT: '0' });
  second = await startServer({ config, databaseUrl: db.url, log: createLogger('silent') });
});
afterAll(() => second.close());

const LEASES = 'subscription($after: String) { leaseEvents(after: $after) { kind assignmentId cursor } }';
const CLAIM = `mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id lease { epoch } draft { body } } } } }`;
const SESSIONS = `query($connected: Boolean, $expertId: ID, $first: Int, $after: String) {
  expertSessions(connected: $connected, expertId: $expertId, first: $first, after: $after) {
    edges { cursor node {
      expert { id } connected connectedAt lastSeenAt sockets streams nodes leaseUntil lastHeartbeatAt assignment { id }
      interruptions { count averageSeconds longestSeconds leasesHeld leasesLost }
    } }
    pageInfo { hasNextPage endCursor }
  }
}`;

interface Listening {
  readonly client: Client;
  /** The next item of the leases, with its cursor. */
  next(): Promise<{ kind: string; assignmentId: string | null; cursor: string }>;
  /** As a network does that goes: without a word. */
  lose(): void;
}

/** Listens to the leases of an expert over a WebSocket, at any server. */
async function listen(url: string, token: string, after: string | null = null): Promise<Listening> {
  let socket: WebSocket | undefined;
  class Seen extends WebSocket {
    constructor(address: string, protocols: string) {
      super(address, protocols);
      socket = this;
    }
  }
  const client = createClient({
    url: `${url.replace('http', 'ws')}/graphql`,
    webSocketImpl: Seen,
    connectionParams: { authorization: `Bearer ${token}` },
    retryAttempts: 0,
  });
  onTestFinished(async () => void (await client.dispose()));
  const items = client.iterate<{ leaseEvents: Awaited<ReturnType<Listening['next']>> }>({
    query: LEASES,
    variables: { after },
  });
  return {
    client,
    async next() {
      const { value } = await items.next();
      return value.data.leaseEvents;
    },
    lose() {
      items.next().catch(() => undefined);
      socket?.terminate();
    },
  };
}

async function sessionsOf(world: ApiWorld, variables: object = {}) {
  const { data } = await first.graphql(world.operator, SESSIONS, variables);
  return data.expertSessions.edges.map(({ node }: { node: unknown }) => node);
}

const TIMES = { interval: 50 };
const expectSession = (world: ApiWorld) =>
  expect.poll(async () => (await sessionsOf(world, { expertId: world.experts[0]?.id }))[0], TIMES);

test('an operator sees who is connected, by what, on which nodes, and with which lease', async () => {
  const world = await makeApiWorld(first, { experts: 2 });
  const token = world.experts[0]?.token ?? '';
  expect(await sessionsOf(world)).toEqual([]);
  await (await listen(first.url, token)).next();
  const events = await openEvents({ ...first, url: second.url } as typeof first, token, { query: LEASES });
  await events.next();
  const { data } = await first.graphql(token, CLAIM);
  await expectSession(world).toMatchObject({
    expert: { id: world.experts[0]?.id },
    connected: true,
    sockets: 1,
    streams: 1,
    nodes: 2,
    assignment: { id: data.claimTask.assignment.id },
    interruptions: { count: 0, longestSeconds: null },
  });
  const [session] = await sessionsOf(world);
  expect(Date.parse(session.lastHeartbeatAt)).toBeLessThan(Date.parse(session.leaseUntil));
  expect(Date.parse(session.connectedAt)).toBeLessThanOrEqual(Date.parse(session.lastSeenAt));
  expect(await sessionsOf(world, { connected: false })).toEqual([]);
});

test('an expert whose socket is lost goes on where they were: lease, draft and stream; and it is counted', async () => {
  const world = await makeApiWorld(first);
  const token = world.experts[0]?.token ?? '';
  const { data } = await first.graphql(token, CLAIM);
  const { id, lease } = data.claimTask.assignment;
  const listening = await listen(first.url, token);
  expect(await listening.next()).toMatchObject({ kind: 'LEASED', assignmentId: id });
  const { cursor } = await listening.next();
  await first.graphql(
    token,
    `mutation($id: ID!, $epoch: Int!) { heartbeat(input: { assignmentId: $id, leaseEpoch: $epoch, lastActivitySeconds: 0, draft: { choice: "yes" } }) { __typename } }`,
    { id, epoch: lease.epoch },
  );
  await expectSession(world).toMatchObject({ connected: true });
  listening.lose();
  await expectSession(world).toMatchObject({ connected: false, assignment: { id } });
  await db.advance(1_720); // what is left of the lease is less than its warning: told while nobody listens
  const again = await listen(second.url, token, cursor);
  expect(await again.next()).toMatchObject({ kind: 'EXPIRING', assignmentId: id });
  expect((await first.graphql(token, CLAIM)).data.claimTask.assignment).toMatchObject({
    id,
    lease: { epoch: lease.epoch },
    draft: { body: { choice: 'yes' } },
  });
  await expectSession(world).toMatchObject({ connected: true, assignment: { id } });
  // It was no short one, by the clock that the test has moved.
  await expectSession(world).toMatchObject({ interruptions: { count: 0 } });
  again.lose();
  await expectSession(world).toMatchObject({ connected: false });
  await (await listen(first.url, token)).next();
  await expectSession(world).toMatchObject({
    connected: true,
    interruptions: { count: 1, leasesHeld: 1, leasesLost: 0 },
  });
  const [{ interruptions }] = await sessionsOf(world);
  expect(interruptions.longestSeconds).toBeLessThan(60);
  expect(interruptions.averageSeconds).toBe(interruptions.longestSeconds);
});

test('a lease that runs out while its expert is away is counted as lost, a goodbye is no interruption', async () => {
  const world = await makeApiWorld(first);
  const token = world.experts[0]?.token ?? '';
  await first.graphql(token, CLAIM);
  await db.advance(1_500);
  const listening = await listen(first.url, token);
  await listening.next();
  await expectSession(world).toMatchObject({ connected: true });
  listening.lose();
  await expectSession(world).toMatchObject({ connected: false });
  await db.advance(400); // of 1,800 s
  const again = await listen(first.url, token);
  await again.next();
  await expectSession(world).toMatchObject({ interruptions: { count: 1, leasesHeld: 0, leasesLost: 1 } });
  await again.client.dispose();
  await expectSession(world).toMatchObject({ connected: false });
  await (await listen(first.url, token)).next();
  await expectSession(world).toMatchObject({ connected: true, interruptions: { count: 1 } });
});

test('an event stream that is completed because its token ended is no interruption', async () => {
  const world = await makeApiWorld(first, { tasks: 0 });
  const token = world.experts[0]?.token ?? '';
  const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const whose = { subject: sub, tenantSlug: world.slug, role: 'EXPERT', lifetimeSeconds: 5 } as const;
  const events = await openEvents(first, await mintDevelopmentToken(first.key, whose), { query: LEASES });
  expect(await events.next()).toMatchObject({ data: { data: { leaseEvents: { kind: 'CURRENT' } } } });
  await expectSession(world).toMatchObject({ connected: true, streams: 1 });
  expect(await events.next()).toMatchObject({ data: { errors: [{}] } });
  expect(await events.next()).toMatchObject({ event: 'complete' });
  await expectSession(world).toMatchObject({ connected: false });
  await (await openEvents(first, token, { query: LEASES })).next();
  await expectSession(world).toMatchObject({ connected: true, interruptions: { count: 0 } });
});

test('whoever was on a node that is killed is not connected for ever, and is interrupted', async () => {
  const world = await makeApiWorld(first);
  const token = world.experts[0]?.token ?? '';
  const nodes = new Nodes({
    DATABASE_URL: db.url,
    TOUCHSTONE_DATA_DIR: first.dataDir,
    LOG_LEVEL: 'fatal',
  });
  await nodes.start(1);
  const listening = await listen(
    nodes.anyUrl(() => 0),
    token,
  );
  await listening.next();
  await expectSession(world).toMatchObject({ connected: true, sockets: 1 });
  await nodes.stop();
  await db.advance(25);
  await expectSession(world).toMatchObject({ connected: false, sockets: 0 });
  await (await listen(second.url, token)).next();
  await expectSession(world).toMatchObject({ connected: true, nodes: 1, interruptions: { count: 1 } });
});

test('sessions come by pages, of those who hold a lease as well, and only to operators of the tenant', async () => {
  const world = await makeApiWorld(first, { experts: 3, tasks: 3 });
  const other = await makeApiWorld(first);
  const [ada, ben, cleo] = world.experts;
  await (await listen(first.url, ada?.token ?? '')).next();
  await first.graphql(ben?.token ?? '', CLAIM);
  await (await listen(second.url, cleo?.token ?? '')).next();
  await expect.poll(() => sessionsOf(world).then(({ length }) => length), TIMES).toBe(3);
  const { data } = await first.graphql(world.operator, SESSIONS, { first: 2 });
  expect(data.expertSessions.pageInfo.hasNextPage).toBe(true);
  const rest = await sessionsOf(world, { first: 2, after: data.expertSessions.pageInfo.endCursor });
  expect(rest).toMatchObject([{ expert: { id: cleo?.id }, connected: true }]);
  expect(await sessionsOf(world, { connected: true })).toHaveLength(2);
  expect(await sessionsOf(world, { connected: false })).toMatchObject([
    { expert: { id: ben?.id }, connected: false, lastSeenAt: null, sockets: 0 },
  ]);
  expect(await sessionsOf(other)).toEqual([]);
  expect(await sessionsOf(other, { expertId: ada?.id })).toEqual([]);
  for (const token of [world.analyst, world.customer, world.dispatcher, ada?.token ?? '']) {
    expect((await first.attempt(token, SESSIONS)).errors[0]?.extensions?.code).toBe('FORBIDDEN');
  }
});
