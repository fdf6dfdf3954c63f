import { once, setMaxListeners } from 'node:events';
import type { Socket } from 'node:net';
import { getPriority } from 'node:os';
import pg from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { QueryTooLargeError, QueryTooSlowError } from '../../src/services/platform/analysts.js';
import { type Scope, withScope } from '../../src/services/platform/database.js';
import { CancelledError, OverloadedError } from '../../src/services/platform/errors.js';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeWorld, type World } from '../support/factories.js';

// What analysts ask: on connections of their own, few at once, stopped when its time, its rows or its asker have gone.
const t = useTestDb();
const api = useTestApi(t);

let world: World;

beforeAll(async () => {
  world = await makeWorld(t.database);
});

/** A statement that counts n² rows, one after the other; with a hundred thousand it ends in no test. */
const counting = (n: number) =>
  `select count(*) * 0 from generate_series(1, ${n}) a, generate_series(1, ${n}) b`;
const ENDLESS = counting(100_000);

/** What it spills to disk is less, so that only what a test does ends it. */
const KILOBYTES_FOR_ENDLESS = 1_048_576;

const scopeWith = (signal?: AbortSignal): Scope => ({
  tenantId: world.tenantId,
  role: 'ANALYST',
  actorId: world.operator.identityId,
  signal,
});

const run = (text: string, signal?: AbortSignal) =>
  withScope(t.database, scopeWith(signal), (tx) => tx.$queryRawUnsafe<Record<string, unknown>[]>(text));

/** Statements of analysts that run now. */
async function statements(): Promise<number> {
  const { rows } = await t.admin.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and application_name = 'touchstone_analyst' and state = 'active'`,
  );
  return rows[0]?.n ?? 0;
}

/** A second, and what a busy machine takes to notice; a statement that nobody ends goes on for ten. */
const SOON_SECONDS = 5;

const busy = (wanted: number) => expect.poll(statements).toBe(wanted);

const secondsUntilIdle = async (): Promise<number> => {
  const from = performance.now();
  await expect.poll(statements, { interval: 20 }).toBe(0);
  return (performance.now() - from) / 1_000;
};

test('an analyst’s read has a role, a scope and bounds of its own', async () => {
  const [bounds] = await run(
    `select current_user::text as role, app.scope_role() as scope, current_setting('statement_timeout') as statement,
            current_setting('work_mem') as memory, current_setting('temp_file_limit') as spilled,
            current_setting('max_parallel_workers_per_gather') as helpers, current_setting('lock_timeout') as locks,
            current_setting('transaction_read_only') as "readOnly",
            current_setting('client_connection_check_interval') as watched`,
  );
  expect(bounds).toEqual({
    role: 'touchstone_analyst',
    scope: 'ANALYST',
    statement: '10s',
    memory: '8MB',
    spilled: '256MB',
    helpers: '0',
    locks: '1s',
    readOnly: 'on',
    watched: '500ms',
  });
});

test('a login that may not bound what is spilled to disk reads all the same', async () => {
  const app = new pg.Client({ connectionString: t.appUrl });
  await app.connect();
  await app.query('begin');
  const { rows } = await app.query(
    `select app.enter_analyst($1, 1, 1024) > 0 as entered, app.scope_role() as scope`,
    [world.tenantId],
  );
  const limit = await app.query('show temp_file_limit');
  await app.end();
  expect(rows).toEqual([{ entered: true, scope: 'ANALYST' }]);
  expect(limit.rows).toEqual([{ temp_file_limit: '-1' }]);
});

test('on this machine the server’s processes for analysts let all others go first', async () => {
  const [made] = await run('select pg_backend_pid() as pid');
  await expect.poll(() => getPriority(Number(made?.pid))).toBe(19);
});

test('a statement whose asker goes away ends within a second', async () => {
  const gone = new AbortController();
  const slow = run(ENDLESS, gone.signal);
  slow.catch(() => undefined);
  await busy(1);
  gone.abort();
  expect(await secondsUntilIdle()).toBeLessThan(SOON_SECONDS);
  await expect(slow).rejects.toBeInstanceOf(CancelledError);
  expect(await run('select 1 as one')).toEqual([{ one: 1 }]);
});

test('who goes away between two statements is not served the second', async () => {
  const gone = new AbortController();
  const from = performance.now();
  const slow = withScope(t.database, scopeWith(gone.signal), async (tx) => {
    await tx.$queryRawUnsafe('select 1');
    gone.abort();
    // The first request to cancel finds nothing to end.
    await t.admin.query(counting(2_000));
    return tx.$queryRawUnsafe(ENDLESS);
  });
  await expect(slow).rejects.toBeInstanceOf(CancelledError);
  expect(performance.now() - from).toBeLessThan(SOON_SECONDS * 1_000);
});

test('who has gone while they waited for their turn is served nothing', async () => {
  const gone = new AbortController();
  const left = new AbortController();
  const running = [run(ENDLESS, gone.signal), run(ENDLESS, gone.signal)];
  const ended = Promise.allSettled(running);
  await busy(2);
  const waits = run('select 1 as one', left.signal);
  left.abort();
  await expect(waits).rejects.toBeInstanceOf(CancelledError);
  await expect(run('select 1 as one', left.signal)).rejects.toBeInstanceOf(CancelledError);
  gone.abort();
  await ended;
  expect(await run('select 1 as one')).toEqual([{ one: 1 }]);
});

test('where too many wait, whoever has most of them waiting is refused; others are served by turns', async () => {
  const gone = new AbortController();
  setMaxListeners(0, gone.signal);
  const crowd = Array.from({ length: 66 }, () => run(ENDLESS, gone.signal));
  const settled = Promise.allSettled(crowd);
  await busy(2);
  const other = withScope(t.database, { ...scopeWith(), actorId: world.ada.viewer.identityId }, (tx) =>
    tx.$queryRawUnsafe('select 2 as two'),
  );
  await expect(crowd.at(-1)).rejects.toBeInstanceOf(OverloadedError);
  gone.abort();
  expect(await other).toEqual([{ two: 2 }]);
  const reasons = (await settled).map((one) => (one.status === 'rejected' ? one.reason.code : 'DONE'));
  expect(reasons.filter((code) => code === 'OVERLOADED')).toHaveLength(1);
  expect(reasons.filter((code) => code === 'CANCELLED')).toHaveLength(65);
});

test('a read of too many rows is stopped, and says what to do', async () => {
  const all = run('select generate_series(1, 200000000) as g');
  await expect(all).rejects.toBeInstanceOf(QueryTooLargeError);
  await expect(all).rejects.toThrow(/page by page/);
  expect(await run('select g from generate_series(1, 20000) g')).toHaveLength(20_000);
});

test('what spills more to disk than it may is refused as too large', async () => {
  const sorting = withScope(t.database, scopeWith(), async (tx) => {
    await tx.$queryRawUnsafe(`select set_config('temp_file_limit', '1024', true)`);
    const sorted = `select g, repeat('x', 1000) as x from generate_series(1, 100000) g order by x, g desc`;
    return tx.$queryRawUnsafe(`select count(*)::int from (${sorted} offset 1) s`);
  });
  await expect(sorting).rejects.toBeInstanceOf(QueryTooLargeError);
});

test('a statement that takes too long is given up, and says what to do', async () => {
  const slow = withScope(t.database, scopeWith(), async (tx) => {
    await tx.$queryRawUnsafe(`select set_config('statement_timeout', '100', true)`);
    return tx.$queryRawUnsafe(ENDLESS);
  });
  await expect(slow).rejects.toBeInstanceOf(QueryTooSlowError);
  await expect(slow).rejects.toThrow(/smaller pages/);
});

test('the server ends the statement of a process that has died', async () => {
  const dying = new pg.Client({
    connectionString: t.lineUrl.replace('touchstone_line', 'touchstone_analyst'),
    application_name: 'touchstone_analyst',
  });
  dying.on('error', () => undefined);
  await dying.connect();
  await dying.query('begin');
  await dying.query('select app.enter_analyst($1, 1, $2)', [world.tenantId, KILOBYTES_FOR_ENDLESS]);
  dying.query(ENDLESS).catch(() => undefined);
  await busy(1);
  (dying as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
  expect(await secondsUntilIdle()).toBeLessThan(SOON_SECONDS);
});

/** Every statement of an analyst takes longer than it may meanwhile. */
async function slowly<T>(work: () => Promise<T>): Promise<T> {
  const { rows } = await t.admin.query(`select pg_get_functiondef('app.tenant_id()'::regprocedure) as text`);
  await t.admin.query(
    `create or replace function app.tenant_id() returns bigint language sql stable parallel safe as $$
       select nullif(current_setting('app.tenant', true), '')::bigint
              + case when current_user = 'touchstone_analyst' then (${counting(100_000)}) else 0 end $$`,
  );
  try {
    return await work();
  } finally {
    await t.admin.query(rows[0].text);
  }
}

const QUERY = '{ projects(first: 5) { edges { node { name } } } }';

test('an HTTP client that hangs up takes its statements along', async () => {
  const { analyst } = await makeApiWorld(api);
  await slowly(async () => {
    const gone = new AbortController();
    const asked = fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${analyst}` },
      body: JSON.stringify({ query: QUERY }),
      signal: gone.signal,
    }).catch(() => undefined);
    await busy(1);
    gone.abort();
    expect(await secondsUntilIdle()).toBeLessThan(SOON_SECONDS);
    await asked;
  });
});

