// What the scripts share: running programs, and handing counts to .ci/run.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The program of an installed package, run by this Node and not through a shell. */
export const tool = (path, ...args) => [process.execPath, `${ROOT}node_modules/${path}`, ...args];

/** Runs a program with our terminal; answers with its exit code (1 for a signal). */
export async function run([command, ...args], { env = {}, cwd = ROOT, stdio = 'inherit' } = {}) {
  const child = spawn(command, args, { cwd, stdio, env: { ...process.env, ...env } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Runs a program and hands on what it says, line by line; answers with its exit code (1 for a signal). */
export async function runTold([command, ...args], tell, { env = {}, cwd = ROOT } = {}) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', tell);
  }
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Runs a program and keeps what it says. */
export async function capture([command, ...args], { env = {}, cwd = ROOT } = {}) {
  const child = spawn(command, args, {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      output += chunk;
    });
  }
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? 1));
  });
  return { code, output };
}

/** Whether the path has a program of this name. */
export function isInstalled(program) {
  return spawnSync('sh', ['-c', `command -v ${program}`], { stdio: 'ignore' }).status === 0;
}

/** Leaves the counts where .ci/run asks for them. */
export function reportCounts({ passed, failed }) {
  if (process.env.TOUCHSTONE_COUNTS) {
    writeFileSync(process.env.TOUCHSTONE_COUNTS, `${passed} ${failed}\n`);
  }
}

/** Leaves what failed where .ci/run asks for it, to be said again at the very end. */
export function reportFailures(failures) {
  if (process.env.TOUCHSTONE_FAILURES) {
    appendFileSync(
      process.env.TOUCHSTONE_FAILURES,
      failures.map((failure) => `FAILED ${failure}\n`).join(''),
    );
  }
}
