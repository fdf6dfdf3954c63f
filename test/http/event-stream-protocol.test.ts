// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { expect, onTestFinished, test } from 'vitest';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// GraphQL over Server-Sent Events, distinct connections mode, as its specification has it: byte by byte.

const db = useTestDb();
const api = useTestApi(db);

const QUERY = '{ viewer { role } }';
const MUTATION = 'mutation { claimTask(input: {}) { __typename } }';

interface Sent {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly query?: string;
  readonly accept?: string;
  readonly contentType?: string;
  readonly body?: string;
  readonly parameters?: Record<string, string>;
  readonly token?: string | null;
}

async function send(token: string, sent: Sent): Promise<Response> {
  const {
    method = 'POST',
    query = QUERY,
    accept = 'text/event-stream',
    contentType = 'application/json',
  } = sent;
  const leaving = new AbortController();
  onTestFinished(() => leaving.abort());
  const asked = new URLSearchParams(sent.parameters ?? { query });
  return fetch(`${api.url}/graphql${method === 'GET' ? `?${asked}` : ''}`, {
    method,
    signal: leaving.signal,
    headers: {
      accept,
      ...(sent.token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(method === 'GET' ? {} : { 'content-type': contentType }),
    },
    ...(method === 'GET' ? {} : { body: sent.body ?? JSON.stringify({ query }) }),
  });
}

const operator = async () => (await makeApiWorld(api, { tasks: 0 })).operator;
const RESULT = '{"data":{"viewer":{"role":"OPERATOR"}}}';

test.each(['GET', 'POST'] as const)(
  'a result by %s is one `next` with its JSON, then an empty `complete`',
  async (method) => {
    const response = await send(await operator(), { method });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(response.headers.get('cache-control')).toBe('no-store');
    const text = await response.text();
    expect(text.replace(/^retry: \d+\n\n/, '')).toBe(
      `event: next\ndata: ${RESULT}\n\nevent: complete\ndata:\n\n`,
    );
  },
);

test.each([
  ['text/event-stream', 'text/event-stream'],
  ['text/event-stream, application/json', 'text/event-stream'],
  ['application/json;q=0.5, text/event-stream;q=0.9', 'text/event-stream'],
  ['TEXT/EVENT-STREAM', 'text/event-stream'],
  ['application/graphql-response+json, application/json, text/event-stream, multipart/mixed', 'application/'],
  ['application/json, text/event-stream;q=0.9', 'application/json'],
  ['text/event-stream;q=0, application/json', 'application/json'],
  ['application/json', 'application/json'],
])('a client that accepts %s is answered as %s', async (accept, type) => {
  const response = await send(await operator(), { accept });
  expect(response.headers.get('content-type')?.startsWith(type)).toBe(true);
  expect(await response.text()).toContain(RESULT);
});

test.each([
  ['no token', { token: null }, 401],
  ['a body that is no JSON', { body: '{"query":' }, 400],
  ['a body that is no object', { body: '[]' }, 400],
  ['no query', { body: '{}' }, 400],
  ['a query that is no text', { body: '{"query":1}' }, 400],
  ['variables that are no object', { body: '{"query":"{ viewer { role } }","variables":[]}' }, 400],
  ['a name that is no text', { body: '{"query":"{ viewer { role } }","operationName":1}' }, 400],
  ['no query in the address', { method: 'GET', parameters: {} }, 400],
  [
    'variables in the address that are no JSON',
    { method: 'GET', parameters: { query: QUERY, variables: '{' } },
    400,
  ],
  ['another kind of body', { contentType: 'text/plain' }, 415],
  ['another method', { method: 'PUT' }, 405],
  ['a mutation by GET', { method: 'GET', query: MUTATION }, 405],
] as const)('a request with %s is refused by its status, before any stream', async (_what, sent, status) => {
  const response = await send(await operator(), sent);
  expect(response.status).toBe(status);
  expect(response.headers.get('content-type')).not.toContain('event-stream');
});

test('a mutation among others is refused by GET when it is the one that is named', async () => {
  const query = `query look ${QUERY} ${MUTATION.replace('mutation', 'mutation change')}`;
  const token = await operator();
  const named = (operationName: string) =>
    send(token, { method: 'GET', parameters: { query, operationName } });
  expect((await named('change')).status).toBe(405);
  expect((await named('look')).status).toBe(200);
});

test.each([
  ['does not parse', 'subscription {'],
  ['is not valid', '{ nothing }'],
  ['does not say which of two', 'query a { viewer { role } } query b { viewer { role } }'],
])('an operation that %s is told so as its one result, and completed', async (_what, query) => {
  const text = await (await send(await operator(), { query })).text();
  const [, data = ''] = /event: next\ndata: (.*)\n\nevent: complete\ndata:\n\n$/.exec(text) ?? [];
  const { errors, data: none } = JSON.parse(data);
  expect(errors[0].message).toEqual(expect.any(String));
  expect(none ?? null).toBeNull();
});

test('items have their cursor as id, and no field of a message holds a line break', async () => {
  const world = await makeApiWorld(api, { tasks: 1 });
  const query = `subscription { leaseEvents(projectId: "${world.projectId}") { cursor kind } }`;
  const response = await send(world.customer, { query });
  const reader = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes('event: next')) {
    text += (await reader.read()).value ?? '';
  }
  const [, id, data = ''] = /id: (.*)\nevent: next\ndata: (.*)\n\n/.exec(text) ?? [];
  expect(JSON.parse(data)).toEqual({ data: { leaseEvents: { cursor: id, kind: 'CURRENT' } } });
  await reader.cancel();
});
