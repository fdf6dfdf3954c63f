import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What a running server leaves in its data directory, so that commands beside it find it. */
export interface RunFile {
  readonly url: string;
  readonly pid: number;
}

/** Says where this process listens. Written under another name and renamed: nobody reads half of it. */
export function writeRunFile(dataDir: string, url: string): void {
  const content: RunFile = { url, pid: process.pid };
  const staging = `${pathOf(dataDir)}.${process.pid}`;
  writeFileSync(staging, `${JSON.stringify(content)}\n`);
  renameSync(staging, pathOf(dataDir));
}

/** Takes it back, unless another server has written its own in the meantime. */
export function removeRunFile(dataDir: string): void {
  if (readRunFile(dataDir)?.pid === process.pid) {
    rmSync(pathOf(dataDir), { force: true });
  }
}

/** The server of a data directory as it last said; null when none did. It may have been killed since. */
export function readRunFile(dataDir: string): RunFile | null {
  try {
    return JSON.parse(readFileSync(pathOf(dataDir), 'utf8')) as RunFile;
  } catch {
    return null;
  }
}

function pathOf(dataDir: string): string {
  return join(dataDir, 'run.json');
}
