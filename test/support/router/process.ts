import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A router that is a process of its own; see serve.ts. */
export interface TestRouter {
  readonly url: string;
  readonly pid: number;
  /** Decides what it does with the next requests. @returns what it was asked so far */
  behave(how: object): Promise<{ requests: number; connections: number }>;
  /** By SIGKILL. */
  stop(): Promise<void>;
}

/** Starts a router over the grid, or over an extract of OpenStreetMap. */
export async function startTestRouter(map = 'grid'): Promise<TestRouter> {
  const file = fileURLToPath(new URL('serve.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, map], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await firstLine(child);
  return {
    url,
    pid: child.pid ?? 0,
    async behave(how) {
      const answer = await fetch(`${url}/behave`, { method: 'POST', body: JSON.stringify(how) });
      return (await answer.json()) as { requests: number; connections: number };
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const ended = once(child, 'exit');
        child.kill('SIGKILL');
        await ended;
      }
    },
  };
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    child.stdout?.once('data', (chunk: Buffer) => resolve(chunk.toString().trim()));
    child.once('exit', (code) => reject(new Error(`The router ended with ${code} before it listened.`)));
  });
}
