// @once @long: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

// graphql-transport-ws as its specification has it, message by message, on the whole server.

const db = useTestDb();
const api = useTestApi(db);

type Message = { readonly type: string; readonly id?: string; readonly payload?: unknown };

async function open(protocol: string | undefined = 'graphql-transport-ws') {
  const url = `${api.url.replace('http', 'ws')}/graphql`;
  const socket = protocol === '' ? new WebSocket(url) : new WebSocket(url, protocol);
  onTestFinished(() => socket.terminate());
  const closed = once(socket, 'close').then(([code]) => Number(code));
  const messages: Message[] = [];
  let wake: () => void = () => undefined;
  socket.on('message', (data) => {
    messages.push(JSON.parse(String(data)));
    wake();
  });
  await once(socket, 'open');
  const next = async (): Promise<Message | undefined> => {
    while (messages.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return messages.shift();
  };
  const raw = (text: string | Buffer) => socket.send(text);
  const send = (message: object) => raw(JSON.stringify(message));
  return { socket, closed, messages, next, raw, send };
}

async function admitted(token: string) {
  const opened = await open();
  opened.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
  expect(await opened.next()).toEqual({ type: 'connection_ack' });
  return opened;
}

const world = (): Promise<ApiWorld> => makeApiWorld(api, { tasks: 1 });
const subscribe = (id: string, query: string) => ({ id, type: 'subscribe', payload: { query } });
const leasesOf = ({ projectId }: ApiWorld) =>
  `subscription { leaseEvents(projectId: "${projectId}") { kind } }`;

test('a socket without the protocol is closed with 4406', async () => {
  expect(await (await open('')).closed).toBe(4406);
});

test('a socket that does not begin is closed with 4408', async () => {
  expect(await (await open()).closed).toBe(4408);
});

test('a socket whose beginning has come is not closed because the server gets to it late', async () => {
  const { operator } = await world();
  const opened = await open();
  opened.send({ type: 'connection_init', payload: { authorization: `Bearer ${operator}` } });
  for (const endMs = performance.now() + 3_100; performance.now() < endMs; ) {
    // The loop of server and client stands still.
  }
  expect(await opened.next()).toEqual({ type: 'connection_ack' });
});

test.each([
  ['no JSON', 'hello'],
  ['no object', '[]'],
  ['null', 'null'],
  ['without a type', '{}'],
  ['of an unknown type', '{"type":"start","id":"1"}'],
  ['a subscribe without an id', '{"type":"subscribe","payload":{"query":"{ viewer { role } }"}}'],
  ['a subscribe with an empty id', '{"type":"subscribe","id":"","payload":{"query":"{ viewer { role } }"}}'],
  ['a subscribe without a query', '{"type":"subscribe","id":"1","payload":{}}'],
  [
    'a subscribe whose variables are no object',
    '{"type":"subscribe","id":"1","payload":{"query":"{ a }","variables":"x"}}',
  ],
  ['a complete without an id', '{"type":"complete"}'],
  ['a ping whose payload is no object', '{"type":"ping","payload":1}'],
  ['bytes', Buffer.from([0, 255, 17])],
])('a message that is %s closes the socket with 4400', async (_what, text) => {
  const { raw, closed } = await open();
  raw(text);
  expect(await closed).toBe(4400);
});

test('a second beginning closes with 4429, be it before the first was answered or after', async () => {
  const { operator } = await world();
  const init = { type: 'connection_init', payload: { authorization: `Bearer ${operator}` } };
  const hasty = await open();
  hasty.send(init);
  hasty.send(init);
  expect(await hasty.closed).toBe(4429);
  const late = await admitted(operator);
  late.send(init);
  expect(await late.closed).toBe(4429);
});

test('whoever subscribes before they are let in is closed with 4401', async () => {
  const { send, closed } = await open();
  send(subscribe('1', '{ viewer { role } }'));
  expect(await closed).toBe(4401);
});

test('whoever has no good token is closed with 4403, and nothing was said before', async () => {
  const { send, closed, messages } = await open();
  send({ type: 'connection_init', payload: { authorization: 'Bearer nonsense' } });
  expect(await closed).toBe(4403);
  expect(messages).toEqual([]);
});

test('an id that is in use closes with 4409; one that is free again may be used', async () => {
  const one = await world();
  const { send, next, closed } = await admitted(one.customer);
  send(subscribe('a', leasesOf(one)));
  expect(await next()).toMatchObject({ id: 'a', type: 'next' });
  send({ id: 'a', type: 'complete' });
  send(subscribe('a', leasesOf(one)));
  expect(await next()).toMatchObject({ id: 'a', type: 'next' });
  send(subscribe('a', leasesOf(one)));
  expect(await closed).toBe(4409);
});

test('a ping is answered with what it carried, before and after the beginning; a pong is taken in silence', async () => {
  const { operator } = await world();
  const { send, next } = await open();
  send({ type: 'ping' });
  expect(await next()).toEqual({ type: 'pong' });
  send({ type: 'pong', payload: { unasked: true } });
  send({ type: 'connection_init', payload: { authorization: `Bearer ${operator}` } });
  expect(await next()).toEqual({ type: 'connection_ack' });
  send({ type: 'ping', payload: { at: 1 } });
  expect(await next()).toEqual({ type: 'pong', payload: { at: 1 } });
});

test('queries and mutations are answered by one result and completed', async () => {
  const one = await world();
  const { send, next } = await admitted(one.experts[0]?.token ?? '');
  send(subscribe('q', '{ viewer { role } }'));
  expect(await next()).toEqual({ id: 'q', type: 'next', payload: { data: { viewer: { role: 'EXPERT' } } } });
  expect(await next()).toEqual({ id: 'q', type: 'complete' });
  send(subscribe('m', 'mutation { claimTask(input: {}) { __typename } }'));
  expect(await next()).toEqual({
    id: 'm',
    type: 'next',
    payload: { data: { claimTask: { __typename: 'ClaimTaskPayload' } } },
  });
  expect(await next()).toEqual({ id: 'm', type: 'complete' });
});

test.each([
  ['does not parse', 'subscription {'],
  ['is not valid', '{ nothing }'],
  ['does not say which of two', 'query a { viewer { role } } query b { viewer { role } }'],
])(
  'an operation that %s is answered by `error` with a list, without `complete`, and its socket goes on',
  async (_what, query) => {
    const { operator } = await world();
    const { send, next } = await admitted(operator);
    send(subscribe('bad', query));
    const error = await next();
    expect(error).toMatchObject({ id: 'bad', type: 'error' });
    expect(error?.payload).toEqual([expect.objectContaining({ message: expect.any(String) })]);
    send(subscribe('bad', '{ viewer { role } }'));
    expect(await next()).toMatchObject({ id: 'bad', type: 'next' });
  },
);

test('what is completed is silent; an unknown id may be completed too', async () => {
  const one = await world();
  const { send, next } = await admitted(one.customer);
  send(subscribe('a', leasesOf(one)));
  expect(await next()).toMatchObject({ id: 'a', type: 'next' });
  send({ id: 'a', type: 'complete' });
  send({ id: 'never', type: 'complete' });
  await api.graphql(one.experts[0]?.token ?? '', 'mutation { claimTask(input: {}) { __typename } }');
  send({ type: 'ping' });
  expect(await next()).toEqual({ type: 'pong' });
});

test('ids are given back as they came, however they look', async () => {
  const one = await world();
  const { send, next } = await admitted(one.customer);
  for (const id of ['"', '\\', '__proto__', 'constructor', 'grüße 🙂', '"payload":1}']) {
    send(subscribe(id, leasesOf(one)));
    expect(await next()).toEqual({
      id,
      type: 'next',
      payload: { data: { leaseEvents: { kind: 'CURRENT' } } },
    });
  }
});
