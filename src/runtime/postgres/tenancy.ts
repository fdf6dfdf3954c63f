import { existsSync, realpathSync } from 'node:fs';
import pg from 'pg';
import { errorCode, StartupError } from '../startup-error.js';
import { type Cluster, SUPERUSER } from './cluster.js';

/**
 * A process that uses an embedded PostgreSQL says so for as long as it lives by a shared advisory lock on a connection
 * of its own. Whoever leaves last stops the server. A process that dies loses its connection, and with it the lock, so
 * nothing ever has to be cleaned up.
 */
export interface Tenancy {
  readonly port: number;
  /** Called when the server went away; not after {@link Tenancy.leave}. */
  onLost(listener: () => void): void;
  /** Gives up the tenancy. True when nobody else is left; the server then lets no other process in until it stops. */
  leave(): Promise<boolean>;
  /** Closes the connection. */
  close(): Promise<void>;
}

/** An arbitrary number; advisory locks belong to one database, so all of us meet in `postgres`. */
const LOCK = 7_046_021;

/** The server is coming up, going down, or has just closed the connection: worth another look. */
const PASSING = ['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** Enters the server on `port`; null when it is just coming up or going down, or belongs to another cluster. */
export async function enterTenancy(cluster: Cluster, port: number): Promise<Tenancy | null> {
  const client = new pg.Client({
    connectionString: adminUrl(cluster, port, 'postgres'),
    application_name: 'touchstone tenancy',
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
  });
  const lost = new LostSignal(client);
  try {
    await client.connect();
    const { rows } = await client.query('show data_directory');
    if (!isSameDirectory(String(rows[0]?.data_directory), cluster.data)) {
      await client.end();
      return null;
    }
    await client.query('select pg_advisory_lock_shared($1)', [LOCK]);
    return tenancy(client, lost, port);
  } catch (error) {
    await client.end().catch(() => undefined);
    if (PASSING.includes(errorCode(error) ?? '') || /Connection terminated|timeout/.test(String(error))) {
      return null;
    }
    throw explain(error, cluster, port);
  }
}

/** Ours may have been started by way of a symbolic link. */
function isSameDirectory(one: string, other: string): boolean {
  return existsSync(one) && realpathSync(one) === realpathSync(other);
}

function tenancy(client: pg.Client, lost: LostSignal, port: number): Tenancy {
  return {
    port,
    onLost: (listener) => lost.listen(listener),
    async leave() {
      lost.ignore();
      // Giving up first makes two that leave at once safe: the second to do so finds no shared lock but its own gone.
      await client.query('select pg_advisory_unlock_shared($1)', [LOCK]);
      const { rows } = await client.query('select pg_try_advisory_lock($1) as last', [LOCK]);
      return rows[0]?.last === true;
    },
    async close() {
      lost.ignore();
      await client.end().catch(() => undefined);
    },
  };
}

/** The end of a connection, once, unless it was we who ended it. */
class LostSignal {
  private listener: (() => void) | undefined;
  private done = false;

  constructor(client: pg.Client) {
    client.on('error', () => undefined);
    client.on('end', () => this.fire());
  }

  listen(listener: () => void): void {
    this.listener = listener;
  }

  ignore(): void {
    this.done = true;
  }

  private fire(): void {
    if (!this.done) {
      this.done = true;
      this.listener?.();
    }
  }
}

/** The superuser's connection URL to one database of a cluster. */
export function adminUrl(cluster: Cluster, port: number, database: string): string {
  return `postgres://${SUPERUSER}:${cluster.password}@127.0.0.1:${port}/${database}`;
}

function explain(error: unknown, cluster: Cluster, port: number): unknown {
  if (errorCode(error) === '28P01') {
    return new StartupError(
      `The PostgreSQL on port ${port} refuses the password in ${cluster.directory}/password.`,
      'Put the right password there, or move the directory away to begin with an empty database.',
      { cause: error },
    );
  }
  return error;
}
