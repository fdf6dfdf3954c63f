import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { connect } from './connect.js';
import { MIGRATIONS, type MigrationFile, readMigrations } from './migration-files.js';
import { StartupError } from './startup-error.js';

/** Prisma's own lock, so that `prisma migrate deploy` and this never run at the same time. */
const ADVISORY_LOCK = 72_707_369;

/** Prisma's own table, column by column, so that its `migrate status` and `deploy` agree with what is done here. */
const CREATE_TABLE = `
create table if not exists _prisma_migrations (
  id varchar(36) primary key not null,
  checksum varchar(64) not null,
  finished_at timestamptz,
  migration_name varchar(255) not null,
  logs text,
  rolled_back_at timestamptz,
  started_at timestamptz not null default now(),
  applied_steps_count integer not null default 0
)`;

export interface MigrateOptions {
  /** A login that may create roles, or whose database already has them and that is a member of touchstone_owner. */
  readonly url: string;
  /** Default: this version's own. */
  readonly directory?: string;
}

export interface MigrationStatus {
  readonly name: string;
  /**
   * `changed`: the file is not what was applied. `unknown`: applied by a newer version than this. `failed`: Prisma began
   * it and did not finish.
   */
  readonly state: 'applied' | 'pending' | 'changed' | 'unknown' | 'failed';
}

/**
 * Applies what is pending, in order, each migration in a transaction of its own together with its record. Safe to run
 * on several nodes at once. Throws a StartupError when the database does not agree with this code, or a migration fails.
 * @returns the names of what it applied
 */
export async function migrate({ url, directory = MIGRATIONS }: MigrateOptions): Promise<string[]> {
  const files = readMigrations(directory);
  const client = await connect(url, 'touchstone migrate');
  try {
    const status = await readStatus(client, files);
    requireAgreement(status);
    const applied: string[] = [];
    for (const { name } of status.filter(({ state }) => state === 'pending')) {
      const file = files.find((candidate) => candidate.name === name);
      if (file !== undefined && (await apply(client, file))) {
        applied.push(name);
      }
    }
    return applied;
  } finally {
    await client.end();
  }
}

/** What is applied and what is not; changes nothing. */
export async function migrationStatus({
  url,
  directory = MIGRATIONS,
}: MigrateOptions): Promise<MigrationStatus[]> {
  const client = await connect(url, 'touchstone migrate');
  try {
    return await readStatus(client, readMigrations(directory));
  } finally {
    await client.end();
  }
}

/** Throws a StartupError unless exactly this version's migrations are applied. For processes that may not migrate. */
export async function requireMigrated(options: MigrateOptions): Promise<void> {
  const status = await migrationStatus(options);
  requireAgreement(status);
  const pending = status.filter(({ state }) => state === 'pending');
  if (pending.length > 0) {
    throw new StartupError(
      `The database lacks ${pending.length} migration(s), the first of them ${pending[0]?.name}.`,
      'Run `npx touchstone migrate`.',
    );
  }
}

interface Recorded {
  readonly migration_name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

async function readStatus(client: pg.Client, files: readonly MigrationFile[]): Promise<MigrationStatus[]> {
  const recorded = await readRecorded(client);
  const known = files.map(({ name, checksum }) => {
    const record = recorded.find((candidate) => candidate.migration_name === name);
    return { name, state: record === undefined ? ('pending' as const) : stateOf(record, checksum) };
  });
  const unknown = recorded
    .filter((record) => !files.some((file) => file.name === record.migration_name))
    .map((record) => ({ name: record.migration_name, state: 'unknown' as const }));
  return [...known, ...unknown].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function stateOf(record: Recorded, checksum: string): MigrationStatus['state'] {
  if (!record.finished) {
    return 'failed';
  }
  return record.checksum === checksum ? 'applied' : 'changed';
}

async function readRecorded(client: pg.Client): Promise<Recorded[]> {
  const { rows } = await client.query("select to_regclass('_prisma_migrations') is not null as there");
  if (rows[0]?.there !== true) {
    return [];
  }
  const recorded = await client.query<Recorded>(
    `select migration_name, checksum, finished_at is not null as finished
     from _prisma_migrations
     where rolled_back_at is null
     order by migration_name`,
  );
  return recorded.rows;
}

function requireAgreement(status: readonly MigrationStatus[]): void {
  const first = (state: MigrationStatus['state']) =>
    status.find((migration) => migration.state === state)?.name;
  const unknown = first('unknown');
  if (unknown !== undefined) {
    throw new StartupError(
      `The database is newer than this version of Touchstone: it has the migration ${unknown}, which is not known here.`,
      'Run the version that made it or a newer one, or point DATABASE_URL or TOUCHSTONE_DATA_DIR at another database.',
    );
  }
  const changed = first('changed');
  if (changed !== undefined) {
    throw new StartupError(
      `The migration ${changed} has been edited since it was applied to this database.`,
      'Restore its file from version control; put the change into a migration of its own.',
    );
  }
  const failed = first('failed');
  if (failed !== undefined) {
    throw new StartupError(
      `The migration ${failed} was begun by another tool and did not finish.`,
      'Repair the database, then mark it with `prisma migrate resolve`.',
    );
  }
}

/** Roles belong to the server and not to a database: migrations of two databases at once may both be changing one. */
const TRIES = 10;

/** False when another runner has applied it in the meantime. */
async function apply(client: pg.Client, file: MigrationFile): Promise<boolean> {
  for (let left = TRIES - 1; ; left--) {
    try {
      return await applyOnce(client, file);
    } catch (error) {
      if (left === 0 || !isOfRolesAtOnce(error)) {
        throw explainFailure(error, file);
      }
    }
  }
}

/** Nobody waits for the other with grants of roles: the second is told so, and its transaction is undone. */
const isOfRolesAtOnce = (error: unknown): boolean =>
  error instanceof pg.DatabaseError &&
  error.code === 'XX000' &&
  error.message === 'tuple concurrently updated';

async function applyOnce(client: pg.Client, file: MigrationFile): Promise<boolean> {
  await client.query('begin');
  try {
    // Held until commit, so it is also right behind a pooler that gives each transaction another session.
    await client.query(`select pg_advisory_xact_lock(${ADVISORY_LOCK})`);
    await client.query(CREATE_TABLE);
    const recorded = await readRecorded(client);
    if (recorded.some(({ migration_name }) => migration_name === file.name)) {
      await client.query('rollback');
      return false;
    }
    // The record comes first, while we still are the login: the migration changes role for the rest of the transaction.
    await client.query(
      `insert into _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
       values ($1, $2, $3, clock_timestamp(), clock_timestamp(), 1)`,
      [randomUUID(), file.checksum, file.name],
    );
    await client.query(file.sql);
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}

function explainFailure(error: unknown, file: MigrationFile): unknown {
  if (!(error instanceof pg.DatabaseError)) {
    return error;
  }
  const line = error.position === undefined ? '' : ` in line ${lineAt(file.sql, Number(error.position))}`;
  const hint =
    error.hint ??
    'The database is as it was before. Correct the cause and run `npx touchstone migrate` again.';
  return new StartupError(`The migration ${file.name} failed${line}: ${error.message}`, hint, {
    cause: error,
  });
}

function lineAt(sql: string, position: number): number {
  return sql.slice(0, position - 1).split('\n').length;
}
