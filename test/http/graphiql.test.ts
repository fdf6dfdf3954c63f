import { getOperationAST, parse, validate } from 'graphql';
import { beforeAll, expect, test } from 'vitest';
import { exampleQueries } from '../../src/http/graphiql/examples.js';
import { schema } from '../../src/schema/index.js';
import { openSocket } from '../api/support/sockets.js';
import { type ApiWorld, makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const t = useTestDb();
const api = useTestApi(t);
let world: ApiWorld;

beforeAll(async () => {
  world = await makeApiWorld(api, { tasks: 3 });
});

const examples = exampleQueries();

test('there are examples for every role that has a page', () => {
  expect(examples.length).toBeGreaterThanOrEqual(7);
});

test.each(examples)('the example $name fits the schema and runs', async ({ name, query }) => {
  const document = parse(query);
  expect(validate(schema, document)).toEqual([]);
  const token = /claim|earnings/.test(name) ? (world.experts[0]?.token ?? '') : world.operator;
  if (getOperationAST(document)?.operation === 'subscription') {
    const { value } = await openSocket(api, token)({ query }).next();
    expect(value).not.toHaveProperty('errors');
    return;
  }
  const { data } = await api.graphql(token, query);
  expect(JSON.stringify(data)).not.toContain('"code"');
});

test('the page and all that it asks for come from this server, under a policy that lets nothing else in', async () => {
  const page = await fetch(`${api.url}/graphql`, { headers: { Accept: 'text/html' } });
  const policy = page.headers.get('content-security-policy') ?? '';
  expect(policy).toContain("default-src 'none'; script-src 'self';");
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
  const html = await page.text();
  const parts = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(parts.length).toBeGreaterThanOrEqual(5);
  for (const path of [...parts, '/graphiql/graphql.worker.js', '/graphiql/json.worker.js']) {
    expect(path).toMatch(/^\/graphiql\/[\w.]+$/);
    const part = await fetch(`${api.url}${path}`);
    expect(part.status, path).toBe(200);
    expect(await part.text(), path).not.toMatch(/https:\/\/(unpkg|cdn|esm|fonts)\b/);
  }
  const start = await (await fetch(`${api.url}/graphiql/start.js`)).text();
  for (const { query } of examples) {
    expect(start).toContain(JSON.stringify(query).slice(1, 60));
  }
});

test('there is no such part as was not made', async () => {
  const missing = await fetch(`${api.url}/graphiql/..%2f..%2fpackage.json`);
  expect(missing.status).toBe(404);
});
