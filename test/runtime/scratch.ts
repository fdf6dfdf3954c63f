import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { readPostmaster } from '../../src/runtime/postgres/pid-file.js';

/** An empty directory that everybody may enter, removed when the test is over, with the server in it if one is left. */
export function scratchDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'touchstone-scratch-'));
  chmodSync(directory, 0o755);
  onTestFinished(() => {
    const left = postmasterOf(directory);
    if (left !== null) {
      process.kill(left, 'SIGQUIT');
    }
    rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
  });
  return directory;
}

/** The process id of the PostgreSQL that runs in a data directory; null when none does. */
export function postmasterOf(dataDir: string): number | null {
  return readPostmaster(join(dataDir, 'postgres', 'data'))?.pid ?? null;
}

/** The user id that a process runs as (Linux). */
export function userOf(pid: number): number {
  return Number(/^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
}
