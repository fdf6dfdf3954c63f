import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRisk } from '../src/jobs/risk.js';
import { loadConfig } from '../src/runtime/config.js';
import { startServer } from '../src/server.js';
import { loadDevelopmentKey, mintDevelopmentToken } from '../src/services/access/development-key.js';
import type { Viewer } from '../src/services/access/viewer.js';
import { createLocalBus } from '../src/services/events/bus.js';
import { judgeProjects } from '../src/services/forecast/risk.js';
import { forecastWith } from '../src/services/forecast/what-if.js';
import { type Database, openDatabase } from '../src/services/platform/database.js';
import { createLogger } from '../src/services/platform/logger.js';
import { type Machine, startMachine, withAdmin } from './claim/machine.js';
import { lineOf } from './claim/report.js';
import { percentile } from './claim/stats.js';
import type { World } from './claim/world.js';
import { asking, grinding, requireAnswers } from './forecast/analyst.js';
import { type Beside, RUNS, type Slowdown, slowdownBy } from './forecast/beside.js';
import { makeForecastWorld } from './forecast/world.js';

// What forecasts and analysts cost: a million tasks (--size), 200 projects, 3,000 experts with overlapping skills. Prints a
// table and, last, one line of JSON: oneP95Ms allSeconds claimSlowdown analystSlowdown, and analystStatementsSlowdown beside it.

const SIZE = 1_000_000;
const ONES = 100;

interface Row {
  readonly what: string;
  readonly value: number | null;
  readonly max?: number;
  readonly note?: string;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { size: { type: 'string' }, cycles: { type: 'string' }, only: { type: 'string' } },
  });
  const cycles = Number(values.cycles ?? 8_000);
  const size = Number(values.size ?? SIZE);
  const parts = values.only?.split(',') ?? ['times', 'claims', 'analysts'];
  // (Beside analysts it is measured twice.)
  const done = cycles * RUNS * (Number(parts.includes('claims')) + 2 * Number(parts.includes('analysts')));
  if (done > size) {
    throw new Error(`With --cycles ${cycles} ${done} tasks are done: ask for --size ${done} at least.`);
  }
  const machine = await startMachine();
  process.once('SIGINT', () => void machine.stop().finally(() => process.exit(130)));
  try {
    const world = await makeForecastWorld(machine, size);
    console.log(`${'what'.padEnd(58)} ${'measured'.padStart(10)}  bar`);
    const times = parts.includes('times')
      ? await timeForecasts(machine, world)
      : { oneP95Ms: null, allSeconds: null };
    const claimSlowdown = parts.includes('claims') ? await slowByForecasts(world, cycles) : null;
    const byAnalysts = parts.includes('analysts')
      ? await slowByAnalysts(world, cycles)
      : { analystSlowdown: null, analystStatementsSlowdown: null };
    console.log(JSON.stringify({ ...times, claimSlowdown, ...byAnalysts }));
  } finally {
    await machine.stop();
  }
}

function say(row: Row): number | null {
  console.log(lineOf(row));
  return row.value === null ? null : Math.round(row.value * 1_000) / 1_000;
}

function sayLost(what: string, { share, aloneMs, besideMs }: Slowdown, max?: number): number | null {
  const note = `claims p99 ${aloneMs.toFixed(0)} -> ${besideMs.toFixed(0)} ms`;
  return say({ what, value: share, note, ...(max === undefined ? {} : { max }) });
}

/** Each forecast is computed anew and stored, as the job does it. */
async function timeForecasts(machine: Machine, world: World) {
  const db = openDatabase({ url: world.url });
  try {
    const projects = await projectsOf(world);
    const took = (work: () => Promise<unknown>) => timed(machine, work);
    const cold = await took(() => judgeProjects(db, projects.slice(0, 1)));
    tell('the first forecast: hours read and drawn (ms)', cold);
    const ones: Taken[] = [];
    for (const project of projects.slice(0, ONES)) {
      ones.push(await took(() => judgeProjects(db, [project])));
    }
    tell('one project’s forecast, median (ms)', atShare(ones, 0.5));
    tell('one project’s forecast, 95 of 100 (ms)', atShare(ones, 0.95));
    const all = await took(() => judgeProjects(db, projects));
    tell(`all ${projects.length} projects in one pass (ms)`, all);
    tell('what would be with an expert more (ms)', await took(() => askWhatIf(db, world, projects[0])));
    return {
      oneP95Ms: say({
        what: 'one project’s forecast, p95 (ms)',
        value: atShare(ones, 0.95).ms,
        max: 150,
      }),
      allSeconds: say({
        what: `all ${projects.length} projects in one pass (s)`,
        value: all.ms / 1_000,
        max: 3,
      }),
    };
  } finally {
    await db.close();
  }
}

