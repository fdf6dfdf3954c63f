import { execFileSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, realpathSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { errorCode } from '../startup-error.js';

/** What a running postmaster tells about itself in postmaster.pid. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: 'starting' | 'ready' | 'stopping';
}

/** Reads postmaster.pid; null when there is none, or when the process it names is no PostgreSQL of this directory. */
export function readPostmaster(data: string): Postmaster | null {
  const lines = readLines(join(data, 'postmaster.pid'));
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0 || !isAlive(pid) || !isPostmasterOf(pid, data)) {
    return null;
  }
  const status = (lines[7] ?? '').trim();
  return {
    pid,
    port: Number(lines[3] ?? 0),
    status: status === 'ready' || status === 'stopping' ? status : 'starting',
  };
}

/** No system hands out a process id this large. */
const NOBODY = '2147483647';

/**
 * Makes a postmaster.pid name nobody when its process id has since been given to another program, or is that of a
 * process that ended and was never waited for (a container without an init). PostgreSQL itself copes with a dead id, but
 * takes any living one of the same user for a postmaster and refuses to start. The file is changed, not removed, because
 * PostgreSQL also checks its shared memory segment, and in place, so that a file that was meanwhile made anew is spared.
 */
export function disownRecycledPidFile(data: string): void {
  let file: number;
  try {
    file = openSync(join(data, 'postmaster.pid'), 'r+');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return;
    }
    throw error;
  }
  try {
    const text = readFileSync(file, 'utf8');
    const pid = Number.parseInt(text, 10);
    if (pid > 0 && isAlive(pid) && !isPostmasterOf(pid, data)) {
      writeSync(file, text.replace(/^\d+/, NOBODY), 0);
    }
  } finally {
    closeSync(file);
  }
}

/** The port of the postmaster that ran last, as it noted its own command line; 0 when none did. */
export function lastPort(data: string): number {
  const [line = ''] = readLines(join(data, 'postmaster.opts'));
  return Number(/"port=(\d+)"/.exec(line)?.[1] ?? 0);
}

/** Whether a process of this id exists, whoever's it is. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return [];
    }
    throw error;
  }
}

/** True also when it cannot be told: taking a stranger for ours only costs a message, the reverse two postmasters. */
function isPostmasterOf(pid: number, data: string): boolean {
  const command = commandOf(pid);
  if (command === null) {
    return true;
  }
  if (!/(^|\/)postgres(\0|\s|$)/.test(command)) {
    return false;
  }
  const given = /\0-D\0([^\0]+)/.exec(command)?.[1];
  return given === undefined || !existsSync(given) || realpathSync(given) === realpathSync(data);
}

/** The command line, its parts ended by NUL where the system tells them apart. */
function commandOf(pid: number): string | null {
  try {
    if (process.platform === 'linux') {
      // Empty for a process that ended and was not waited for: that is nobody's postmaster.
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
    }
    return execFileSync('ps', ['-p', String(pid), '-o', 'command='], { encoding: 'utf8' });
  } catch {
    return null;
  }
}
