import type { Database } from '../../src/services/platform/database.js';
import type { Bench } from './bench.js';
import { measureGraphile } from './graphile.js';
import { type Cycles, runCycles, withDatabase } from './in-process.js';
import type { LoadResult } from './load.js';
import { withAdmin } from './machine.js';
import { type ServerNode, startNode } from './node.js';
import { findPgbench, type Script, Seed } from './pgbench.js';
import { median, medianRatio, percentile } from './stats.js';
import type { ExpertRef, World } from './world.js';

/** In flight in process and over HTTP. */
const CALLERS = 64;
const ROUNDS = 3;
const CLIENTS = [1, 4, 8, 16, 32] as const;
const SECONDS = 3;

interface Round {
  /** The seed's cycle at its best number of clients; NaN where there is no pgbench. */
  readonly seed: { perSecond: number; cpuUs: number };
  readonly inProcess: Cycles;
  readonly graphile: number;
  readonly http: LoadResult & { nodeCpuUs: number; serverCpuUs: number };
}

/** Whole cycles (claim, answer, payout) four ways, one after the other in each round: ratios are of the same minute. */
export async function measureCycles(bench: Bench): Promise<void> {
  const world = await bench.world(bench.mainSize);
  // Copied first: nobody may be connected to what is copied.
  const httpWorld = await bench.clone(world, 'http');
  await withDatabase(world, (db) => measureRounds(bench, { inProcess: { db, world }, httpWorld }));
}

interface Worlds {
  readonly inProcess: { readonly db: Database; readonly world: World };
  readonly httpWorld: World;
}

async function measureRounds(bench: Bench, { inProcess, httpWorld }: Worlds): Promise<void> {
  const seed = await openSeed(bench);
  const node = await startNode(httpWorld);
  try {
    const best = seed === null ? 0 : await bestClients(bench, seed, 'cycle');
    if (seed !== null) {
      await bestClients(bench, seed, 'claim');
    }
    await warmUp(bench, { inProcess, httpWorld, node });
    const rounds: Round[] = [];
    for (let n = 1; n <= ROUNDS; n++) {
      const round = await oneRound(bench, { inProcess, httpWorld, node, seed, best });
      bench.say(wordsOf(round, n));
      rounds.push(round);
    }
    report(bench, rounds);
    await byRequests(bench, httpWorld, node);
  } finally {
    await node.stop();
    await httpWorld.drop();
    await seed?.drop();
  }
}

async function openSeed(bench: Bench): Promise<Seed | null> {
  const pgbench = findPgbench();
  if ('missing' in pgbench) {
    bench.say(`  seed's SQL ${pgbench.missing}`);
    return null;
  }
  return Seed.create(bench.machine, pgbench.program, bench.mainSize);
}

/** Which number of clients gives the most transactions a second. */
async function bestClients(bench: Bench, seed: Seed, script: Script): Promise<number> {
  let best = { clients: 0, perSecond: 0 };
  const found: string[] = [];
  for (const clients of CLIENTS) {
    const { perSecond, cpuUs } = await seed.measure(script, clients, SECONDS);
    found.push(`${clients}: ${perSecond.toFixed(0)}/s, ${cpuUs.toFixed(0)} µs`);
    best = perSecond > best.perSecond ? { clients, perSecond } : best;
  }
  bench.say(`  seed's ${script} by pgbench, clients: ${found.join('; ')}`);
  return best.clients;
}

interface Setting extends Worlds {
  readonly node: ServerNode;
  readonly seed: Seed | null;
  readonly best: number;
}

async function oneRound(
  bench: Bench,
  { inProcess: own, httpWorld, node, seed, best }: Setting,
): Promise<Round> {
  const measured = await seed?.measure('cycle', best, SECONDS);
  const inProcess = await inProcessCycles(own, bench.cycles);
  const graphile = await measureGraphile(bench.machine, bench.cycles);
  const http = await httpCycles(bench, { world: httpWorld, node, cycles: bench.cycles / 2 });
  return { seed: measured ?? { perSecond: Number.NaN, cpuUs: Number.NaN }, inProcess, graphile, http };
}

/** The first calls of everything are slower: plans, connections, compiled code. */
async function warmUp(
  bench: Bench,
  { inProcess, httpWorld, node }: Worlds & { node: ServerNode },
): Promise<void> {
  await inProcessCycles(inProcess, bench.cycles / 4);
  await httpCycles(bench, { world: httpWorld, node, cycles: bench.cycles / 4 });
}

const inProcessCycles = ({ db, world }: Worlds['inProcess'], cycles: number): Promise<Cycles> =>
  runCycles(db, world, { experts: world.experts.crowd, callers: CALLERS, cycles });