/** By the clock, and in CPU of this process and of PostgreSQL: on a busy machine only the latter say something. Milliseconds. */
interface Taken {
  readonly ms: number;
  readonly nodeMs: number;
  readonly databaseMs: number;
}

async function timed(machine: Machine, work: () => Promise<unknown>): Promise<Taken> {
  const [cpu, database, from] = [process.cpuUsage(), machine.cpuSeconds(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return {
    ms: performance.now() - from,
    nodeMs: (user + system) / 1_000,
    databaseMs: (machine.cpuSeconds() - database) * 1_000,
  };
}

/** Each figure at a share of its own. */
const atShare = (all: readonly Taken[], share: number): Taken => ({
  ms: percentile(
    all.map(({ ms }) => ms),
    share,
  ),
  nodeMs: percentile(
    all.map(({ nodeMs }) => nodeMs),
    share,
  ),
  databaseMs: percentile(
    all.map(({ databaseMs }) => databaseMs),
    share,
  ),
});

function tell(what: string, { ms, nodeMs, databaseMs }: Taken): void {
  const cpu = `CPU: node ${nodeMs.toFixed(0)}, PostgreSQL ${databaseMs.toFixed(0)}`;
  console.log(`${what.padEnd(58)} ${ms.toFixed(0).padStart(10)}  ${cpu}`);
}

const askWhatIf = (db: Database, { tenantId, slug }: World, project: { projectId: bigint } | undefined) =>
  forecastWith(db, operatorOf(BigInt(tenantId), slug), {
    of: { projectId: project?.projectId ?? 0n },
    change: { extraExperts: [{ count: 1, hoursPerWeek: 40 }], dropTasks: 0, deadline: null },
  });

const operatorOf = (tenantId: bigint, tenantSlug: string): Viewer => ({
  tenantId,
  tenantSlug,
  identityId: 0n,
  displayName: 'Bench',
  role: 'OPERATOR',
  customerId: null,
  expertId: null,
  expiresAtMs: Number.MAX_SAFE_INTEGER,
  requestId: 'bench',
});

async function slowByForecasts(world: World, cycles: number): Promise<number | null> {
  const db = openDatabase({ url: world.url });
  try {
    const lost = await slowdownBy({ db, world, cycles }, forecasting(db));
    return sayLost('claims fewer while the job forecasts', lost, 0.1);
  } finally {
    await db.close();
  }
}

/** The job as a node runs it. */
const forecasting =
  (db: Database): Beside =>
  async (isOver) => {
    const job = createRisk({ db, bus: createLocalBus(), log: createLogger('silent') });
    job.start();
    await new Promise<void>((resolve) => {
      const look = setInterval(() => {
        if (isOver()) {
          clearInterval(look);
          resolve();
        }
      }, 20);
    });
    await job.stop();
  };

async function slowByAnalysts(world: World, cycles: number) {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-data-'));
  const config = loadConfig({}, { TOUCHSTONE_DATA_DIR: dataDir, PORT: '0' });
  const server = await startServer({ config, databaseUrl: world.url, log: createLogger('silent') });
  try {
    const token = await analystToken(world, dataDir);
    await requireAnswers(server, token);
    const of = (beside: Beside) => slowdownBy({ db: server.app.db, world, cycles }, beside);
    const asked = await of(asking(server, token));
    const analystSlowdown = sayLost('claims fewer beside the dearest GraphQL queries', asked, 0.1);
    // (Analysts write no SQL: what this costs is what a flaw of ours could.)
    const ground = await of(grinding(server, world));
    const analystStatementsSlowdown = sayLost('claims fewer beside statements that nobody can write', ground);
    return { analystSlowdown, analystStatementsSlowdown };
  } finally {
    await server.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function analystToken(world: World, dataDir: string): Promise<string> {
  const subject = await withAdmin(world.url, async (client) => {
    const { rows } = await client.query<{ subject: string }>(
      `select i.subject from identities i join identity_roles r on r.tenant_id = i.tenant_id and r.identity_id = i.id
       where i.tenant_id = $1 and r.role = 'ANALYST'`,
      [world.tenantId],
    );
    return rows[0]?.subject ?? '';
  });
  const key = await loadDevelopmentKey(dataDir);
  return mintDevelopmentToken(key, { subject, tenantSlug: world.slug, role: 'ANALYST' });
}

async function projectsOf(world: World): Promise<{ tenantId: bigint; projectId: bigint }[]> {
  const tenantId = BigInt(world.tenantId);
  return withAdmin(world.url, async (client) => {
    const { rows } = await client.query<{ id: string }>(
      'select id from projects where tenant_id = $1 order by id',
      [world.tenantId],
    );
    return rows.map(({ id }) => ({ tenantId, projectId: BigInt(id) }));
  });
}

await main();
