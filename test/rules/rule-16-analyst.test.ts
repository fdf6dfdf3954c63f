import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { leaveWaiting, type Populated, populate } from '../support/populate.js';

// Rule 16 for analysts (touchstone_analyst): what the ANALYST scope shows to requests, in that scope alone, and nothing to change.
const t = useTestDb();

let ours: Populated;
let analyst: pg.Client;
let app: pg.Client;
let tables: readonly string[];

beforeAll(async () => {
  ours = await populate(t);
  await populate(t);
  await leaveWaiting(t.database, ours);
  analyst = new pg.Client({ connectionString: t.lineUrl.replace('touchstone_line', 'touchstone_analyst') });
  app = new pg.Client({ connectionString: t.appUrl });
  await Promise.all([analyst.connect(), app.connect()]);
  const { rows } = await t.admin.query<{ name: string }>(
    `select c.relname::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and has_table_privilege('touchstone_analyst', c.oid, 'select') order by 1`,
  );
  tables = rows.map(({ name }) => name);
});
afterAll(() => Promise.all([analyst.end(), app.end()]));

async function inScope<T>(client: pg.Client, role: string, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const { tenantId, customer, ada } = ours.world;
    const scope = [tenantId, role, ada.viewer.identityId, customer.customerId, ada.expertId];
    await client.query('select app.enter_scope($1, $2, $3, $4, $5)', scope);
    return await work();
  } finally {
    await client.query('rollback');
  }
}

async function countsIn(client: pg.Client, role: string): Promise<Record<string, number>> {
  return inScope(client, role, async () => {
    const counts: Record<string, number> = {};
    for (const table of tables) {
      counts[table] = (await client.query(`select count(*)::int as n from ${table}`)).rows[0].n;
    }
    return counts;
  });
}

test('an analyst’s connection sees the rows that the ANALYST scope shows to a request, no more and no fewer', async () => {
  const seen = await countsIn(analyst, 'ANALYST');
  expect(seen).toEqual(await countsIn(app, 'ANALYST'));
  expect(seen.assignments).toBeGreaterThan(0);
  expect(seen.drafts).toBe(0);
});

test.each(['', 'EXPERT', 'CUSTOMER', 'DISPATCHER', 'OPERATOR', 'SERVICE', 'ROOT'])(
  'in the scope “%s” it sees nothing at all',
  async (role) => {
    const seen = await countsIn(analyst, role);
    expect(Object.entries(seen).filter(([, rows]) => rows > 0)).toEqual([]);
  },
);

test('it changes no row of any table, whatever the scope', async () => {
  for (const role of ['ANALYST', 'SERVICE']) {
    for (const table of tables) {
      const tried = inScope(analyst, role, () => analyst.query(`delete from ${table}`));
      await expect(tried, table).rejects.toMatchObject({ code: '42501' });
    }
  }
});
