import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const TOUCHSTONE = fileURLToPath(new URL('../../bin/touchstone.mjs', import.meta.url));

type Variables = Readonly<Record<string, string>>;

/** Runs a command to its end, with no more of our environment than it needs. */
export async function touchstone(args: readonly string[], env: Variables) {
  const child = start(args, env);
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ]);
  return { stdout, stderr, code: code as number | null };
}

export interface Served {
  readonly process: ChildProcess;
  readonly url: string;
  /** What it has printed so far. */
  output(): string;
  /** Ctrl-C; answers with the exit code. */
  interrupt(): Promise<number | null>;
}

/** Starts a server on a data directory and any port, and waits until it says that it is ready. */
export async function serve(dataDir: string, { seed = false } = {}): Promise<Served> {
  const args = ['serve', '--port', '0', ...(seed ? [] : ['--empty'])];
  const child = start(args, { TOUCHSTONE_DATA_DIR: dataDir, LOG_LEVEL: 'error' });
  onTestFinished(() => void child.kill('SIGKILL'));
  let printed = '';
  child.stderr.on('data', (chunk: Buffer) => {
    printed += chunk;
  });
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk;
      if (printed.includes('Ctrl-C')) {
        resolve();
      }
    });
    child.once('exit', () => reject(new Error(`It did not start:\n${printed}`)));
  });
  return {
    process: child,
    url: /(http:\S+)\/graphql/.exec(printed)?.[1] ?? '',
    output: () => printed,
    async interrupt() {
      const ended = once(child, 'exit');
      child.kill('SIGINT');
      const [code] = await ended;
      return code;
    },
  };
}

function start(args: readonly string[], env: Variables) {
  return spawn(process.execPath, [TOUCHSTONE, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
  });
}
