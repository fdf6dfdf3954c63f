import pg from 'pg';
import { errorCode, StartupError } from './startup-error.js';

/** `server_version_num` of the oldest PostgreSQL that the suite runs on. */
const OLDEST = 150_000;

/**
 * One plain connection in UTC, for migrations and checks. Throws a StartupError that says why there is none, without the
 * password of the URL in it. The caller ends it.
 */
export async function connect(url: string, applicationName = 'touchstone'): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    options: '-c TimeZone=UTC',
  });
  // A connection that breaks makes its next statement fail; without a listener it ends the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    throw explain(error, url);
  }
  await requireSupported(client);
  return client;
}

async function requireSupported(client: pg.Client): Promise<void> {
  const { rows } = await client.query("select current_setting('server_version_num')::int as number");
  if (Number(rows[0]?.number) < OLDEST) {
    await client.end();
    throw new StartupError(
      `PostgreSQL ${Math.floor(Number(rows[0]?.number) / 10_000)} is too old.`,
      'Use PostgreSQL 15 or newer, or unset DATABASE_URL to use the embedded one.',
    );
  }
}

const REASONS: Record<string, [reason: string, hint: string]> = {
  ECONNREFUSED: ['nothing listens there', 'Start PostgreSQL, or correct DATABASE_URL.'],
  ENOTFOUND: ['the host is not known', 'Correct the host in DATABASE_URL.'],
  EAI_AGAIN: ['the host cannot be looked up now', 'Check name resolution, or correct DATABASE_URL.'],
  '28P01': ['the password is wrong', 'Correct the user and password in DATABASE_URL.'],
  '28000': [
    'this login is not let in',
    'Correct the user in DATABASE_URL, or the pg_hba.conf of the server.',
  ],
  '3D000': ['there is no such database', 'Create it (createdb), or correct the database in DATABASE_URL.'],
  '53300': ['it has no connection left', 'Raise its max_connections, or close other clients.'],
};

function explain(error: unknown, url: string): unknown {
  const [reason, hint] = REASONS[errorCode(error) ?? ''] ?? [
    error instanceof Error ? error.message : String(error),
    'Correct DATABASE_URL, or unset it to use the embedded PostgreSQL.',
  ];
  const { host, pathname } = new URL(url);
  return new StartupError(`Cannot connect to PostgreSQL at ${host}${pathname}: ${reason}.`, hint, {
    cause: error,
  });
}
