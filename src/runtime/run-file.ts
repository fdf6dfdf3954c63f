import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const RunFile = z.object({ url: z.url({ protocol: /^https?$/ }), pid: z.int().positive() });

/** What a running server leaves in its data directory, so that commands beside it find it. */
export type RunFile = z.infer<typeof RunFile>;

/** A server that is alive answers within this time, however busy the machine. */
const HEALTH_MS = 3_000;

/**
 * Says where this process listens. Written under another name and renamed: nobody reads half of it. Where another
 * server of the data directory is alive, its word stands: commands need one server, and it was there first.
 */
export async function writeRunFile(dataDir: string, url: string): Promise<void> {
  const other = await runningServer(dataDir);
  // Who answers where we listen is ourselves: a server that was killed there left its number.
  if (other !== null && other.url !== url) {
    return;
  }
  const content: RunFile = { url, pid: process.pid };
  const staging = `${pathOf(dataDir)}.${process.pid}`;
  writeFileSync(staging, `${JSON.stringify(content)}\n`);
  renameSync(staging, pathOf(dataDir));
}

/** Takes it back, unless it is another server's. */
export function removeRunFile(dataDir: string): void {
  if (readRunFile(dataDir)?.pid === process.pid) {
    rmSync(pathOf(dataDir), { force: true });
  }
}

/**
 * The server of a data directory, if it is alive. Its process number alone proves nothing: after a kill the system may
 * have given it to somebody else.
 */
export async function runningServer(dataDir: string): Promise<RunFile | null> {
  const run = readRunFile(dataDir);
  if (run === null) {
    return null;
  }
  try {
    const health = await fetch(new URL('/healthz', run.url), { signal: AbortSignal.timeout(HEALTH_MS) });
    await health.body?.cancel();
    return health.ok ? run : null;
  } catch {
    return null;
  }
}

/** Null where there is none, or it is not what a server writes. */
function readRunFile(dataDir: string): RunFile | null {
  try {
    return RunFile.parse(JSON.parse(readFileSync(pathOf(dataDir), 'utf8')));
  } catch {
    return null;
  }
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'run.json');
}
