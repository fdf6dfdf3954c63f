import { expect, test } from 'vitest';
import { readHealth } from '../../src/services/platform/upkeep.js';
import { useTestDb } from '../support/db.js';

const t = useTestDb();

/** Tables whose rows change and that the defaults of autovacuum are right for: they change by hand, or hardly at all. */
const COLD: Readonly<Record<string, string>> = {
  conflicts: 'made and taken away by hand',
  identities: 'a display name, now and then',
  identity_roles: 'roles are taken away by hand',
  pauses: 'made and taken away by hand',
};

test('every table whose rows change says when it is vacuumed', async () => {
  const { rows } = await t.admin.query<{ name: string; options: string[] | null }>(`
    select c.relname::text as name, c.reloptions as options from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and not c.relispartition
      and c.relname <> '_prisma_migrations'
      and exists (select from unnest(array['touchstone_app', 'touchstone_system']) r
                  where has_table_privilege(r, c.oid, 'delete') or has_any_column_privilege(r, c.oid, 'update'))
    order by 1`);
  const silent = rows.filter(
    ({ options }) => !(options ?? []).some((option) => option.startsWith('autovacuum_vacuum_')),
  );
  expect(silent.map(({ name }) => name).filter((name) => !(name in COLD))).toEqual([]);
});

test('no statement of a request or job runs for ever, and none leaves a transaction open', async () => {
  const read = async (pool: typeof t.database.appPool) => {
    const { rows } = await pool.query(
      "select current_setting('statement_timeout') as statement, current_setting('idle_in_transaction_session_timeout') as idle, current_role as role",
    );
    return rows[0];
  };
  expect(await read(t.database.appPool)).toEqual({ statement: '30s', idle: '10s', role: 'touchstone_app' });
  expect(await read(t.database.systemPool)).toEqual({
    statement: '1min',
    idle: '30s',
    role: 'touchstone_system',
  });
});

test('an old snapshot is seen, and so is what it keeps from being vacuumed', async () => {
  const before = await readHealth(t.database);
  expect(before.ages.transactions).toBeGreaterThan(0);
  expect(before.deadRows.map(({ table }) => table)).toEqual(
    expect.arrayContaining(['assignments', 'answers', 'ready']),
  );
  const blocker = await t.database.systemPool.connect();
  try {
    await blocker.query('begin isolation level repeatable read');
    await blocker.query('select count(*) from tasks');
    await expect
      .poll(() => readHealth(t.database).then(({ ages }) => ages.snapshotSeconds))
      .toBeGreaterThan(0.2);
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
});
