import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';

const COMMAND = 'apt-get update && apt-get install -y redis-server';

export interface TestRedis {
  readonly url: string;
  stop(): Promise<void>;
}

/** The Redis of this run: REDIS_URL, or a `redis-server` of the path on a free port; null where there is neither. */
export async function startTestRedis(): Promise<TestRedis | null> {
  if (process.env.REDIS_URL) {
    return { url: process.env.REDIS_URL, stop: async () => undefined };
  }
  const port = await freePort();
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'],
    {
      stdio: 'ignore',
      detached: true,
    },
  );
  const missing = await Promise.race([
    once(server, 'spawn').then(() => false),
    once(server, 'error').then(() => true),
  ]).catch(() => true);
  if (missing) {
    reportMissing();
    return null;
  }
  const url = `redis://127.0.0.1:${port}`;
  await waitUntilReady(url);
  return { url, stop: () => stop(server) };
}

function reportMissing(): void {
  const message = `there is no redis-server on the path. Run: ${COMMAND} (or set REDIS_URL)`;
  if (process.env.CI === 'true') {
    throw new Error(`In CI nothing may be skipped, and ${message}`);
  }
  console.warn(`Suites that need Redis are skipped: ${message}`);
}

async function waitUntilReady(url: string): Promise<void> {
  const client = new Redis(url, { retryStrategy: () => 20, maxRetriesPerRequest: 250, lazyConnect: false });
  client.on('error', () => undefined);
  await client.ping();
  client.disconnect();
}

async function stop(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit');
  server.kill('SIGTERM');
  await Promise.race([ended, delay(5_000, undefined, { ref: false }).then(() => server.kill('SIGKILL'))]);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0));
    });
  });
}
