import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { loadDevelopmentKey, mintDevelopmentToken } from '../src/services/access/development-key.js';
import { createIdCodec } from '../src/services/platform/ids.js';
import { startTestRedis } from '../test/support/redis-server.js';
import { run, startMachine, TEMPLATE } from './claim/machine.js';
import { openSockets, type Reporter, reportByPost, reportBySocket, type Sent } from './dispatch/crowd.js';
import { type FieldWorld, makeFieldWorld } from './dispatch/world.js';
import { type MeasuredServer, startProcess } from './fanout/servers.js';

// Fixes: a crowd of workers, a fifth with sockets of their own at one fix a second, the rest by posts of five every twenty seconds,
// into one ingest process. What is taken, what is lost, what a fix costs Node and Redis. The crowd lives in this process.
// Prints a table, and last one line of JSON; keys of decisions and leases are null where they are not measured.

const WORKERS = Number(argument('--workers') ?? 5_000);
const SECONDS = Number(argument('--seconds') ?? 20);
const SOCKET_SHARE = 0.2;
const ID_KEY = 'the key of the bench';
const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What a node gave up, for want of room or of the database. */
const BY_LOAD = ['OVERLOADED', 'NOT_KEPT', 'RATE_LIMITED'];
const FAULTS = [...BY_LOAD, 'MALFORMED', 'OFF_MAP', 'AHEAD_OF_TIME', 'TOO_OLD', 'OFF_SHIFT'];

interface Bench {
  readonly server: MeasuredServer;
  readonly redis: Redis;
}

async function main(): Promise<void> {
  const redisServer = await startTestRedis();
  if (redisServer === null) {
    throw new Error('The bench needs a redis-server on the path.');
  }
  const machine = await startMachine();
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-ingest-'));
  const redis = new Redis(redisServer.url);
  try {
    const url = machine.urlOf('field');
    await run(machine.urlOf(TEMPLATE), `create database field template ${TEMPLATE}`).catch(() =>
      run(machine.urlOf('postgres'), `create database field template ${TEMPLATE}`),
    );
    const world = await makeFieldWorld(url, WORKERS);
    const reporters = await reportersOf(world, dataDir);
    const server = await startProcess([join(ROOT, 'bin/touchstone.mjs'), 'ingest', '--port', '0'], {
      DATABASE_URL: url,
      REDIS_URL: redisServer.url,
      TOUCHSTONE_DATA_DIR: dataDir,
      TOUCHSTONE_ID_KEY: ID_KEY,
      LOG_LEVEL: 'warn',
    });
    try {
      await measure({ server, redis }, reporters);
    } finally {
      await server.stop();
    }
  } finally {
    redis.disconnect();
    await redisServer.stop();
    await machine.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function reportersOf({ slug, workers }: FieldWorld, dataDir: string): Promise<Reporter[]> {
  const key = await loadDevelopmentKey(dataDir);
  const ids = createIdCodec(ID_KEY);
  return Promise.all(
    workers.map(async ({ subject, expertId }) => ({
      token: await mintDevelopmentToken(key, { subject, tenantSlug: slug, role: 'EXPERT' }),
      expertId: ids.encode('Expert', expertId),
    })),
  );
}

async function measure(bench: Bench, reporters: readonly Reporter[]): Promise<void> {
  const { url } = bench.server;
  const socketed = Math.round(reporters.length * SOCKET_SHARE);
  const sockets = await openSockets(url, reporters.slice(0, socketed));
  console.log(`${sockets.length} sockets, ${reporters.length - socketed} workers by post, ${SECONDS} s each`);
  const alone = await window(bench, async () => [await reportBySocket(sockets, SECONDS * 1_000)]);
  say('by WebSocket alone', alone);
  const together = await window(bench, () =>
    Promise.all([
      reportBySocket(sockets, SECONDS * 1_000),
      reportByPost(url, reporters.slice(socketed), SECONDS * 1_000),
    ]),
  );
  say('by WebSocket and posts', together);
  for (const socket of sockets) {
    socket.terminate();
  }
  console.log(
    JSON.stringify({
      fixesPerSecond: Math.round(together.taken / SECONDS),
      droppedByLoad: together.dropped + alone.dropped,
      decisionP99Ms: null,
      decisionP99MsSlowRouter: null,
      decision100P99Ms: null,
      redisUsPerFix: rounded(together.redisUs),
      nodeUsPerFix: rounded(alone.nodeUs),
      leaseVsSql: null,
      orphans: null,
    }),
  );
}

interface Window {
  readonly sent: number;
  readonly taken: number;
  readonly dropped: number;
  readonly failures: number;
  readonly nodeUs: number;
  readonly redisUs: number;
}

async function window({ server, redis }: Bench, work: () => Promise<readonly Sent[]>): Promise<Window> {
  const before = { ...(await outcomes(server)), node: server.cpuSeconds(), redis: await redisSeconds(redis) };
  const sent = await work();
  const total = sent.reduce((sum, { fixes }) => sum + fixes, 0);
  const judged = (all: Record<string, number>) =>
    ['NEWER', 'OLDER', 'SUPERSEDED', ...FAULTS].reduce((sum, name) => sum + (all[name] ?? 0), 0);
  let after = await outcomes(server);
  for (let look = 0; look < 100 && judged(after) - judged(before) < total; look++) {
    await new Promise((next) => setTimeout(next, 50));
    after = await outcomes(server);
  }
  const grown = (names: readonly string[]) =>
    names.reduce((sum, name) => sum + (after[name] ?? 0) - (before[name as keyof typeof before] ?? 0), 0);
  const taken = grown(['NEWER', 'OLDER', 'SUPERSEDED']);
  return {
    sent: total,
    taken,
    dropped: grown(BY_LOAD) + Math.max(0, total - taken - grown(FAULTS)),
    failures: sent.reduce((sum, { failures }) => sum + failures, 0),
    nodeUs: ((server.cpuSeconds() - before.node) * 1e6) / total,
    redisUs: (((await redisSeconds(redis)) - before.redis) * 1e6) / total,
  };
}

async function outcomes({ url }: MeasuredServer): Promise<Record<string, number>> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Object.fromEntries(
    [...text.matchAll(/touchstone_fixes_total\{outcome="(\w+)"\} (\d+)/g)].map(([, name = '', value]) => [
      name,
      Number(value),
    ]),
  );
}

async function redisSeconds(redis: Redis): Promise<number> {
  const text = await redis.info('cpu');
  const value = (name: string) => Number(new RegExp(`${name}:([\\d.]+)`).exec(text)?.[1] ?? 0);
  return value('used_cpu_sys') + value('used_cpu_user');
}

function say(what: string, { sent, taken, dropped, failures, nodeUs, redisUs }: Window): void {
  console.log(
    `${what.padEnd(24)} sent ${sent} (${Math.round(sent / SECONDS)}/s), taken ${taken}, lost ${dropped}, refused ${failures}; ` +
      `Node ${nodeUs.toFixed(1)} us, Redis ${redisUs.toFixed(1)} us of CPU a fix`,
  );
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

await main();
