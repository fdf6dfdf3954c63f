import type pg from 'pg';
import type { Bench } from './bench.js';
import { connectCounted, withAdmin } from './machine.js';
import { serve } from './serve-call.js';
import { explainStatements, readStatements, resetStatements, type Split, splitOf } from './statements.js';
import { type ExpertRef, makeWorld, type World } from './world.js';

/** Claims that make the plans, caches and pages of a connection what they are in the long run. */
const WARM_UP = 60;
const MEASURED = 200;
const NAMES = { one: 'buffers1', four: 'buffers4', twelve: 'buffers12' } as const;

/** Buffers of one claim by one client in a vacuumed database, at each size and number of projects. */
export async function measureBuffers(bench: Bench): Promise<void> {
  const main = new Map<string, Split>();
  for (const size of bench.sizes) {
    const world = await bench.world(size);
    for (const [group, bar] of [
      ['one', 120],
      ['four', 160],
      ['twelve', 260],
    ] as const) {
      const split = await ofGroup(bench, world, group);
      main.set(`${group} ${size}`, split);
      const what = `buffers, ${group} skill(s), ${size} tasks`;
      bench.figure({ name: NAMES[group], what, value: split.alone, max: bar, note: words(split) });
    }
  }
  const bySize = spreadOf(
    [...main.entries()].filter(([key]) => key.startsWith('four')).map(([, split]) => split.alone),
  );
  const byProjects = await overProjects(bench);
  bench.figure({
    name: 'buffersFlatness',
    what: 'buffers: most over least, sizes and projects',
    value: Math.max(bySize, byProjects),
    max: 1.25,
    note: `sizes ${bySize.toFixed(2)}, projects ${byProjects.toFixed(2)}`,
  });
}

/** The same ten skills and 50,000 tasks, cut into 10 and into 2,000 projects. */
async function overProjects(bench: Bench): Promise<number> {
  const found: number[] = [];
  for (const projects of [10, 2000]) {
    const world = await makeWorld(bench.machine, {
      name: `p${projects}`,
      tasks: 50_000,
      projects,
      skills: 10,
    });
    const split = await ofGroup(bench, world, 'four');
    bench.say(`  four skills, ${projects} projects: ${split.alone.toFixed(1)} buffers (${words(split)})`);
    found.push(split.alone);
    await world.drop();
  }
  return spreadOf(found);
}

const spreadOf = (values: readonly number[]) => Math.max(...values) / Math.min(...values);

const words = ({ events, audit, ms }: Split) =>
  `events ${events.toFixed(1)}, audit ${audit.toFixed(1)} apart; ${ms.toFixed(2)} ms`;

async function ofGroup(bench: Bench, world: World, group: 'one' | 'four' | 'twelve'): Promise<Split> {
  const experts = bench.take(world, group, WARM_UP + MEASURED);
  return withAdmin(world.url, (admin) => measureClaims(bench, { world, admin, experts, warmUp: WARM_UP }));
}

export interface Measured {
  readonly world: World;
  readonly admin: pg.Client;
  readonly experts: readonly ExpertRef[];
  /** How many of them only warm the connection up. */
  readonly warmUp: number;
}

/** Lets each expert claim once, by a batch of one on one connection, and counts. */
export async function measureClaims(
  bench: Bench,
  { world, admin, experts, warmUp }: Measured,
): Promise<Split> {
  const client = await connectCounted(world.url);
  try {
    for (const [index, expert] of experts.entries()) {
      if (index === warmUp) {
        await resetStatements(admin);
      }
      const [outcome] = (await serve(client, world, { claims: [expert] })).claims;
      if (outcome?.outcome !== 'LEASED') {
        throw new Error(`Expert ${expert.subject} was answered ${outcome?.outcome}.`);
      }
    }
    const statements = await readStatements(admin);
    const claims = experts.length - warmUp;
    if (bench.explain) {
      bench.say(explainStatements(statements, claims));
    }
    return splitOf(statements, claims);
  } finally {
    await client.end();
  }
}
