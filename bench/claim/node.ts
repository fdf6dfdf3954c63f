import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadDevelopmentKey, mintDevelopmentToken } from '../../src/services/access/development-key.js';
import { firstUrl } from '../support/first-url.js';
import type { LoadOrder, LoadResult, LoadTask } from './load.js';
import type { ExpertRef, World } from './world.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The real server process on a world's database, and what calls it from outside. */
export interface ServerNode {
  readonly url: string;
  /** CPU that the process has used so far, its children included. */
  cpuSeconds(): number;
  rssMb(): number;
  /** Has a process of its own put load on the node. With `keep` its connections stay until the node is stopped. */
  load(experts: readonly ExpertRef[], task: LoadTask, keep?: boolean): Promise<LoadResult>;
  stop(): Promise<void>;
}

export async function startNode(world: World): Promise<ServerNode> {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-node-'));
  const key = await loadDevelopmentKey(dataDir);
  const server = spawn(
    process.execPath,
    [join(ROOT, 'bin/touchstone.mjs'), 'serve', '--port', '0', '--empty'],
    {
      cwd: ROOT,
      env: { ...process.env, DATABASE_URL: world.url, TOUCHSTONE_DATA_DIR: dataDir, LOG_LEVEL: 'fatal' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const end = () => void server.kill();
  process.once('exit', end);
  const url = await firstUrl(server);
  const pid = server.pid ?? 0;
  const loads: ChildProcess[] = [];
  const tokenOf = ({ subject }: ExpertRef) =>
    mintDevelopmentToken(key, { subject, tenantSlug: world.slug, role: 'EXPERT' });
  return {
    url,
    cpuSeconds: () => cpuTicks(pid) / 100,
    rssMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
    async load(experts, task, keep = false) {
      const tokens = await Promise.all(experts.map(tokenOf));
      const child = fork(join(ROOT, 'bench/claim/load.ts'), { execArgv: ['--import', 'tsx'], cwd: ROOT });
      loads.push(child);
      const answered = Promise.race([
        once(child, 'message').then(([result]) => result as LoadResult),
        once(child, 'exit').then(([code]) => Promise.reject(new Error(`The load ended with ${code}.`))),
      ]);
      child.send({ url, tokens, task } satisfies LoadOrder);
      const result = await answered;
      if (!keep) {
        child.kill();
      }
      return result;
    },
    async stop() {
      for (const child of loads) {
        child.kill();
      }
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      process.off('exit', end);
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Of the process and the children it has or had (100 ticks a second). */
function cpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const own = fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0);
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean),
  );
  return children.reduce((total, child) => total + cpuTicks(Number(child)), own);
}
