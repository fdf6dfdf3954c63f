import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { migrate, migrationStatus, requireMigrated } from '../../src/runtime/migrate.js';
import { MIGRATIONS, readMigrations } from '../../src/runtime/migration-files.js';
import { StartupError } from '../../src/runtime/startup-error.js';
import { cloneTemplate, dropDatabase } from '../support/db.js';
import { admin, urlOf } from '../support/postgres-server.js';
import { scratchDirectory } from './scratch.js';

test('migrations are applied in the order of their names, once', async () => {
  const url = await emptyDatabase();
  const directory = migrations({
    '20260102000000_second': 'insert into notes values (2)',
    '20260101000000_first': 'create table notes (note int); insert into notes values (1)',
  });
  expect(await migrate({ url, directory })).toEqual(['20260101000000_first', '20260102000000_second']);
  expect(await migrate({ url, directory })).toEqual([]);
  expect(await column(url, 'select note from notes order by note')).toEqual([1, 2]);
});

test('each is applied in UTC, whatever the zone of the database', async () => {
  const url = await emptyDatabase();
  const client = await connect(url);
  await client.query(
    `do $$ begin execute format('alter database %I set timezone = %L', current_database(), 'Asia/Tokyo'); end $$`,
  );
  await client.end();
  const hour = `extract(hour from (date '2026-01-01' + interval '1 day')::timestamptz at time zone 'UTC')::int`;
  await migrate({
    url,
    directory: migrations({ '20260101000000_days': `create table days as select ${hour} as hour` }),
  });
  expect(await column(url, 'select hour from days')).toEqual([0]);
});

test('each is recorded as Prisma would, with the digest of its file', async () => {
  const url = await emptyDatabase();
  const directory = migrations({ '20260101000000_first': 'select 1' });
  await migrate({ url, directory });
  const file = readFileSync(join(directory, '20260101000000_first', 'migration.sql'));
  expect(
    await column(
      url,
      `select row_to_json(r) from (
         select migration_name, checksum, applied_steps_count, finished_at is not null as finished, rolled_back_at, logs
         from _prisma_migrations) r`,
    ),
  ).toEqual([
    {
      migration_name: '20260101000000_first',
      checksum: createHash('sha256').update(file).digest('hex'),
      applied_steps_count: 1,
      finished: true,
      rolled_back_at: null,
      logs: null,
    },
  ]);
});

test('four runners at once apply each migration once between them', async () => {
  const url = await emptyDatabase();
  const names = Array.from({ length: 6 }, (_, index) => `2026010${index + 1}000000_step`);
  const directory = migrations(
    Object.fromEntries(
      names.map((name, index) => [
        name,
        index === 0 ? 'create table steps (n int)' : `insert into steps values (${index})`,
      ]),
    ),
  );
  const runs = await Promise.all(Array.from({ length: 4 }, () => migrate({ url, directory })));
  expect(runs.flat().sort()).toEqual(names);
  expect(await column(url, 'select n from steps order by n')).toEqual([1, 2, 3, 4, 5]);
});

test('one that fails leaves nothing behind, and the line of its fault is named', async () => {
  const url = await emptyDatabase();
  const directory = migrations({
    '20260101000000_good': 'create table good ()',
    '20260102000000_bad': 'create table half ();\n\nselect * from nowhere;',
  });
  await expect(migrate({ url, directory })).rejects.toThrow(
    /20260102000000_bad failed in line 3: .*"nowhere"/,
  );
  expect(await column(url, "select to_regclass('half')::text")).toEqual([null]);
  expect(await migrationStatus({ url, directory })).toEqual([
    { name: '20260101000000_good', state: 'applied' },
    { name: '20260102000000_bad', state: 'pending' },
  ]);
});

test('a migration may change its role without losing its record', async () => {
  const url = await emptyDatabase();
  const directory = migrations({ '20260101000000_role': 'set local role pg_monitor; select 1' });
  expect(await migrate({ url, directory })).toEqual(['20260101000000_role']);
});

test('a file that was edited after it was applied is refused', async () => {
  const url = await emptyDatabase();
  await migrate({ url, directory: migrations({ '20260101000000_first': 'select 1' }) });
  const edited = migrations({ '20260101000000_first': 'select 2' });
  await expect(migrate({ url, directory: edited })).rejects.toThrow(/20260101000000_first has been edited/);
});

test('a database that is newer than the code is refused, and nothing is applied to it', async () => {
  const url = await emptyDatabase();
  await migrate({
    url,
    directory: migrations({ '20260101000000_first': 'select 1', '20260301000000_later': 'select 3' }),
  });
  const older = migrations({
    '20260101000000_first': 'select 1',
    '20260201000000_mine': 'create table mine ()',
  });
  const error = await migrate({ url, directory: older }).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(StartupError);
  expect(String(error)).toMatch(/newer than this version of Touchstone.*20260301000000_later/);
  expect(await column(url, "select to_regclass('mine')::text")).toEqual([null]);
});

test('one that Prisma began and did not finish is refused', async () => {
  const url = await emptyDatabase();
  const directory = migrations({ '20260101000000_first': 'select 1' });
  await migrate({ url, directory });
  await admin(url, 'update _prisma_migrations set finished_at = null');
  await expect(migrate({ url, directory })).rejects.toThrow(/did not finish/);
});

test('a process that may not migrate says what is lacking', async () => {
  const url = await emptyDatabase();
  const directory = migrations({ '20260101000000_first': 'select 1' });
  await expect(requireMigrated({ url, directory })).rejects.toThrow(
    /lacks 1 migration.*20260101000000_first/,
  );
  await migrate({ url, directory });
  await requireMigrated({ url, directory });
});

test('our own migrations are in sequence, and applied they agree with their files', async () => {
  const names = readMigrations(MIGRATIONS).map(({ name }) => name);
  for (const name of names) {
    expect(name).toMatch(/^\d{14}_[a-z0-9_]+$/);
  }
  expect(new Set(names.map((name) => name.slice(0, 14))).size).toBe(names.length);
  const url = await cloneTemplate();
  onTestFinished(() => dropDatabase(url));
  expect((await migrationStatus({ url })).filter(({ state }) => state !== 'applied')).toEqual([]);
});

test('two databases of one server can be migrated at the same moment', async () => {
  const urls = await Promise.all([emptyDatabase(), emptyDatabase()]);
  const applied = await Promise.all(urls.map((url) => migrate({ url })));
  expect(applied[0]).toEqual(applied[1]);
});

async function emptyDatabase(): Promise<string> {
  const name = `${inject('template').replace(/template$/, '')}${randomBytes(6).toString('hex')}`;
  await admin(inject('adminUrl'), `create database ${name}`);
  const url = urlOf(inject('adminUrl'), name);
  onTestFinished(() => dropDatabase(url));
  return url;
}

function migrations(files: Record<string, string>): string {
  const directory = scratchDirectory();
  for (const [name, sql] of Object.entries(files)) {
    mkdirSync(join(directory, name));
    writeFileSync(join(directory, name, 'migration.sql'), sql);
  }
  return directory;
}

async function column(url: string, query: string): Promise<unknown[]> {
  const client = await connect(url);
  try {
    const { rows } = await client.query({ text: query, rowMode: 'array' });
    return rows.map(([value]) => value);
  } finally {
    await client.end();
  }
}
