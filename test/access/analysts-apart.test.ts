import { beforeAll, expect, test } from 'vitest';
import { QueryTooLargeError } from '../../src/services/platform/analysts.js';
import { type Scope, withScope } from '../../src/services/platform/database.js';
import { makeApiWorld } from '../api/support/world.js';
import { useTestApi } from '../support/api.js';
import { useTestDb } from '../support/db.js';
import { makeWorld } from '../support/factories.js';

// What a whole read of an analyst may take, and that all they ask is one.
const t = useTestDb();
const api = useTestApi(t);

let scope: Scope;

beforeAll(async () => {
  const world = await makeWorld(t.database);
  scope = { tenantId: world.tenantId, role: 'ANALYST', actorId: world.operator.identityId };
});

const run = (text: string) =>
  withScope(t.database, scope, (tx) => tx.$queryRawUnsafe<Record<string, unknown>[]>(text));

test('rows are those of a whole read, and bytes are counted too', async () => {
  const twice = withScope(t.database, scope, async (tx) => {
    await tx.$queryRawUnsafe('select g from generate_series(1, 12000) g');
    return tx.$queryRawUnsafe('select g from generate_series(1, 12000) g');
  });
  await expect(twice).rejects.toBeInstanceOf(QueryTooLargeError);
  const long = run(`select repeat('x', 60000) as x from generate_series(1, 3000)`);
  await expect(long).rejects.toBeInstanceOf(QueryTooLargeError);
  await expect(long).rejects.toThrow(/64 MiB/);
  expect(await run('select 1 as one')).toEqual([{ one: 1 }]);
});

/** While nothing is served in the scope of our own statements. */
async function withoutService<T>(work: () => Promise<T>): Promise<T> {
  const { rows } = await t.admin.query(`select pg_get_functiondef('app.enter_scope'::regproc) as text`);
  const refusing = String(rows[0].text).replace(
    /\bbegin\b/i,
    `begin if p_role = 'SERVICE' then raise 'no service'; end if;`,
  );
  await t.admin.query(refusing);
  try {
    return await work();
  } finally {
    await t.admin.query(rows[0].text);
  }
}

test('the quality of a project is read on connections of analysts, all of it', async () => {
  const { analyst, customer, projectId } = await makeApiWorld(api);
  const query =
    'query ($id: ID!) { projectQuality(projectId: $id) { adjudicationsOpened dimensions { stated } } }';
  await withoutService(async () => {
    const { data } = await api.graphql(analyst, query, { id: projectId });
    expect(data.projectQuality.adjudicationsOpened).toBe(0);
    // (Customers do not see by whose records results are sure.)
    expect((await api.attempt(customer, query, { id: projectId })).errors).toHaveLength(1);
  });
});
