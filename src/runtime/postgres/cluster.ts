import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errorCode, explainFileError, StartupError } from '../startup-error.js';
import { type Account, asAccount } from './account.js';
import type { Installation } from './installation.js';
import { isAlive } from './pid-file.js';

/** The superuser that initdb makes; only this process and those that can read the password file log in as it. */
export const SUPERUSER = 'touchstone';

/** A database cluster on disk. */
export interface Cluster {
  /** Holds data/, password and log. */
  readonly directory: string;
  readonly data: string;
  readonly log: string;
  readonly password: string;
}

export interface ClusterOptions {
  readonly place: string;
  readonly installation: Installation;
  readonly account: Account | null;
  /** False where the whole server runs without flushing: in tests. */
  readonly durable: boolean;
}

/** Opens the cluster in `place`/postgres, and makes it first where there is none. */
export async function ensureCluster(options: ClusterOptions): Promise<Cluster> {
  const directory = join(options.place, 'postgres');
  if (!existsSync(directory)) {
    await create(directory, options);
  }
  const cluster = open(directory);
  requireMajor(cluster, options.installation);
  return cluster;
}

function open(directory: string): Cluster {
  try {
    return {
      directory,
      data: join(directory, 'data'),
      log: join(directory, 'log'),
      password: readFileSync(join(directory, 'password'), 'utf8').trim(),
    };
  } catch (error) {
    if (['EACCES', 'EPERM'].includes(errorCode(error) ?? '')) {
      throw new StartupError(
        `The database in ${directory} belongs to another user.`,
        'Run as the user who made it (or as root), or name another directory with TOUCHSTONE_DATA_DIR.',
        { cause: error },
      );
    }
    throw new StartupError(
      `${directory} is not a database of Touchstone's: its password file cannot be read.`,
      'Move it away to begin with an empty database, or name another directory with TOUCHSTONE_DATA_DIR.',
      { cause: error },
    );
  }
}

function requireMajor(cluster: Cluster, installation: Installation): void {
  const found = readFileSync(join(cluster.data, 'PG_VERSION'), 'utf8').trim();
  if (found !== String(installation.major)) {
    throw new StartupError(
      `The database in ${cluster.directory} was made by PostgreSQL ${found}; this version brings ${installation.major}.`,
      'Move its contents over with pg_dump and pg_restore, or use the version of Touchstone that made it.',
    );
  }
}

/** Makes the cluster under a temporary name and renames it: an interrupted initdb leaves nothing that looks whole. */
async function create(directory: string, options: ClusterOptions): Promise<void> {
  removeLeftovers(directory);
  const staging = `${directory}.init-${process.pid}-${randomBytes(4).toString('hex')}`;
  try {
    mkdirSync(staging, { mode: 0o700 });
    writePassword(staging, options.account);
    await initdb(staging, options);
    renameSync(staging, directory);
  } catch (error) {
    rmSync(staging, { recursive: true, force: true });
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) {
      throw explainFileError(error, dirname(directory));
    }
    // Another process was faster; its cluster is whole, because a rename is.
  }
}

function writePassword(staging: string, account: Account | null): void {
  const file = join(staging, 'password');
  writeFileSync(file, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
  if (account !== null) {
    chownSync(staging, account.uid, account.gid);
    chownSync(file, account.uid, account.gid);
  }
}

async function initdb(staging: string, { installation, account, durable }: ClusterOptions): Promise<void> {
  const data = join(staging, 'data');
  const run = (args: string[]) =>
    promisify(execFile)(join(installation.bin, 'initdb'), ['--pgdata', data, ...args], {
      ...asAccount(account),
      cwd: '/',
      // Without a zone, initdb compares every zone file of the system with the local clock.
      env: { LC_ALL: 'C', TZ: 'UTC' },
    });
  try {
    await run([
      ...['--username', SUPERUSER, '--pwfile', join(staging, 'password'), '--auth', 'scram-sha-256'],
      ...[
        '--encoding',
        'UTF8',
        ...localeOf(installation),
        '--data-checksums',
        '--no-sync',
        '--no-instructions',
      ],
    ]);
    if (durable) {
      // One flush at the end instead of one a file.
      await run(['--sync-only']);
    }
  } catch (error) {
    throw explainInitdb(error, staging);
  }
}

/** The same code point order everywhere; from 17 on without asking the operating system's locales. */
function localeOf(installation: Installation): string[] {
  return installation.major >= 17
    ? ['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8']
    : ['--locale', 'C.UTF-8'];
}

function explainInitdb(error: unknown, staging: string): unknown {
  const output = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
  if (output.includes('No space left on device')) {
    return explainFileError(Object.assign(new Error(output), { code: 'ENOSPC' }), dirname(staging));
  }
  if (output.includes('could not look up effective user ID')) {
    return new StartupError(
      `PostgreSQL needs a named user, and user id ${process.getuid?.()} has no entry in /etc/passwd.`,
      'Run as a user who has one, or set DATABASE_URL.',
    );
  }
  const line = output.split('\n').find((candidate) => /error:|fatal:/i.test(candidate)) ?? String(error);
  return new StartupError(
    `The embedded database could not be made: ${line.trim()}`,
    'Correct that, or set DATABASE_URL to a PostgreSQL of your own.',
    { cause: error },
  );
}

/** What an initdb that was killed has left. */
function removeLeftovers(directory: string): void {
  const parent = dirname(directory);
  for (const name of readdirSync(parent)) {
    const pid = /^postgres\.init-(\d+)-/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) {
      rmSync(join(parent, name), { recursive: true, force: true });
    }
  }
}
