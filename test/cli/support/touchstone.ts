import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** How a command of `npx touchstone` ended. */
export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command as its user does, in a process of its own. */
export async function touchstone(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const child = spawn(process.execPath, ['bin/touchstone.mjs', ...args], {
    cwd: ROOT,
    env: { ...process.env, REDIS_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'close');
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await ended) as [number | null];
  return { code, stdout, stderr };
}

/** A server process that can be killed and started again on the same port. */
export interface ServerProcess {
  readonly url: string;
  /** Kills it as a power cut does, and starts another in its place. */
  replace(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server on any free port; it keeps that port over its lives. */
export async function startServerProcess(env: NodeJS.ProcessEnv): Promise<ServerProcess> {
  let { child, url } = await spawnServer({ ...env, PORT: '0' });
  const { port } = new URL(url);
  return {
    get url() {
      return url;
    },
    async replace() {
      await kill(child);
      ({ child, url } = await spawnServer({ ...env, PORT: port }));
    },
    stop: () => kill(child),
  };
}

async function spawnServer(env: NodeJS.ProcessEnv): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/cli/support/server.ts'], {
    cwd: ROOT,
    env: { ...process.env, REDIS_URL: '', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [url] = (await Promise.race([
    once(lines, 'line'),
    once(child, 'exit').then(([code]) => {
      throw new Error(`The server ended with ${code} before it listened.`);
    }),
  ])) as [string];
  return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
  const gone = once(child, 'exit');
  child.kill('SIGKILL');
  await gone;
}
