// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { auditServer } from 'graphql-http';
import { expect, test } from 'vitest';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const db = useTestDb();
const api = useTestApi(db);

test('the server passes all 61 audits of graphql-http with a developer’s token', async () => {
  const { operator } = await makeApiWorld(api, { tasks: 0, experts: 0 });
  const results = await auditServer({
    url: `${api.url}/graphql`,
    fetchFn: (url: string, init: RequestInit = {}) =>
      fetch(url, { ...init, headers: { ...init.headers, Authorization: `Bearer ${operator}` } }),
  });
  const failed = results.filter(({ status }) => status !== 'ok');
  expect(
    failed.map((audit) => `${audit.id} ${audit.name}: ${'reason' in audit ? audit.reason : ''}`),
  ).toEqual([]);
  expect(results).toHaveLength(61);
});
