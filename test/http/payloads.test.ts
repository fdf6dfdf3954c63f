// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { expect, test } from 'vitest';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// Rule 17: a payload URL is for one claim, and is written down in the transaction that makes it.

const db = useTestDb();
const api = useTestApi(db);

const expertOf = (world: ApiWorld, n = 0) => world.experts[n]?.token ?? '';

async function claim(world: ApiWorld, n = 0): Promise<{ assignmentId: string; payloadUrl: string }> {
  return (await api.call(expertOf(world, n), 'POST /v1/tasks/next')).json();
}

/** The access log entry that was written with the grant of a URL. */
async function logOf(payloadUrl: string) {
  const token = payloadUrl.split('/').at(-1) ?? '';
  const { rows } = await db.admin.query(
    `select l.role, l.purpose, l.subject_type, l.payload_key, g.payload_key as served, l.xmin::text = g.xmin::text as together
     from payload_grants g join access_log l on l.tenant_id = g.tenant_id and l.id = g.access_log_id
     where g.token_hash = $1`,
    [createHash('sha256').update(token).digest()],
  );
  return rows;
}

test('a payload comes as a download that no browser runs, and stands in the access log', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const { payloadUrl } = await claim(world);
  const response = await fetch(payloadUrl);
  expect(response.status).toBe(200);
  expect(await response.json()).toEqual({ question: 'Is 0 even? plain' });
  const headers = Object.fromEntries(response.headers);
  expect(headers).toMatchObject({
    'content-disposition': expect.stringMatching(/^attachment/),
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringMatching(/sandbox/),
    'cache-control': 'no-store',
  });
  const [entry, ...more] = await logOf(payloadUrl);
  expect(more).toEqual([]);
  expect(entry).toMatchObject({
    role: 'EXPERT',
    purpose: 'WORK',
    subject_type: 'ASSIGNMENT',
    together: true,
  });
  expect(entry.payload_key).toBe(entry.served);
});

test('each URL that is given out has an entry of its own, and operators find them by payload and by viewer', async () => {
  const world = await makeApiWorld(api, { tasks: 1, experts: 1 });
  const first = await claim(world);
  const again = await claim(world);
  const query = '{ currentAssignment { payloadUrl task { id } } viewer { identity { id } } }';
  const { data } = await api.graphql(expertOf(world), query);
  const urls = [first.payloadUrl, again.payloadUrl, data.currentAssignment.payloadUrl];
  expect(new Set(urls).size).toBe(3);
  for (const url of urls) {
    expect(await logOf(url)).toHaveLength(1);
    expect((await fetch(url)).status).toBe(200);
  }
  const log = `query($payload: ID, $viewer: ID) {
    accessLog(payload: $payload, viewer: $viewer) { edges { node { role assignment { id } viewer { id } } } } }`;
  for (const variables of [
    { payload: data.currentAssignment.task.id },
    { viewer: data.viewer.identity.id },
  ]) {
    const found = (await api.graphql(world.operator, log, variables)).data.accessLog.edges;
    expect(found).toHaveLength(3);
    expect(found[0].node).toEqual({
      role: 'EXPERT',
      assignment: { id: first.assignmentId },
      viewer: { id: data.viewer.identity.id },
    });
  }
});

test('a URL ends with its claim: answered, given back, expired, or claimed again', async () => {
  const world = await makeApiWorld(api, { tasks: 3 });
  const answered = await claim(world);
  const answer = { leaseEpoch: 1, answer: { choice: 'yes' } };
  await api.call(expertOf(world), `POST /v1/assignments/${answered.assignmentId}/submit`, answer);
  expect((await fetch(answered.payloadUrl)).status).toBe(410);

  const released = await claim(world);
  await api.call(expertOf(world), `POST /v1/assignments/${released.assignmentId}/release`, { leaseEpoch: 1 });
  expect((await fetch(released.payloadUrl)).status).toBe(410);
  await api.call(expertOf(world), `POST /v1/assignments/${released.assignmentId}/reclaim`);
  expect((await fetch(released.payloadUrl)).status).toBe(410);

  await db.advance(1_801);
  const expired = (await fetch((await claim(world)).payloadUrl)).status;
  expect(expired).toBe(200);
  const last = await claim(world);
  await db.advance(1_801);
  expect((await fetch(last.payloadUrl)).status).toBe(410);
});

/** As a browser asks: it says itself what for. */
const statusFor = (url: string, use: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const sent = request(url, { headers: { 'sec-fetch-dest': use } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on('error', reject).end();
  });

test.each(['script', 'worker', 'serviceworker', 'style', 'iframe', 'embed', 'object'])(
  'no page runs or embeds a payload as %s',
  async (use) => {
    const { payloadUrl } = await claim(await makeApiWorld(api, { tasks: 1 }));
    expect(await statusFor(payloadUrl, use)).toBe(403);
    expect(await statusFor(payloadUrl, 'empty')).toBe(200);
  },
);

test('another token, a made-up one and another expert’s get nothing', async () => {
  const world = await makeApiWorld(api, { tasks: 2, experts: 2 });
  const { payloadUrl } = await claim(world);
  const changed = payloadUrl.slice(0, -1) + (payloadUrl.endsWith('A') ? 'B' : 'A');
  expect((await fetch(changed)).status).toBe(404);
  expect((await fetch(`${api.url}/v1/payloads/${'x'.repeat(5_000)}`)).status).toBe(404);
  const as = (token: string) => fetch(payloadUrl, { headers: { Authorization: `Bearer ${token}` } });
  expect((await as(expertOf(world, 0))).status).toBe(200);
  expect((await as(expertOf(world, 1))).status).toBe(404);
  expect((await as(world.operator)).status).toBe(404);
  expect((await as('nonsense')).status).toBe(401);
});
