import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from '../../src/runtime/connect.js';
import { type EmbeddedPostgres, ensureEmbeddedPostgres } from '../../src/runtime/embedded-postgres.js';
import { migrate } from '../../src/runtime/migrate.js';
import type { Installation } from '../../src/runtime/postgres/installation.js';
import { isAlive, readPostmaster } from '../../src/runtime/postgres/pid-file.js';
import { leftInMemory } from './memory.js';

/** Databases and directories of a run carry its process id, so that a later run can tell the leftovers of dead ones. */
const DIRECTORY = /^touchstone-test-(\d+)$/;
const DATABASE = /^touchstone_test_(\d+)_/;

/** Nothing of it has to outlive the run, so nothing is flushed. */
const SETTINGS = {
  fsync: 'off',
  full_page_writes: 'off',
  wal_level: 'minimal',
  // It may be in memory.
  max_wal_size: '512MB',
  max_wal_senders: '0',
  shared_buffers: '128MB',
  max_connections: '300',
};

export interface TestPostgres {
  readonly adminUrl: string;
  readonly template: string;
  stop(): Promise<void>;
}

/**
 * The PostgreSQL of this run: TEST_DATABASE_URL (a superuser's), else Debian's of TEST_POSTGRES (a major version), else
 * the embedded one in a temporary directory; with one migrated database to clone.
 */
export async function startTestPostgres(): Promise<TestPostgres> {
  removeLeftoverServers(tmpdir());
  for (const left of leftInMemory()) {
    removeLeftoverServers(left);
    rmSync(left, { recursive: true, force: true, maxRetries: 5 });
  }
  const server = await startServer();
  await dropLeftoverDatabases(server.adminUrl);
  const template = `touchstone_test_${process.pid}_template`;
  await makeTemplate(server.adminUrl, template);
  return { ...server, template };
}

async function startServer(): Promise<Omit<TestPostgres, 'template'>> {
  const url = process.env.TEST_DATABASE_URL;
  if (url) {
    return { adminUrl: url, stop: () => dropLeftoverDatabases(url, process.pid) };
  }
  const dataDir = join(tmpdir(), `touchstone-test-${process.pid}`);
  mkdirSync(dataDir);
  chmodSync(dataDir, 0o755);
  const major = process.env.TEST_POSTGRES;
  const embedded = await ensureEmbeddedPostgres({
    dataDir,
    settings: SETTINGS,
    ...(major ? { installation: debianInstallation(major) } : {}),
  });
  await askNobody(embedded);
  return {
    adminUrl: embedded.adminUrl,
    async stop() {
      await embedded.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/**
 * Passwords take nearly half of what connecting takes, and test files connect by the thousand. Servers that ask are looked at in
 * test/runtime, which starts its own.
 */
async function askNobody({ adminUrl, directory }: EmbeddedPostgres): Promise<void> {
  writeFileSync(join(directory, 'data', 'pg_hba.conf'), 'host all all 127.0.0.1/32 trust\n');
  await admin(adminUrl, 'select pg_reload_conf()');
}

function debianInstallation(major: string): Installation {
  const bin = `/usr/lib/postgresql/${major}/bin`;
  if (!existsSync(bin)) {
    throw new Error(
      `PostgreSQL ${major} is not installed. Run: apt-get update && apt-get install -y postgresql-${major}`,
    );
  }
  return { bin, version: major, major: Number(major) };
}

async function makeTemplate(adminUrl: string, template: string): Promise<void> {
  await admin(adminUrl, `create database ${template}`);
  const url = urlOf(adminUrl, template);
  await migrate({ url });
  await admin(url, CERTAINTY);
  await admin(adminUrl, `alter database ${template} allow_connections false`);
}

/**
 * Production's clock is `now()`; in tests a row moves it for everything that asks. And where production decides between
 * near equals at random, tests take the first, unless they put chance back.
 */
const CERTAINTY = `
  create table app.test_clock (shift interval not null);
  insert into app.test_clock values ('0');
  grant select on app.test_clock to public;
  create or replace function app.clock_now() returns timestamptz language sql stable parallel safe
    as $$ select date_trunc('milliseconds', now()) + (select shift from app.test_clock) $$;
  create or replace function app.chance() returns double precision language sql volatile as $$ select 0.0::double precision $$;
`;

/** Runs statements on a connection of their own. */
export async function admin(url: string, statements: string): Promise<void> {
  const client = await connect(url, 'touchstone test');
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

/** The same server and login, another database. */
export function urlOf(adminUrl: string, database: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function dropLeftoverDatabases(adminUrl: string, also?: number): Promise<void> {
  const client = await connect(adminUrl, 'touchstone test');
  try {
    const { rows } = await client.query<{ datname: string }>('select datname from pg_database');
    for (const { datname } of rows) {
      const pid = Number(DATABASE.exec(datname)?.[1]);
      if (pid > 0 && (pid === also || !isAlive(pid))) {
        await client.query(`drop database if exists "${datname}" with (force)`);
      }
    }
  } finally {
    await client.end();
  }
}

function removeLeftoverServers(within: string): void {
  for (const name of readdirSync(within)) {
    const pid = Number(DIRECTORY.exec(name)?.[1]);
    if (pid > 0 && (pid === process.pid || !isAlive(pid))) {
      const directory = join(within, name);
      const postmaster = readPostmaster(join(directory, 'postgres', 'data'));
      if (postmaster !== null) {
        process.kill(postmaster.pid, 'SIGQUIT');
      }
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    }
  }
}
