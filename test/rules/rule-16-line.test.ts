import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';
import { leaveWaiting, type Populated, populate } from '../support/populate.js';

// Rule 16 for the line (touchstone_line), which has policies of its own: one tenant's rows, in the SERVICE scope, and only there.
const t = useTestDb();

let ours: Populated;
let theirs: Populated;
let line: pg.Client;
let tables: readonly string[];

beforeAll(async () => {
  ours = await populate(t);
  theirs = await populate(t);
  await leaveWaiting(t.database, ours);
  line = new pg.Client({ connectionString: t.lineUrl });
  await line.connect();
  const { rows } = await t.admin.query<{ name: string }>(
    `select c.relname::text as name from pg_class c
     where c.relnamespace = 'public'::regnamespace and has_table_privilege('touchstone_line', c.oid, 'select') order by 1`,
  );
  tables = rows.map(({ name }) => name);
});
afterAll(() => line.end());

const OTHER_ROLES = ['', 'EXPERT', 'CUSTOMER', 'ANALYST', 'DISPATCHER', 'OPERATOR', 'ROOT'] as const;

async function inScope<T>(role: string, work: () => Promise<T>): Promise<T> {
  await line.query('begin');
  try {
    const { tenantId, customer, ada } = ours.world;
    const scope = [tenantId, role, ada.viewer.identityId, customer.customerId, ada.expertId];
    await line.query('select app.enter_scope($1, $2, $3, $4, $5)', scope);
    return await work();
  } finally {
    await line.query('rollback');
  }
}

const rowsOf = async (table: string, where: string) =>
  (await line.query(`select count(*)::int as n from ${table} where ${where}`)).rows[0].n;

test('the line sees the rows of its tenant in the SERVICE scope, and none of another', async () => {
  const { tenantId } = ours.world;
  await inScope('SERVICE', async () => {
    for (const table of tables) {
      expect([table, await rowsOf(table, `tenant_id <> ${tenantId}`)]).toEqual([table, 0]);
      expect([table, (await rowsOf(table, `tenant_id = ${tenantId}`)) > 0]).toEqual([table, true]);
    }
  });
  expect(tables).toContain('assignments');
});

test.each(OTHER_ROLES)('in the scope “%s” the line sees nothing at all', async (role) => {
  await inScope(role, async () => {
    for (const table of tables) {
      expect([table, await rowsOf(table, 'true')]).toEqual([table, 0]);
    }
  });
});

test('the line writes into no other tenant, and changes none of its rows', async () => {
  const other = theirs.world.tenantId;
  const event = `insert into stream_events (tenant_id, stream, kind, body) values ($1, 's', 'k', '{}')`;
  await inScope('SERVICE', async () => {
    await line.query(event, [ours.world.tenantId]);
    const changed = await line.query('update assignments set tag = tag where tenant_id = $1', [other]);
    expect(changed.rowCount).toBe(0);
    await expect(line.query(event, [other])).rejects.toMatchObject({ code: '42501' });
  });
});
