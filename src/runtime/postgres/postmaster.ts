import { spawn } from 'node:child_process';
import {
  closeSync,
  constants,
  fchownSync,
  fstatSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { StartupError } from '../startup-error.js';
import { type Account, asAccount } from './account.js';
import type { Cluster } from './cluster.js';
import type { Installation } from './installation.js';
import { disownRecycledPidFile, isAlive, readPostmaster } from './pid-file.js';

/** Server parameters by name, as in postgresql.conf. */
export type Settings = Readonly<Record<string, string>>;

export interface PostmasterOptions {
  readonly cluster: Cluster;
  readonly installation: Installation;
  readonly account: Account | null;
  readonly settings: Settings;
  readonly port: number;
}

/** What became of an attempt to start. */
export type StartResult =
  | 'ready'
  /** Another process started one on this cluster first. */
  | 'taken'
  | 'port in use'
  /** Processes of a postmaster that was killed have not all ended yet. */
  | 'still in use';

const POLL_MS = 20;
/** The log is set aside when it is larger than this at a start; one old one is kept. */
const LOG_BYTES_MAX = 10 * 1024 * 1024;
/** A fast shutdown writes a checkpoint, which on a slow disk takes its time. */
const SHUTDOWN_MS = 60_000;

/**
 * Starts a postmaster in a session of its own, so that neither Ctrl-C on the terminal nor the death of this process
 * reaches it, and waits until it takes connections. Recovery after an unclean shutdown may take minutes and is waited for.
 */
export async function startPostmaster(options: PostmasterOptions): Promise<StartResult> {
  const { cluster, installation } = options;
  disownRecycledPidFile(cluster.data);
  const log = openLog(cluster, options.account);
  const logStart = fstatSync(log).size;
  const child = spawn(join(installation.bin, 'postgres'), argumentsOf(options), {
    ...asAccount(options.account),
    cwd: '/',
    detached: true,
    stdio: ['ignore', log, log],
    env: { LC_ALL: 'C', TZ: 'UTC' },
  });
  closeSync(log);
  let ended: Error | boolean = false;
  child.once('exit', () => {
    ended = true;
  });
  child.once('error', (error) => {
    ended = error;
  });
  while (ended === false) {
    const postmaster = readPostmaster(cluster.data);
    if (postmaster?.pid === child.pid && postmaster?.status === 'ready') {
      child.unref();
      return 'ready';
    }
    await delay(POLL_MS);
  }
  return explainEnd(cluster, logStart, ended);
}

function argumentsOf({ cluster, settings, port }: PostmasterOptions): string[] {
  const all = {
    ...settings,
    listen_addresses: '127.0.0.1',
    port: String(port),
    // Everybody comes by TCP; a socket directory would be one more place that the account must reach.
    unix_socket_directories: '',
  };
  return ['-D', cluster.data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}

function openLog(cluster: Cluster, account: Account | null): number {
  if ((statSync(cluster.log, { throwIfNoEntry: false })?.size ?? 0) > LOG_BYTES_MAX) {
    renameSync(cluster.log, `${cluster.log}.old`);
  }
  // The directory belongs to the account: as root, follow no link that it may have put there.
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_RDWR } = constants;
  const log = openSync(cluster.log, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600);
  if (account !== null) {
    fchownSync(log, account.uid, account.gid);
  }
  return log;
}

function explainEnd(cluster: Cluster, logStart: number, ended: Error | true): StartResult {
  const output = ended === true ? readFileSync(cluster.log).subarray(logStart).toString() : String(ended);
  if (/lock file "postmaster\.pid" (already exists|is empty)/.test(output)) {
    return 'taken';
  }
  if (/Address already in use|could not create any TCP\/IP sockets/.test(output)) {
    return 'port in use';
  }
  if (/pre-existing shared memory block/.test(output)) {
    return 'still in use';
  }
  const reason =
    /(FATAL|PANIC): .*/.exec(output)?.[0] ?? output.trim().split('\n').at(-1) ?? 'no reason given';
  const full = reason.includes('No space left on device');
  throw new StartupError(
    `The embedded PostgreSQL did not start: ${reason}`,
    full
      ? `Free some space on the disk of ${cluster.directory}.`
      : `See ${cluster.log}, or set DATABASE_URL.`,
  );
}

/** Stops a postmaster after it has ended its sessions and written a checkpoint; answers when it is gone. */
export async function stopPostmaster(data: string): Promise<void> {
  const pid = readPostmaster(data)?.pid;
  if (pid === undefined) {
    return;
  }
  process.kill(pid, 'SIGINT');
  const rounds = SHUTDOWN_MS / POLL_MS;
  for (let round = 0; round < rounds; round += 1) {
    if (!isAlive(pid) || readPostmaster(data)?.pid !== pid) {
      return;
    }
    await delay(POLL_MS);
  }
  throw new StartupError(
    `The embedded PostgreSQL (process ${pid}) did not stop within ${SHUTDOWN_MS / 1000} s.`,
    `Look at its log beside ${data}; \`kill -QUIT ${pid}\` ends it at once, and it recovers at its next start.`,
  );
}