test('a query over a socket that its client completes, or whose socket closes, ends with it', async () => {
  const { analyst } = await makeApiWorld(api);
  await slowly(async () => {
    for (const leave of ['complete', 'close'] as const) {
      const socket = new WebSocket(`${api.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws');
      const say = (message: object) => socket.send(JSON.stringify(message));
      await once(socket, 'open');
      say({ type: 'connection_init', payload: { authorization: `Bearer ${analyst}` } });
      await once(socket, 'message');
      say({ id: '1', type: 'subscribe', payload: { query: QUERY } });
      await busy(1);
      if (leave === 'complete') {
        say({ id: '1', type: 'complete' });
      } else {
        socket.terminate();
      }
      expect(await secondsUntilIdle()).toBeLessThan(SOON_SECONDS);
      socket.terminate();
    }
  });
});

test('an analyst whose query takes too long is told so; claims go on beside it', async () => {
  const { analyst, experts } = await makeApiWorld(api);
  await slowly(async () => {
    const asked = api.attempt(analyst, QUERY);
    await busy(1);
    const { data } = await api.graphql(
      experts[0]?.token ?? '',
      'mutation { claimTask(input: {}) { ... on ClaimTaskPayload { assignment { id } } } }',
    );
    expect(data.claimTask.assignment.id).toBeTypeOf('string');
    expect((await asked).errors[0]).toMatchObject({
      message: expect.stringContaining('smaller pages'),
      extensions: { code: 'QUERY_TOO_SLOW' },
    });
  });
}, 30_000);
