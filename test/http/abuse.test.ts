// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { connect } from 'node:net';
import { getIntrospectionQuery } from 'graphql';
import { expect, test } from 'vitest';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const db = useTestDb();
const api = useTestApi(db);

let made: Promise<ApiWorld> | undefined;
function world(): Promise<ApiWorld> {
  made ??= makeApiWorld(api, { tasks: 1 });
  return made;
}

async function refusal(query: string, variables: object = {}): Promise<string> {
  const { operator } = await world();
  const { errors, data, status } = await api.attempt(operator, query, variables);
  expect(status).toBeLessThan(500);
  expect(data ?? null).toBeNull();
  return errors.map(({ message }) => message).join('; ');
}

const repeat = (count: number, item: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => item(n));

test('ten thousand aliases are refused, of __typename as of any field', async () => {
  expect(await refusal(`{ ${repeat(10_000, (n) => `a${n}: __typename`).join(' ')} }`)).toMatch(/limit/i);
  expect(await refusal(`{ ${repeat(31, (n) => `a${n}: __typename`).join(' ')} }`)).toMatch(/alias/i);
  expect(await refusal(`{ ${repeat(40, (n) => `a${n}: viewer { role }`).join(' ')} }`)).toMatch(/alias/i);
});

test('aliases hidden in fragments are counted where they are spread', async () => {
  const spread = `query { ${repeat(40, () => '...F').join(' ')} } fragment F on Query { ${repeat(20, (n) => `a${n}: __typename`).join(' ')} }`;
  expect(await refusal(spread)).toMatch(/alias/i);
});

test('deep nesting is refused, in fragments and introspection too', async () => {
  const inside = (field: string) => `projects { edges { node { ${field} } } }`;
  const batches = (field: string) => `batches { edges { node { project { ${field} } } } }`;
  expect(await refusal(`{ ${inside(batches(batches('id progress { leased }')))} }`)).toMatch(/depth/i);
  const spread = `{ ${inside('...P')} } fragment P on Project { ${batches(batches('id progress { leased }'))} }`;
  expect(await refusal(spread)).toMatch(/depth/i);
  const types =
    '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }';
  expect(await refusal(types)).toMatch(/introspection depth/i);
});

test('the whole schema can be read with a token, and not without', async () => {
  const { operator } = await world();
  const { data } = await api.graphql(operator, getIntrospectionQuery());
  expect(data.__schema.types.length).toBeGreaterThan(50);
  const query = JSON.stringify({ query: '{ __schema { queryType { name } } }' });
  const headers = { 'Content-Type': 'application/json' };
  const bare = await fetch(`${api.url}/graphql`, { method: 'POST', headers, body: query });
  expect(bare.status).toBe(401);
});

test('a flood of directives is refused', async () => {
  expect(await refusal(`{ __typename ${'@skip(if: false) '.repeat(6)} }`)).toMatch(/directive/i);
  expect(await refusal(`{ __typename ${'@a'.repeat(500)} }`)).toMatch(/directive/i);
});

test('circular fragments are refused', async () => {
  expect(await refusal('{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }')).toMatch(
    /cannot spread/i,
  );
});

test('a hundred thousand tokens are refused while they are read', async () => {
  expect(await refusal(`{ ${'viewer '.repeat(100_000)} }`)).toMatch(/token limit/i);
});

