import { expect, test } from 'vitest';
import { type ClientOptions, createClient } from '../../src/client/client.js';
import type { ClientError } from '../../src/client/errors.js';
import { broken, brokenOff, json, type ScriptServer, silent, startScriptServer } from './script-server.js';

const NOTHING_HELD = json({ data: { currentAssignment: null } });
const QUICK = { baseMs: 1, capMs: 5, patienceMs: 10_000 };

function clientOf(server: ScriptServer, options: Partial<ClientOptions> = {}) {
  return createClient({ url: server.url, token: 'token', retry: QUICK, ...options });
}

async function failureOf(promise: Promise<unknown>): Promise<ClientError> {
  return promise.then(
    () => expect.fail('the call was answered'),
    (error) => error,
  );
}

test('a broken connection, an answer that breaks off and a server in trouble are tried again until there is an answer', async () => {
  const trouble = json({ errors: [{ message: 'x', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] }, 500);
  await using server = await startScriptServer(
    broken,
    brokenOff,
    trouble,
    json('starting', 503),
    json(null, 502),
    NOTHING_HELD,
  );
  const kinds: string[] = [];
  const client = clientOf(server, { onRetry: ({ error }) => kinds.push(error.kind) });
  expect(await client.currentAssignment()).toBeNull();
  expect(kinds).toEqual(['NETWORK', 'NETWORK', 'UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE']);
});

test('the wait that a server asks for with 503 is kept', async () => {
  await using server = await startScriptServer(json({}, 503, { 'retry-after': '1' }), NOTHING_HELD);
  const waits: number[] = [];
  await clientOf(server, { onRetry: ({ waitMs }) => waits.push(waitMs) }).currentAssignment();
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeGreaterThanOrEqual(1000);
  expect(waits[0]).toBeLessThanOrEqual(1250);
});

test('a server that does not answer in time is asked again', async () => {
  await using server = await startScriptServer(silent, NOTHING_HELD);
  const kinds: string[] = [];
  const client = clientOf(server, { timeoutMs: 200, onRetry: ({ error }) => kinds.push(error.kind) });
  expect(await client.currentAssignment()).toBeNull();
  expect(new Set(kinds)).toEqual(new Set(['TIMEOUT']));
});

test('patience ends: the last failure is the caller’s', async () => {
  await using server = await startScriptServer(broken);
  const failure = await failureOf(
    clientOf(server, { retry: { ...QUICK, patienceMs: 30 } }).currentAssignment(),
  );
  expect(failure.kind).toBe('NETWORK');
  expect(failure.retryable).toBe(true);
});

test('a refused token is renewed once, together for all calls that were refused with it', async () => {
  const refuseOld = (response: Parameters<typeof broken>[0], arrived: Parameters<typeof broken>[1]) =>
    (arrived.token === 'new'
      ? NOTHING_HELD
      : json({ errors: [{ message: 'expired', extensions: { code: 'UNAUTHENTICATED' } }] }, 401))(
      response,
      arrived,
    );
  await using server = await startScriptServer(refuseOld);
  const asked: (string | null)[] = [];
  const client = clientOf(server, {
    token: async ({ refused }) => {
      asked.push(refused);
      return refused === null ? 'old' : 'new';
    },
  });
  await Promise.all([client.currentAssignment(), client.currentAssignment(), client.currentAssignment()]);
  expect(asked).toEqual([null, 'old']);
});

test('a token that cannot be renewed is refused at once, and a renewed one that is refused as well', async () => {
  await using server = await startScriptServer(json({ errors: [{ message: 'no' }] }, 401));
  expect((await failureOf(clientOf(server).currentAssignment())).kind).toBe('UNAUTHENTICATED');
  expect(server.arrived).toHaveLength(1);
  const renewing = clientOf(server, { token: ({ refused }) => `${refused}x` });
  expect((await failureOf(renewing.currentAssignment())).kind).toBe('UNAUTHENTICATED');
  expect(server.arrived).toHaveLength(3);
});

test('a redirect is not followed, so neither body nor token go elsewhere', async () => {
  await using elsewhere = await startScriptServer(NOTHING_HELD);
  for (const status of [301, 302, 307, 308]) {
    await using server = await startScriptServer(json({}, status, { location: elsewhere.url }));
    const failure = await failureOf(clientOf(server).currentAssignment());
    expect(failure.kind).toBe('REDIRECTED');
    expect(failure.retryable).toBe(false);
  }
  expect(elsewhere.arrived).toHaveLength(0);
});

test('what will not become better is not tried again', async () => {
  const forbidden = json({ errors: [{ message: 'no', extensions: { code: 'FORBIDDEN' } }] });
  for (const [step, kind] of [
    [forbidden, 'REJECTED'],
    [json({}, 404), 'REJECTED'],
    [json(null), 'MALFORMED'],
    [json([]), 'MALFORMED'],
    [json({ data: null }), 'MALFORMED'],
  ] as const) {
    await using server = await startScriptServer(step);
    expect((await failureOf(clientOf(server).currentAssignment())).kind).toBe(kind);
    expect(server.arrived).toHaveLength(1);
  }
});

test('an abort ends a call at once: while it is sent, while it waits to be sent again, and before', async () => {
  await using server = await startScriptServer(silent);
  const sent = new AbortController();
  const sending = failureOf(clientOf(server).currentAssignment(sent.signal));
  await expect.poll(() => server.arrived.length).toBe(1);
  sent.abort(new Error('enough'));
  expect((await sending).message).toBe('enough');

  await using breaking = await startScriptServer(broken);
  const waiting = new AbortController();
  const retrying = clientOf(breaking, {
    retry: { baseMs: 60_000, capMs: 60_000, patienceMs: 600_000 },
    onRetry: () => queueMicrotask(() => waiting.abort(new Error('enough'))),
  });
  expect((await failureOf(retrying.currentAssignment(waiting.signal))).message).toBe('enough');
  expect((await failureOf(retrying.currentAssignment(waiting.signal))).message).toBe('enough');
  expect(breaking.arrived).toHaveLength(1);
});

test('every retry of a creation carries the key of its first try', async () => {
  const created = json({
    data: {
      createProject: {
        __typename: 'CreateProjectPayload',
        project: { id: 'p', name: 'n', state: 'RUNNING' },
      },
    },
  });
  await using server = await startScriptServer(broken, brokenOff, created);
  await clientOf(server).createProject({
    name: 'n',
    taskTypeId: 't',
    skillId: 's',
    price: { minorUnits: '5', currency: 'EUR' },
  });
  const keys = server.arrived.map(
    ({ body }) => (body.variables.input as { idempotencyKey: string }).idempotencyKey,
  );
  expect(new Set(keys).size).toBe(1);
  expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
});
