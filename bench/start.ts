import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstUrl } from './support/first-url.js';

// How long `npm start` takes to its first answer: on a new data directory, and again on the same one.
// Prints a table and, last, one line of JSON: firstStartSeconds, laterStartSeconds (median of three).

const LATER_STARTS = 3;

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-'));
  try {
    const first = await startAndStop(dataDir);
    const later: number[] = [];
    for (let n = 0; n < LATER_STARTS; n++) {
      later.push(await startAndStop(dataDir));
    }
    later.sort((a, b) => a - b);
    const median = later[Math.floor(later.length / 2)] ?? Number.NaN;
    console.log(`first start   ${first.toFixed(2)} s   (bar: 10)`);
    console.log(`later starts  ${later.map((s) => s.toFixed(2)).join('  ')} s   (bar: 4)`);
    console.log(JSON.stringify({ firstStartSeconds: round(first), laterStartSeconds: round(median) }));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function startAndStop(dataDir: string): Promise<number> {
  const began = performance.now();
  const server = spawn('npm', ['start', '--', '--port', '0'], {
    env: { ...process.env, TOUCHSTONE_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  const url = await firstUrl(server);
  const answer = await fetch(new URL('/readyz', url));
  if (!answer.ok) {
    throw new Error(`/readyz answered ${answer.status}`);
  }
  const seconds = (performance.now() - began) / 1000;
  const ended = new Promise((resolve) => server.once('exit', resolve));
  process.kill(-(server.pid ?? 0), 'SIGINT');
  await ended;
  return seconds;
}

function round(n: number): number {
  return Math.round(n * 100) / 100;
}

await main();
