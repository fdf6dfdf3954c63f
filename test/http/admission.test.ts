// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { expect, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { untilBlocked } from '../support/interleave.js';
import { scrape } from './support/scrape.js';

const db = useTestDb();
const api = useTestApi(db, {
  admission: { waitingMax: 1, waitMs: 10_000 },
  pace: { perSecond: 20, patience: 20, patiencePerSecond: 0.1 },
});

const CLAIM = `mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } empty { reason } } } }`;
const TAKE = `mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id lease { epoch } } } } }`;
const SUBMIT_AND_CLAIM = `mutation ($input: SubmitInput!) {
  submit(input: $input) { ... on SubmitPayload { next { empty { reason } } } }
}`;

const tokenOf = (world: ApiWorld, n: number) => world.experts[n]?.token ?? '';
const next = (token: string, signal?: AbortSignal) =>
  fetch(`${api.url}/v1/tasks/next`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}` },
    signal: signal ?? null,
  });
const overGraphQL = (token: string, signal: AbortSignal) =>
  fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ query: CLAIM }),
    signal,
  });
const waiting = async () => (await scrape(api)).value('touchstone_admission_waiting');
const cancelled = async () => (await scrape(api)).value('touchstone_admission_cancelled_total') ?? 0;
const early = async () =>
  (await scrape(api)).value('touchstone_admission_rate_limited_total', { reason: 'EARLY' }) ?? 0;
/** Errors that were taken for faults of ours. */
const unexpected = async () =>
  (await scrape(api)).value('touchstone_errors_total', { code: 'INTERNAL_SERVER_ERROR' }) ?? 0;
/** Takes the line's connections away, so that what comes now waits. */
const hold = async () => {
  const { linePool } = api.server.app.db;
  const clients = [await linePool.connect(), await linePool.connect()];
  return () => {
    for (const client of clients) {
      client.release();
    }
  };
};
const leased = async ({ tenantId }: ApiWorld) =>
  (
    await db.admin.query(
      `select count(*)::int as n from assignments where tenant_id = $1 and state = 'LEASED'`,
      [tenantId],
    )
  ).rows[0].n;

test('an overloaded node says so, and when to come back, over GraphQL and plain HTTP', async () => {
  const world = await makeApiWorld(api, { experts: 4 });
  const release = await hold();
  const first = next(tokenOf(world, 0));
  await expect.poll(() => api.server.app.db.linePool.waitingCount).toBe(1);
  const second = next(tokenOf(world, 1));
  await expect.poll(waiting).toBe(1);
  const plain = await next(tokenOf(world, 2));
  expect(plain.status).toBe(503);
  expect(Number(plain.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await plain.json()).toMatchObject({ code: 'OVERLOADED', retryAfterSeconds: expect.any(Number) });
  const graphql = await api.call(tokenOf(world, 3), 'POST /graphql', { query: CLAIM });
  expect(graphql.status).toBe(503);
  expect(Number(graphql.headers.get('retry-after'))).toBeGreaterThan(0);
  const { errors } = await graphql.json();
  expect(errors[0].extensions).toEqual({ code: 'OVERLOADED', retryAfterSeconds: expect.any(Number) });
  release();
  expect((await first).status).toBe(200);
  expect((await second).status).toBe(200);
});

test.each(['plain HTTP', 'GraphQL'])('a client that goes takes its claim with it: %s', async (way) => {
  const world = await makeApiWorld(api, { experts: 2 });
  const before = await cancelled();
  const release = await hold();
  const first = next(tokenOf(world, 0));
  await expect.poll(() => api.server.app.db.linePool.waitingCount).toBe(1);
  const gone = new AbortController();
  const leaving =
    way === 'GraphQL' ? overGraphQL(tokenOf(world, 1), gone.signal) : next(tokenOf(world, 1), gone.signal);
  await expect.poll(waiting).toBe(1);
  gone.abort();
  await expect(leaving).rejects.toThrow();
  await expect.poll(cancelled).toBe(before + 1);
  expect(await waiting()).toBe(0);
  release();
  expect((await first).status).toBe(200);
  expect(await leased(world)).toBe(1);
});

test('a client that leaves while its claim runs is no fault of ours', async () => {
  const world = await makeApiWorld(api, { experts: 1 });
  const before = await unexpected();
  const blocker = await connect(db.url, 'touchstone test lock');
  await blocker.query('begin');
  await blocker.query('select pg_advisory_xact_lock(7246, hashint8($1::bigint))', [world.tenantId]);
  const gone = new AbortController();
  const leaving = overGraphQL(tokenOf(world, 0), gone.signal);
  await untilBlocked(db.admin, 1);
  gone.abort();
  await expect(leaving).rejects.toThrow();
  await blocker.query('rollback');
  await blocker.end();
  await expect.poll(() => leased(world)).toBe(1);
  await api.attempt(tokenOf(world, 0), CLAIM); // is answered after the one before it
  expect(await unexpected()).toBe(before);
});

test('an identity that asks without a pause is held up, and nobody else', async () => {
  const world = await makeApiWorld(api, { experts: 2, tasks: 2 });
  const statuses: number[] = [];
  let limited: Response | undefined;
  for (let n = 0; n < 400 && limited === undefined; n++) {
    const answers = await Promise.all(Array.from({ length: 10 }, () => next(tokenOf(world, 0))));
    limited = answers.find(({ status }) => status === 429);
    statuses.push(...answers.map(({ status }) => status));
  }
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThan(0);
  expect(limited?.headers.get('retry-after')).toBe('1');
  expect(await limited?.json()).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 });
  expect((await next(tokenOf(world, 1))).status).toBe(200);
});

test('who is told that there is nothing, and asks again and again, is told to wait', async () => {
  const world = await makeApiWorld(api, { experts: 1, tasks: 0 });
  const said: string[] = [];
  for (let n = 0; n < 40 && !said.includes('RATE_LIMITED'); n++) {
    const { data, errors } = await api.attempt(tokenOf(world, 0), CLAIM);
    said.push(String(errors[0]?.extensions?.code ?? data.claimTask.empty.reason));
  }
  expect(said.filter((one) => one === 'NO_OPEN_TASK').length).toBeGreaterThanOrEqual(20);
  expect(said.at(-1)).toBe('RATE_LIMITED');
  expect(await early()).toBeGreaterThan(0);
});

test('whoever is told to wait does not get around it by sending a submit again and again', async () => {
  const world = await makeApiWorld(api, { experts: 1, tasks: 1 });
  const token = tokenOf(world, 0);
  const { data } = await api.attempt(token, TAKE);
  const { id, lease } = data.claimTask.assignment;
  const input = {
    assignmentId: id,
    leaseEpoch: lease.epoch,
    answer: { choice: 'yes' },
    claimNext: true,
  };
  const before = await early();
  const said: string[] = [];
  for (let n = 0; n < 100 && (await early()) === before; n++) {
    const { errors, data: stored } = await api.attempt(token, SUBMIT_AND_CLAIM, { input });
    said.push(errors[0]?.extensions?.code ?? stored.submit.next?.empty.reason ?? 'no claim');
  }
  expect(said.filter((one) => one === 'NO_OPEN_TASK').length).toBeGreaterThanOrEqual(20);
  expect(said.at(-1)).toBe('no claim');
});
