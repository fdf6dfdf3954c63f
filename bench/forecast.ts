import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRisk } from '../src/jobs/risk.js';
import { loadConfig } from '../src/runtime/config.js';
import { startServer } from '../src/server.js';
import { loadDevelopmentKey, mintDevelopmentToken } from '../src/services/access/development-key.js';
import { createLocalBus } from '../src/services/events/bus.js';
import { judgeProjects } from '../src/services/forecast/risk.js';
import { type Database, openDatabase } from '../src/services/platform/database.js';
import { createLogger } from '../src/services/platform/logger.js';
import { startMachine, withAdmin } from './claim/machine.js';
import { lineOf } from './claim/report.js';
import { percentile } from './claim/stats.js';
import type { World } from './claim/world.js';
import { asking, grinding, requireAnswers } from './forecast/analyst.js';
import { type Beside, slowdownBy } from './forecast/beside.js';
import { makeForecastWorld } from './forecast/world.js';

// What forecasts and analysts cost: a million tasks (--size), 200 projects, 3,000 experts with overlapping skills. Prints a
// table and, last, one line of JSON: oneP95Ms allSeconds claimSlowdown analystSlowdown.

const SIZE = 1_000_000;
const ONES = 100;

interface Row {
  readonly what: string;
  readonly value: number | null;
  readonly max: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { size: { type: 'string' }, cycles: { type: 'string' }, only: { type: 'string' } },
  });
  const cycles = Number(values.cycles ?? 3_000);
  const machine = await startMachine();
  process.once('SIGINT', () => void machine.stop().finally(() => process.exit(130)));
  try {
    const world = await makeForecastWorld(machine, Number(values.size ?? SIZE));
    const parts = values.only?.split(',') ?? ['times', 'claims', 'analysts'];
    console.log(`${'what'.padEnd(58)} ${'measured'.padStart(10)}  bar`);
    const times = parts.includes('times') ? await timeForecasts(world) : { oneP95Ms: null, allSeconds: null };
    const claimSlowdown = parts.includes('claims') ? await slowByForecasts(world, cycles) : null;
    const analystSlowdown = parts.includes('analysts') ? await slowByAnalysts(world, cycles) : null;
    console.log(JSON.stringify({ ...times, claimSlowdown, analystSlowdown }));
  } finally {
    await machine.stop();
  }
}

function say(row: Row): number | null {
  console.log(lineOf(row));
  return row.value === null ? null : Math.round(row.value * 1_000) / 1_000;
}

/** Each forecast is computed anew and stored, as the job does it. */
async function timeForecasts(world: World) {
  const db = openDatabase({ url: world.url });
  try {
    const projects = await projectsOf(world);
    await judgeProjects(db, projects.slice(0, 5));
    const ms: number[] = [];
    for (const project of projects.slice(0, ONES)) {
      ms.push(await timed(() => judgeProjects(db, [project])));
    }
    const allMs = await timed(() => judgeProjects(db, projects));
    return {
      oneP95Ms: say({ what: 'one project’s forecast, p95 (ms)', value: percentile(ms, 0.95), max: 150 }),
      allSeconds: say({
        what: `all ${projects.length} projects in one pass (s)`,
        value: allMs / 1_000,
        max: 3,
      }),
    };
  } finally {
    await db.close();
  }
}

async function slowByForecasts(world: World, cycles: number): Promise<number | null> {
  const db = openDatabase({ url: world.url });
  try {
    const value = await slowdownBy({ db, world, cycles }, forecasting(db));
    return say({ what: 'claims fewer while the job forecasts', value, max: 0.1 });
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

async function slowByAnalysts(world: World, cycles: number): Promise<number | null> {
  const dataDir = mkdtempSync(join(tmpdir(), 'touchstone-bench-data-'));
  const config = loadConfig({}, { TOUCHSTONE_DATA_DIR: dataDir, PORT: '0' });
  const server = await startServer({ config, databaseUrl: world.url, log: createLogger('silent') });
  try {
    const token = await analystToken(world, dataDir);
    await requireAnswers(server, token);
    const of = (beside: Beside) => slowdownBy({ db: server.app.db, world, cycles }, beside);
    const queries = await of(asking(server, token));
    say({ what: 'claims fewer beside the dearest GraphQL queries', value: queries, max: 0.1 });
    const statements = await of(grinding(server, world));
    say({ what: 'claims fewer beside the worst statements', value: statements, max: 0.1 });
    return Math.round(Math.max(queries, statements) * 1_000) / 1_000;
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

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

await main();
