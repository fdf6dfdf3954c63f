import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { startTestRedis } from '../../test/support/redis-server.js';
import { startTestRouter, type TestRouter } from '../../test/support/router/process.js';
import type { Machine } from '../claim/machine.js';
import { type MeasuredServer, startProcess } from '../fanout/servers.js';
import { cpuSecondsOf } from '../support/process.js';
import { BOUNDS } from './world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const ID_KEY = 'the key of the bench';

/** What fixes and decisions run through: each a process of its own, as in production. */
export interface Processes {
  readonly machine: Machine;
  readonly dataDir: string;
  readonly redis: Redis;
  readonly router: TestRouter;
  /** Takes fixes. */
  readonly ingest: MeasuredServer;
  /** Decides. */
  readonly serve: MeasuredServer;
  /** CPU that each has used so far, in seconds. */
  cpu(): Readonly<Record<'ingest' | 'serve' | 'database' | 'router', number>>;
  stop(): Promise<void>;
}

/** Starts them on a database of the machine. BENCH_PROFILE names a directory for CPU profiles. */
export async function startProcesses(machine: Machine, database: string): Promise<Processes> {
  const redisServer = await startTestRedis();
  if (redisServer === null) {
    throw new Error('There is no redis-server on the path.');
  }
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-dispatch-'));
  const ends: (() => Promise<unknown>)[] = [
    async () => rmSync(dataDir, { recursive: true, force: true }),
    () => redisServer.stop(),
  ];
  const stop = async () => {
    for (const end of ends.splice(0).reverse()) {
      await end();
    }
  };
  try {
    const redis = new Redis(redisServer.url);
    ends.push(async () => redis.disconnect());
    const router = await startTestRouter();
    ends.push(() => router.stop());
    const env = {
      DATABASE_URL: machine.urlOf(database),
      REDIS_URL: redisServer.url,
      OSRM_URL: router.url,
      MAP_BOUNDS: BOUNDS,
      TOUCHSTONE_DATA_DIR: dataDir,
      TOUCHSTONE_ID_KEY: ID_KEY,
      LOG_LEVEL: 'warn',
    };
    const start = (name: string, ...args: string[]) =>
      startProcess([...profiled(name), join(ROOT, 'bin/touchstone.mjs'), ...args, '--port', '0'], env);
    const ingest = await start('ingest', 'ingest');
    ends.push(() => ingest.stop());
    const serve = await start('serve', 'serve', '--empty');
    ends.push(() => serve.stop());
    return {
      machine,
      dataDir,
      redis,
      router,
      ingest,
      serve,
      cpu: () => ({
        ingest: ingest.cpuSeconds(),
        serve: serve.cpuSeconds(),
        database: machine.cpuSeconds(),
        router: cpuSecondsOf(router.pid),
      }),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function profiled(name: string): string[] {
  const directory = process.env.BENCH_PROFILE;
  return directory === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${join(directory, name)}`];
}
