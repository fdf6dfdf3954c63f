import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive } from '../../src/runtime/postgres/pid-file.js';

const MEMORY = '/dev/shm';
/** Directories of a run carry its process id, so that a later run can tell the leftovers of dead ones. */
const DIRECTORY = /^touchstone-run-(\d+)$/;
/** What a run writes at most at one time, several times over: containers often have 64 MB of it. */
const ROOM_BYTES = 4 * 1024 ** 3;

/**
 * Temporary files of this run, of its database above all, are in memory where there is room: nothing of them has to outlive the run,
 * and a disk takes ten times as long for the thousand files of a database that is cloned. Removed by what is returned.
 */
export function inMemory(): () => void {
  if (!isRoomy()) {
    return () => undefined;
  }
  const directory = join(MEMORY, `touchstone-run-${process.pid}`);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory);
  // For everybody, as it is in /tmp: PostgreSQL does not run as root.
  chmodSync(directory, 0o1777);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  return () => {
    if (before === undefined) {
      delete process.env.TMPDIR;
    } else {
      process.env.TMPDIR = before;
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  };
}

/** What runs left in memory that are no more. */
export function leftInMemory(memory = MEMORY): string[] {
  try {
    return readdirSync(memory)
      .filter((name) => {
        const pid = Number(DIRECTORY.exec(name)?.[1]);
        return pid > 0 && pid !== process.pid && !isAlive(pid);
      })
      .map((name) => join(memory, name));
  } catch {
    return [];
  }
}

/** Programs must be allowed to run there: servers of tests that start their own are copied beside their data. */
function isRoomy(): boolean {
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    const mount = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === MEMORY);
    return mount !== undefined && !/\bnoexec\b/.test(mount) && bavail * bsize >= ROOM_BYTES;
  } catch {
    return false;
  }
}
