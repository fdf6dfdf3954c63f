import { setTimeout as wait } from 'node:timers/promises';
import { type Machine, run, startMachine, TEMPLATE, withAdmin } from './claim/machine.js';
import { lineOf } from './claim/report.js';
import { type MeasuredServer, startOurs } from './fanout/servers.js';
import { holdLeases, makeIdleWorld } from './idle/world.js';

// What a node and its PostgreSQL take of a core when nobody asks for anything, with few leases held and with many.
// Prints a table, and last one line of JSON: idleFewPercent, idleManyPercent, idleMorePercent (many less few).

const FEW = 50;
const MANY = Number(argument('--leases') ?? 50_000);
const WINDOW_MS = Number(argument('--seconds') ?? 60) * 1_000;
/** Pools, forecasts and the like have come round once. */
const SETTLE_MS = 65_000;
const explains = process.argv.includes('--explain');

interface Idle {
  readonly node: number;
  readonly postgres: number;
}

async function main(): Promise<void> {
  const machine = await startMachine();
  const url = machine.urlOf(TEMPLATE);
  if (explains) {
    await run(url, `alter database "${TEMPLATE}" set pg_stat_statements.track = 'top'`);
  }
  try {
    const world = await makeIdleWorld(url, MANY);
    const server = await startOurs(world);
    try {
      await holdLeases(world, FEW);
      const few = await measure(machine, server, `${FEW} leases`);
      await holdLeases(world, MANY);
      const many = await measure(machine, server, `${MANY} leases`);
      const more = many.node + many.postgres - few.node - few.postgres;
      console.log(lineOf({ what: 'what more leases take: % of a core', value: more, max: 1 }));
      console.log(
        JSON.stringify({
          idleFewPercent: round(few.node + few.postgres),
          idleManyPercent: round(many.node + many.postgres),
          idleMorePercent: round(more),
        }),
      );
    } finally {
      await server.stop();
    }
  } finally {
    await machine.stop();
  }
}

/** In percent of a core. */
async function measure(machine: Machine, server: MeasuredServer, what: string): Promise<Idle> {
  await wait(SETTLE_MS);
  const url = machine.urlOf(TEMPLATE);
  if (explains) {
    await run(url, 'select pg_stat_statements_reset()');
  }
  const before = { node: server.cpuSeconds(), postgres: machine.cpuSeconds(), ms: performance.now() };
  await wait(WINDOW_MS);
  const seconds = (performance.now() - before.ms) / 1_000;
  const idle = {
    node: (100 * (server.cpuSeconds() - before.node)) / seconds,
    postgres: (100 * (machine.cpuSeconds() - before.postgres)) / seconds,
  };
  console.log(lineOf({ what: `${what}: node, % of a core`, value: idle.node }));
  console.log(lineOf({ what: `${what}: PostgreSQL, % of a core`, value: idle.postgres }));
  if (explains) {
    await explain(url);
  }
  return idle;
}

/** The statements that took most of the time that PostgreSQL spent on them. */
async function explain(url: string): Promise<void> {
  const { rows } = await withAdmin(url, (client) =>
    client.query<{ ms: number; calls: number; query: string }>(
      `select round(total_exec_time)::int as ms, calls::int, left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as query
       from pg_stat_statements order by total_exec_time desc limit 12`,
    ),
  );
  for (const { ms, calls, query } of rows) {
    console.log(`  ${String(ms).padStart(7)} ms ${String(calls).padStart(6)} calls  ${query}`);
  }
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

const round = (value: number) => Math.round(value * 100) / 100;

await main();
