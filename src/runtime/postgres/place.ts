import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { errorCode, explainFileError, StartupError } from '../startup-error.js';
import { type Account, canEnter } from './account.js';

/** Survives a reboot, which the temporary directory may not. */
const SYSTEM_BASE = '/var/lib/touchstone';
const RECORD = 'postgres-location';

/** Makes the data directory where it is missing. Throws a StartupError when it cannot be written to. */
export function ensureDataDir(dataDir: string): void {
  try {
    makeDirectories(dataDir);
    if (!statSync(dataDir).isDirectory()) {
      throw Object.assign(new Error('not a directory'), { code: 'ENOTDIR' });
    }
    accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw explainFileError(error, dataDir);
  }
}

/** Node's own `recursive` tries for ever where a file system refuses new directories with ENOENT (/proc). */
function makeDirectories(path: string): void {
  if (existsSync(path)) {
    return;
  }
  makeDirectories(dirname(path));
  try {
    mkdirSync(path);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw error; // somebody else may have made it just now
    }
  }
}

/**
 * The directory that holds the cluster: the data directory, or, where the account cannot get into that (a clone under
 * /root), one elsewhere whose path is recorded in the data directory's file `postgres-location`.
 */
export function reachablePlace(dataDir: string, account: Account | null): string {
  const recorded = recordedPlace(dataDir);
  if (recorded !== dataDir) {
    return recorded;
  }
  if (canEnter(account, dataDir)) {
    return dataDir;
  }
  if (existsSync(join(dataDir, 'postgres'))) {
    throw new StartupError(
      `User ${account?.name ?? ''} can no longer reach the database in ${dataDir}.`,
      'Give others the right to pass (chmod o+x) on that directory and those above it.',
    );
  }
  return recordPlace(dataDir, newPlace(account));
}

/** The recorded place, or the data directory itself where nothing is recorded. */
export function recordedPlace(dataDir: string): string {
  const record = join(dataDir, RECORD);
  if (!existsSync(record)) {
    return dataDir;
  }
  const place = readFileSync(record, 'utf8').trim();
  if (!existsSync(place)) {
    throw new StartupError(
      `The database of this data directory is in ${place}, which is gone.`,
      `Bring it back, or remove ${record} to begin with an empty database.`,
    );
  }
  return place;
}

function newPlace(account: Account | null): string {
  for (const make of [systemPlace, () => mkdtempSync(join(tmpdir(), 'touchstone-data-'))]) {
    try {
      const place = make();
      chmodSync(place, 0o711);
      if (canEnter(account, place)) {
        return place;
      }
    } catch (error) {
      if (!['EACCES', 'EROFS', 'ENOSPC', 'ENOENT', 'EPERM'].includes(errorCode(error) ?? '')) {
        throw error;
      }
    }
  }
  throw new StartupError(
    `PostgreSQL would run as user ${account?.name ?? ''}, who can reach no directory of ours.`,
    'Name a data directory that this user can reach with TOUCHSTONE_DATA_DIR, or set DATABASE_URL.',
  );
}

function systemPlace(): string {
  return mkdtempSync(join(systemBase(), 'data-'));
}

/** Where copies of programs go: for root one place for all data directories, for others the data directory. */
export function placeForPrograms(place: string, account: Account | null): string {
  if (account === null) {
    return place;
  }
  try {
    accessSync(systemBase(), constants.W_OK);
    return SYSTEM_BASE;
  } catch {
    return place;
  }
}

function systemBase(): string {
  mkdirSync(SYSTEM_BASE, { recursive: true, mode: 0o711 });
  return SYSTEM_BASE;
}

/** Of two processes that arrive here at once the first to write wins, and both use its place. */
function recordPlace(dataDir: string, place: string): string {
  try {
    writeFileSync(join(dataDir, RECORD), `${place}\n`, { flag: 'wx' });
    return place;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      return recordedPlace(dataDir);
    }
    throw explainFileError(error, dataDir);
  }
}
