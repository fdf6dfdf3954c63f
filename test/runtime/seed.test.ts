import { expect, test } from 'vitest';
import { demoTokens } from '../../src/runtime/demo/people.js';
import { seedDemo } from '../../src/runtime/seed.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';

const db = useTestDb();
const api = useTestApi(db);

test('the demo can be seeded again and again, and each role has a token that works', async () => {
  await seedDemo(api.server.app);
  await seedDemo(api.server.app);
  const counts = await db.admin.query(
    `select (select count(*)::int from task_types) as types, (select count(*)::int from projects) as projects,
            (select count(*)::int from batches) as batches, (select count(*)::int from experts) as experts`,
  );
  expect(counts.rows[0]).toEqual({ types: 4, projects: 2, batches: 3, experts: 3 });
  for (const { role, token } of await demoTokens(api.key)) {
    const { data } = await api.graphql(
      token,
      '{ viewer { role tenant expert { handle } customer { name } } }',
    );
    expect(data.viewer).toMatchObject({ role, tenant: 'demo' });
  }
});
