import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { chooseAccount } from './postgres/account.js';
import { type Cluster, ensureCluster } from './postgres/cluster.js';
import { bundledInstallation, type Installation } from './postgres/installation.js';
import { lastPort, readPostmaster } from './postgres/pid-file.js';
import { ensureDataDir, placeForPrograms, reachablePlace, recordedPlace } from './postgres/place.js';
import {
  type PostmasterOptions,
  type Settings,
  startPostmaster,
  stopPostmaster,
} from './postgres/postmaster.js';
import { adminUrl, enterTenancy, type Tenancy } from './postgres/tenancy.js';
import { errorCode, explainFileError, StartupError } from './startup-error.js';

/** The database that Touchstone uses in an embedded cluster. */
const DATABASE = 'touchstone';

const SETTINGS: Settings = {
  shared_buffers: '256MB',
  max_connections: '100',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  // Claims are short and many; hot tables must be cleaned long before a minute has passed.
  autovacuum_naptime: '5s',
  autovacuum_vacuum_cost_delay: '1ms',
  // An analyst's query must not take every core from the claims; it also spares the 64 MB of /dev/shm in containers.
  max_parallel_workers_per_gather: '0',
  jit: 'off',
  random_page_cost: '1.1',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // A violated constraint's detail holds the whole row: answers have no place in a log.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
};

export interface EmbeddedPostgres {
  /** A superuser's connection to Touchstone's database. */
  readonly adminUrl: string;
  /** Where data/, the password and the log are. */
  readonly directory: string;
  /** Stops using it; the server itself stops when no other process uses it. */
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  readonly dataDir: string;
  /** Added to, and winning over, our own. */
  readonly settings?: Settings;
  /** Default: the one that npm brought. */
  readonly installation?: Installation;
}

/** How long a server that others start or stop may keep us waiting. */
const PATIENCE_MS = 60_000;
const POLL_MS = 50;

type Server = Omit<PostmasterOptions, 'port'>;

/**
 * Gives the caller the embedded PostgreSQL of a data directory: the one that runs there already (of another command, or
 * left behind by a process that was killed), or a new one, made at the first use. Throws a StartupError that says what
 * is in the way.
 */
export async function ensureEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const server = await prepare(options);
  const occupancy = new Occupancy(server, await enter(server));
  const port = occupancy.port;
  await ensureDatabase(server.cluster, port);
  return {
    adminUrl: adminUrl(server.cluster, port, DATABASE),
    directory: server.cluster.directory,
    stop: () => occupancy.end(),
  };
}

async function prepare(options: EmbeddedPostgresOptions): Promise<Server> {
  if (process.platform === 'win32') {
    throw new StartupError(
      'The embedded PostgreSQL does not run on Windows.',
      'Use WSL, or set DATABASE_URL.',
    );
  }
  try {
    return await prepareFiles(options);
  } catch (error) {
    throw explainFileError(error, options.dataDir);
  }
}

async function prepareFiles(options: EmbeddedPostgresOptions): Promise<Server> {
  ensureDataDir(options.dataDir);
  const account = chooseAccount([join(recordedPlace(options.dataDir), 'postgres'), options.dataDir]);
  const place = reachablePlace(options.dataDir, account);
  const installation = options.installation ?? bundledInstallation(account, placeForPrograms(place, account));
  const settings = { ...SETTINGS, ...options.settings };
  const cluster = await ensureCluster({ place, installation, account, durable: settings.fsync !== 'off' });
  return { cluster, installation, account, settings };
}

/** One process's stay in a server. A server that restarts after a crash is entered again, so that it counts us in. */
class Occupancy {
  private ending = false;
  private entering: Promise<void> = Promise.resolve();

  constructor(
    private readonly server: Server,
    private tenancy: Tenancy,
  ) {
    this.watch();
  }

  get port(): number {
    return this.tenancy.port;
  }

  async end(): Promise<void> {
    this.ending = true;
    await this.entering;
    const last = await this.tenancy.leave().catch(() => false);
    if (last) {
      await stopPostmaster(this.server.cluster.data);
    }
    await this.tenancy.close();
  }

  private watch(): void {
    this.tenancy.onLost(() => {
      // A failure shows in every statement of the process soon enough.
      this.entering = this.reenter().catch(() => undefined);
    });
  }

  private async reenter(): Promise<void> {
    if (!this.ending) {
      this.tenancy = await enter(this.server);
      this.watch();
    }
  }
}

/** Enters the server of the cluster, and starts it when it is not running. */
async function enter(server: Server): Promise<Tenancy> {
  const { data, log } = server.cluster;
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    const running = readPostmaster(data);
    if (running === null) {
      await start(server);
    } else if (running.status === 'ready') {
      const tenancy = await enterTenancy(server.cluster, running.port);
      if (tenancy !== null) {
        return tenancy;
      }
    }
    await delay(readPostmaster(data)?.status === 'ready' ? 0 : POLL_MS);
  }
  throw new StartupError(
    `The PostgreSQL of ${data} is there, but has taken no connection for ${PATIENCE_MS / 1000} s.`,
    `See ${log}; if it says that it is recovering, try again later.`,
  );
}

/** Whatever comes of it, the caller looks again at what is running. */
async function start(server: Server): Promise<void> {
  await startPostmaster({ ...server, port: await choosePort(server.cluster) });
}

/** The port of the last time when it is free, so that what was connected to it finds it again; else any free one. */
async function choosePort({ data }: Cluster): Promise<number> {
  return (await freePort(lastPort(data))) || (await freePort(0));
}

/** `wanted` (0: any) when nobody listens there, else 0. */
function freePort(wanted: number): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(0));
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}

async function ensureDatabase(cluster: Cluster, port: number): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl(cluster, port, 'postgres') });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [DATABASE]);
    if (rowCount === 0) {
      await client.query(`create database ${DATABASE}`);
    }
  } catch (error) {
    // Two commands that are the first at once: one of them made it.
    if (!['42P04', '23505'].includes(errorCode(error) ?? '')) {
      throw error;
    }
  } finally {
    await client.end();
  }
}