/** By the client's own loop: the request that submits claims the next task. CPU counts until all events have their number. */
async function httpCycles(
  bench: Bench,
  { world, node, cycles }: { world: World; node: ServerNode; cycles: number },
): Promise<Round['http']> {
  const before = { node: node.cpuSeconds(), server: bench.machine.cpuSeconds() };
  const result = await node.load(world.experts.crowd, {
    kind: 'cycles',
    inFlight: CALLERS,
    cycles,
    next: true,
  });
  await untilNumbered(world);
  const done = result.submitMs.length;
  return {
    ...checked(result),
    nodeCpuUs: ((node.cpuSeconds() - before.node) * 1e6) / done,
    serverCpuUs: ((bench.machine.cpuSeconds() - before.server) * 1e6) / done,
  };
}

/** What the load met that it should not have. */
export function checked(result: LoadResult): LoadResult {
  if (result.errors.length > 0) {
    throw new Error(`${result.errors.length} errors over HTTP, the first: ${result.errors[0]}`);
  }
  return result;
}

const PATIENCE_MS = 30_000;

/** Until the sequencer of the node has numbered every event and posting. */
export function untilNumbered(world: World): Promise<void> {
  return withAdmin(world.url, async (client) => {
    for (const began = performance.now(); performance.now() - began < PATIENCE_MS; ) {
      const { rows } = await client.query(
        `select exists (select from stream_events where seq is null) or exists (select from ledger_outbox) as waits`,
      );
      if (rows[0]?.waits === false) {
        return;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error('The sequencer did not catch up.');
  });
}

const wordsOf = ({ seed, inProcess, graphile, http }: Round, n: number) =>
  `  round ${n}: seed ${seed.perSecond.toFixed(0)}/s, in process ${inProcess.perSecond.toFixed(0)}/s` +
  ` (node ${inProcess.nodeCpuUs.toFixed(0)} µs, ${inProcess.empty} empty, ${inProcess.shed} shed),` +
  ` graphile-worker ${graphile.toFixed(0)}/s, HTTP ${http.perSecond.toFixed(0)}/s` +
  ` (node ${http.nodeCpuUs.toFixed(0)} µs + PostgreSQL ${http.serverCpuUs.toFixed(0)} µs; seed ${seed.cpuUs.toFixed(0)} µs;` +
  ` ${http.empty} empty, ${http.shed} shed)`;

function report(bench: Bench, rounds: readonly Round[]): void {
  const hasSeed = rounds.every(({ seed }) => seed.perSecond > 0);
  const ratio = (of: (round: Round) => readonly [number, number]) => medianRatio(rounds.map(of));
  const ifSeed = (value: number) => (hasSeed ? value : null);
  bench.figure({
    name: 'cycleInProcessVsSql',
    what: 'cycles a second in process over the seed’s best',
    value: ifSeed(ratio(({ inProcess, seed }) => [inProcess.perSecond, seed.perSecond])),
    min: 2,
    note: `${median(rounds.map(({ inProcess }) => inProcess.perSecond)).toFixed(0)}/s`,
  });
  bench.figure({
    name: 'claimVsGraphileWorker',
    what: 'cycles a second in process over graphile-worker’s jobs',
    value: ratio(({ inProcess, graphile }) => [inProcess.perSecond, graphile]),
    min: 1,
  });
  bench.figure({
    name: 'cpuVsSql',
    what: 'CPU of an HTTP cycle over PostgreSQL’s of the seed’s',
    value: ifSeed(ratio(({ http, seed }) => [http.nodeCpuUs + http.serverCpuUs, seed.cpuUs])),
    max: 3,
  });
  bench.figure({
    name: 'cycleHttpVsSql',
    what: 'cycles a second over HTTP over the seed’s best',
    value: ifSeed(ratio(({ http, seed }) => [http.perSecond, seed.perSecond])),
    min: 0.5,
    note: `${median(rounds.map(({ http }) => http.perSecond)).toFixed(0)}/s; the aim is 1`,
  });
  bench.figure({
    name: 'p99Ms64',
    what: 'claim p99 in process, 64 in flight, ms',
    value: median(rounds.map(({ inProcess }) => percentile(inProcess.claimMs, 0.99))),
    max: 40,
  });
}

/** The same with a request for the claim and one for the submit. */
async function byRequests(bench: Bench, world: World, node: ServerNode): Promise<void> {
  const experts: readonly ExpertRef[] = world.experts.hot;
  const task = { kind: 'cycles', inFlight: CALLERS, cycles: bench.cycles / 2, next: false } as const;
  const result = checked(await node.load(experts, task));
  bench.figure({
    what: 'claim p99 over HTTP, 64 in flight, ms',
    value: percentile(result.claimMs, 0.99),
    max: 150,
    note: `a request each for claim and submit: ${result.perSecond.toFixed(0)} cycles/s, ${result.shed} shed`,
  });
}