test('a huge page is refused, and pages in pages by their cost', async () => {
  const { operator } = await world();
  const huge = await api.attempt(operator, '{ projects(first: 1000000) { edges { node { id } } } }');
  expect(huge.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  for (const first of [0, -1]) {
    const none = await api.attempt(operator, `{ projects(first: ${first}) { edges { node { id } } } }`);
    expect(none.errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
  }
  const nested = await api.attempt(
    operator,
    '{ projects(first: 100) { edges { node { tasks(first: 100) { edges { node { id batch { id errors(first: 100) { edges { cursor } } } } } } } } } }',
  );
  expect(nested.errors[0]).toMatchObject({ extensions: { code: 'QUERY_TOO_COMPLEX' } });
});

test('a body of 5 MiB is refused before it is read, announced or not', async () => {
  const { operator } = await world();
  const body = JSON.stringify({ query: `{ viewer { role } } # ${'x'.repeat(5 * 1024 * 1024)}` });
  const headers = { Authorization: `Bearer ${operator}`, 'Content-Type': 'application/json' };
  const whole = await fetch(`${api.url}/graphql`, { method: 'POST', headers, body });
  expect(whole.status).toBe(413);
  expect(await whole.json()).toMatchObject({ errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] });
  const stream = new Blob([body]).stream();
  const chunked = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers,
    body: stream,
    duplex: 'half',
  } as RequestInit);
  expect(chunked.status).toBe(413);
});

test('a body of 10 MB is refused once it has been sent: a client that writes first meets no broken pipe', async () => {
  const { operator } = await world();
  const { hostname, port } = new URL(api.url);
  const bytes = 10 * 1024 * 1024;
  const socket = connect(Number(port), hostname);
  let answered = '';
  const ended = new Promise((end, broken) => socket.once('close', end).once('error', broken));
  socket.on('data', (chunk: Buffer) => {
    answered += chunk.toString();
  });
  const send = (part: string) => new Promise((sent) => socket.write(part, sent));
  await send(
    `POST /graphql HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${operator}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${bytes}\r\n\r\n`,
  );
  await fetch(`${api.url}/healthz`); // by now the server has met the headers as well
  expect(answered).toBe('');
  for (let sent = 0; sent < bytes; sent += 65_536) {
    await send('x'.repeat(65_536));
  }
  await ended;
  expect(answered).toMatch(/^HTTP\/1.1 413 /);
});

test('an array of operations is refused', async () => {
  const { operator } = await world();
  const body = [{ query: '{ __typename }' }, { query: '{ __typename }' }];
  const response = await api.call(operator, 'POST /graphql', body);
  expect(response.status).toBe(400);
  expect(await response.text()).not.toContain('"data"');
});

test('a mutation by a form, by GET or without a token does nothing', async () => {
  const { operator } = await world();
  const query = 'mutation { createSkill(input: { name: "Forged" }) { __typename } }';
  const form = new URLSearchParams({ query });
  const url = `${api.url}/graphql`;
  expect((await fetch(url, { method: 'POST', body: form })).status).toBe(401);
  expect((await fetch(`${url}?${form}`)).status).toBe(401);
  const byGet = await fetch(`${url}?${form}`, { headers: { Authorization: `Bearer ${operator}` } });
  expect(byGet.status).toBe(405);
  const text = await fetch(url, { method: 'POST', body: JSON.stringify({ query }) });
  expect(text.status).toBe(401);
  const { data } = await api.graphql(operator, '{ skills { edges { node { name } } } }');
  expect(JSON.stringify(data)).not.toContain('Forged');
});

test('a compressed body is not expanded', async () => {
  const { operator } = await world();
  const response = await fetch(`${api.url}/graphql`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${operator}`,
      'Content-Type': 'application/json',
      'Content-Encoding': 'gzip',
    },
    body: 'x',
  });
  expect(response.status).toBe(415);
});

test('a misspelt field is not answered with what there is', async () => {
  expect(await refusal('{ viewr { role } }')).not.toMatch(/did you mean/i);
});

test('one message cannot ask for more ids than a page shows', async () => {
  const { operator, projectId } = await world();
  const ids = repeat(101, () => projectId);
  const { errors } = await api.attempt(operator, 'query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids });
  expect(errors[0]).toMatchObject({ extensions: { code: 'BAD_USER_INPUT' } });
});

test('GraphiQL is served from here alone', async () => {
  const page = await fetch(`${api.url}/graphql`, { headers: { Accept: 'text/html' } });
  expect(page.status).toBe(200);
  const html = await page.text();
  expect(html).toContain('/graphiql/graphiql.js');
  expect(html.match(/<(?:script|link|img)[^>]+(?:src|href)="https?:[^>]*>/g)).toBeNull();
});
