// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { mintDevelopmentToken } from '../../src/services/access/development-key.js';
import { claimOne, submitOne } from '../api/support/answering.js';
import { type Asked, openEvents, type Sent } from '../api/support/event-source.js';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// Server-sent events as a browser's EventSource speaks them: ids, going on after them, ends with and without `complete`.

const db = useTestDb();
const api = useTestApi(db);

const open = (token: string | null, asked: Asked) => openEvents(api, token, asked);

const LEASES = 'subscription($id: ID!) { leaseEvents(projectId: $id) { kind reset } }';
const kindOf = (sent: Sent | null) => sent?.data?.data?.leaseEvents?.kind;

test('each item has an id, and a client that comes back with it gets what it missed, once', async () => {
  const world = await makeApiWorld(api, { tasks: 2 });
  const [expert] = world.experts;
  const asked = { query: LEASES, variables: { id: world.projectId } };
  const first = await open(world.customer, asked);
  expect(first.response.headers.get('content-type')).toMatch(/^text\/event-stream/);
  const current = await first.next();
  expect(current).toMatchObject({ event: 'next', data: { data: { leaseEvents: { kind: 'CURRENT' } } } });
  first.leave();
  const held = await claimOne(api, expert?.token ?? '');
  await submitOne(api, expert?.token ?? '', held);
  const second = await open(world.customer, { ...asked, lastEventId: current?.id ?? '' });
  const missed = [await second.next(), await second.next()];
  expect(missed.map(kindOf)).toEqual(['LEASED', 'SUBMITTED']);
  const third = await open(world.customer, { ...asked, method: 'POST', lastEventId: missed[0]?.id ?? '' });
  expect(await third.next()).toEqual(missed[1]);
  const foreign = await open(world.customer, { ...asked, lastEventId: 'no cursor of this stream' });
  expect((await foreign.next())?.data.data.leaseEvents).toEqual({ kind: 'CURRENT', reset: true });
});

test('the id that a client comes back with stands over the cursor in its address', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const query =
    'subscription($id: ID!, $after: String) { leaseEvents(projectId: $id, after: $after) { kind reset } }';
  const first = await open(world.customer, { query, variables: { id: world.projectId, after: 'long gone' } });
  const begun = await first.next();
  expect(begun?.data.data.leaseEvents.reset).toBe(true);
  const again = await open(world.customer, {
    query,
    variables: { id: world.projectId, after: 'long gone' },
    lastEventId: begun?.id ?? '',
  });
  await claimOne(api, world.experts[0]?.token ?? '');
  expect((await again.next())?.data.data.leaseEvents).toEqual({ kind: 'LEASED', reset: false });
});

test('a query is answered and completed; what is wrong with an operation is told in the stream', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const query = await open(world.operator, { query: '{ viewer { role } }' });
  expect(await query.next()).toMatchObject({
    event: 'next',
    data: { data: { viewer: { role: 'OPERATOR' } } },
  });
  expect(await query.next()).toMatchObject({ event: 'complete' });
  expect(await query.next()).toBeNull();
  for (const wrong of [
    'subscription {',
    'subscription { nothing }',
    'subscription { poolEvents(skillId: "x") { pressure } }',
  ]) {
    const answer = await open(world.operator, { query: wrong });
    expect((await answer.next())?.data.errors, wrong).toHaveLength(1);
    expect(await answer.next(), wrong).toMatchObject({ event: 'complete' });
  }
});

test('whoever may not subscribe is told so: by status where nobody is known, in the stream where somebody is', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const nobody = await open(null, { query: LEASES });
  expect(nobody.response.status).toBe(401);
  const other = await makeApiWorld(api, { tasks: 0 });
  const stranger = await open(other.customer, { query: LEASES, variables: { id: world.projectId } });
  expect((await stranger.next())?.data.errors).toMatchObject([{ extensions: { code: 'NOT_FOUND' } }]);
  expect(await stranger.next()).toMatchObject({ event: 'complete' });
  const broken = await fetch(`${api.url}/graphql?query={viewer{role}}&variables={`, {
    headers: { accept: 'text/event-stream', authorization: `Bearer ${world.operator}` },
  });
  expect(broken.status).toBe(400);
});

test('a stream ends with its token, and says so', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const claims = JSON.parse(Buffer.from(world.customer.split('.')[1] ?? '', 'base64url').toString());
  const token = await mintDevelopmentToken(api.key, {
    subject: claims.sub,
    tenantSlug: world.slug,
    role: 'CUSTOMER',
    lifetimeSeconds: 5,
  });
  const stream = await open(token, { query: LEASES, variables: { id: world.projectId } });
  expect(kindOf(await stream.next())).toBe('CURRENT');
  expect((await stream.next())?.data.errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
  expect(await stream.next()).toMatchObject({ event: 'complete' });
});

test('clients that leave and clients that are too many leave nothing behind', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const asked = { query: LEASES, variables: { id: world.projectId } };
  const streams = [];
  for (let n = 0; n < 20; n += 1) {
    const stream = await open(world.operator, asked);
    expect(kindOf(await stream.next())).toBe('CURRENT');
    streams.push(stream);
  }
  const refused = await open(world.operator, asked);
  expect(refused.response.status).toBe(429);
  expect(Number(refused.response.headers.get('retry-after'))).toBeGreaterThan(0);
  for (const stream of streams) {
    stream.leave();
  }
  await expect.poll(openStreams).toBe(0);
  expect(kindOf(await (await open(world.operator, asked)).next())).toBe('CURRENT');
});

async function metricOf(name: string): Promise<number> {
  const metrics = await (await fetch(`${api.url}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(metrics)?.[1]);
}

const openStreams = () => metricOf('touchstone_event_streams');

test('clients that vanish while their subscription begins leave nothing behind', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const query = `subscription { projectProgress(projectId: "${world.projectId}") { cursor } }`;
  await expect.poll(() => metricOf('touchstone_subscriptions')).toBe(0);
  const asked = new URLSearchParams({ query });
  const vanish = async (turns: number) => {
    const leaving = new AbortController();
    const answer = fetch(`${api.url}/graphql?${asked}`, {
      signal: leaving.signal,
      headers: { accept: 'text/event-stream', authorization: `Bearer ${world.operator}` },
    }).catch(() => null);
    for (let turn = 0; turn < turns; turn += 1) {
      await nextTurn(); // Each of them is further on when it goes.
    }
    leaving.abort();
    await answer;
  };
  for (let round = 0; round < 30; round += 1) {
    await Promise.all(Array.from({ length: 15 }, (_, n) => vanish(round + n)));
  }
  await expect.poll(openStreams).toBe(0);
  await expect.poll(() => metricOf('touchstone_subscriptions')).toBe(0);
});

test('a server that stops ends its streams without completing them, so that their clients go on elsewhere', async () => {
  const world = await makeApiWorld(api, { tasks: 0 });
  const stream = await open(world.customer, { query: LEASES, variables: { id: world.projectId } });
  expect(kindOf(await stream.next())).toBe('CURRENT');
  const closed = api.server.close();
  expect(await stream.next()).toBeNull();
  await closed;
});
