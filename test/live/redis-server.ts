import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { Redis } from 'ioredis';

/** A Redis of a test's own, which it may kill and start again on the same port. */
export interface OwnRedis {
  readonly url: string;
  start(): Promise<void>;
  /** By SIGKILL: no farewell to anybody. */
  kill(): Promise<void>;
  /** Cuts every client that listens. */
  killListeners(): Promise<void>;
  /** Forgets everything that is stored. */
  flush(): Promise<void>;
}

export async function ownRedis(): Promise<OwnRedis> {
  let server: ChildProcess | null = null;
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const asked = async (work: (client: Redis) => Promise<unknown>) => {
    const client = new Redis(url, { retryStrategy: () => 10, maxRetriesPerRequest: null });
    client.on('error', () => undefined);
    await work(client);
    client.disconnect();
  };
  const own: OwnRedis = {
    url,
    async start() {
      server = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', ''], {
        stdio: 'ignore',
      });
      await asked((client) => client.ping());
    },
    async kill() {
      if (server !== null && server.exitCode === null) {
        const ended = once(server, 'exit');
        server.kill('SIGKILL');
        await ended;
      }
      server = null;
    },
    killListeners: () => asked((client) => client.call('CLIENT', 'KILL', 'TYPE', 'pubsub')),
    flush: () => asked((client) => client.flushall()),
  };
  await own.start();
  return own;
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}
