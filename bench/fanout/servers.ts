import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadDevelopmentKey, mintDevelopmentToken } from '../../src/services/access/development-key.js';
import { firstUrl } from '../support/first-url.js';
import { cpuSecondsOf, rssMbOf } from '../support/process.js';
import type { WatchedWorld } from './world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A server process that is measured. */
export interface MeasuredServer {
  readonly url: string;
  cpuSeconds(): number;
  rssMb(): number;
  /** Open sockets, by its metrics. */
  sockets(): Promise<number>;
  stop(): Promise<void>;
}

/** Ours, and tokens of its operators. BENCH_PROFILE names a directory for a CPU profile. */
export async function startOurs(
  world: WatchedWorld,
): Promise<MeasuredServer & { tokens(): Promise<string[]> }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-node-'));
  const key = await loadDevelopmentKey(dataDir);
  const profile = process.env.BENCH_PROFILE;
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const server = await startProcess(
    [...flags, join(ROOT, 'bin/touchstone.mjs'), 'serve', '--port', '0', '--empty'],
    {
      DATABASE_URL: world.url,
      TOUCHSTONE_DATA_DIR: dataDir,
      LOG_LEVEL: 'warn',
    },
  );
  return {
    ...server,
    tokens: () =>
      Promise.all(
        world.operators.map((subject) =>
          mintDevelopmentToken(key, { subject, tenantSlug: world.slug, role: 'OPERATOR' }),
        ),
      ),
    async stop() {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** One of those beside ours: `yoga` or `bare`. */
export function startRival(name: 'yoga' | 'bare', topics: number): Promise<MeasuredServer> {
  return startProcess(['--import', 'tsx', join(ROOT, `bench/fanout/rival-${name}.ts`)], {
    TOPICS: String(topics),
  });
}

/** A node process with these arguments, once it has printed its address. */
export async function startProcess(args: readonly string[], env: NodeJS.ProcessEnv): Promise<MeasuredServer> {
  const server: ChildProcess = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const end = () => void server.kill();
  process.once('exit', end);
  const url = await firstUrl(server);
  const pid = server.pid ?? 0;
  return {
    url,
    cpuSeconds: () => cpuSecondsOf(pid),
    rssMb: () => rssMbOf(pid),
    async sockets() {
      const metrics = await (await fetch(`${url}/metrics`)).text();
      return Number(/^touchstone_sockets (\d+)$/m.exec(metrics)?.[1]);
    },
    async stop() {
      process.off('exit', end);
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
    },
  };
}
