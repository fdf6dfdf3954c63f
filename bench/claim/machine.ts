import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { connect } from '../../src/runtime/connect.js';
import { ensureEmbeddedPostgres } from '../../src/runtime/embedded-postgres.js';
import { migrate } from '../../src/runtime/migrate.js';
import { readPostmaster } from '../../src/runtime/postgres/pid-file.js';

/** The server that everything of a run is measured on: ours and the anchors. */
export interface Machine {
  /** A superuser's connection URL to a database of that name. */
  urlOf(database: string): string;
  /** CPU that the server's processes have used so far, those that have ended included. */
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Durable as in production; only the memory is larger than what `npm start` takes. */
const SETTINGS = {
  shared_buffers: '1GB',
  max_connections: '200',
  fsync: 'on',
  synchronous_commit: 'on',
  max_wal_size: '4GB',
  shared_preload_libraries: 'pg_stat_statements',
  // On for the connections that count buffers alone: counting costs CPU, and more of it where statements are nested.
  'pg_stat_statements.track': 'none',
};

/** Name of the migrated, empty database that worlds are made from. */
export const TEMPLATE = 'touchstone';

export async function startMachine(): Promise<Machine> {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-'));
  chmodSync(dataDir, 0o755);
  const server = await ensureEmbeddedPostgres({ dataDir, settings: SETTINGS });
  const machine: Machine = {
    urlOf(database) {
      const url = new URL(server.adminUrl);
      url.pathname = `/${database}`;
      return url.href;
    },
    cpuSeconds: () => cpuSeconds(readPostmaster(join(server.directory, 'data'))?.pid ?? 0),
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  try {
    await migrate({ url: server.adminUrl });
    await run(server.adminUrl, 'create extension pg_stat_statements');
  } catch (error) {
    await machine.stop();
    throw error;
  }
  return machine;
}

/** Runs statements on a connection of their own, as a superuser. */
export async function run(url: string, statements: string): Promise<void> {
  const client = await connect(url, 'touchstone bench');
  try {
    await client.query(statements);
  } finally {
    await client.end();
  }
}

/** Runs `work` with a superuser's connection. */
export async function withAdmin<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url, 'touchstone bench');
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A connection as requests have it (row-level security applies), on which every statement is counted, nested ones too. */
export async function connectCounted(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'touchstone bench',
    options: '-c pg_stat_statements.track=all -c role=touchstone_app -c TimeZone=UTC',
  });
  await client.connect();
  return client;
}

/** A connection that acts in a role of the product from its first statement on. */
export async function connectAs(
  url: string,
  role: 'touchstone_line' | 'touchstone_system',
): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'touchstone bench',
    options: `-c role=${role} -c TimeZone=UTC`,
  });
  await client.connect();
  return client;
}

const TICKS_A_SECOND = 100;

/** The postmaster, the children that it has waited for, and those that run. */
function cpuSeconds(postmaster: number): number {
  const [own, ended] = ticksOf(postmaster);
  const children = readFileSync(`/proc/${postmaster}/task/${postmaster}/children`, 'utf8').trim().split(' ');
  const running = children.map((pid) => ticksOf(Number(pid))[0]);
  return (own + ended + running.reduce((a, b) => a + b, 0)) / TICKS_A_SECOND;
}

/** What a process has used, and what its ended children have; nothing where it has just ended itself. */
function ticksOf(pid: number): [own: number, ended: number] {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number);
    return [(user ?? 0) + (system ?? 0), (childUser ?? 0) + (childSystem ?? 0)];
  } catch {
    return [0, 0];
  }
}
