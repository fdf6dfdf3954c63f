import pg from 'pg';
import type { Bench } from './bench.js';
import { withMarks } from './lanes.js';
import { withAdmin } from './machine.js';
import { type Held, heldOf, serve } from './serve-call.js';
import { median } from './stats.js';
import type { ExpertRef, World } from './world.js';

const BATCH = 64;
const PIECES = 20;

/** Claims and submits for a long time, with nothing but the migration's own autovacuum settings to clean up. */
export async function measureSteady(bench: Bench): Promise<void> {
  const claims = bench.full ? 1_000_000 : Math.min(200_000, bench.mainSize);
  const world = await bench.clone(await bench.world(bench.mainSize), 'steady');
  try {
    const sizeBefore = await sizeOf(world);
    const rates = await withMarks(world.url, () => claimFor(bench, world, claims));
    const start = median(rates.slice(1, 4));
    const end = median(rates.slice(-3));
    const sizeAfter = await sizeOf(world);
    bench.figure({
      what: `rate at the end of ${claims} claims over the start`,
      value: end / start,
      min: 0.8,
      note: `${start.toFixed(0)} to ${end.toFixed(0)} cycles/s by batches of ${BATCH}; ${await vacuums(world)}`,
    });
    bench.figure({
      what: 'size of the queue after over before',
      value: sizeAfter / sizeBefore,
      max: 1.25,
      note: `${(sizeBefore / 2 ** 20).toFixed(0)} to ${(sizeAfter / 2 ** 20).toFixed(0)} MB`,
    });
  } finally {
    await world.drop();
  }
}

/** @returns the cycles a second of each piece */
async function claimFor(bench: Bench, world: World, claims: number): Promise<number[]> {
  const client = new pg.Client({
    connectionString: world.url,
    options: '-c role=touchstone_app -c TimeZone=UTC',
  });
  await client.connect();
  const free = [...world.experts.crowd, ...world.experts.hot];
  const rates: number[] = [];
  let held: Held[] = [];
  try {
    for (let piece = 0; piece < PIECES; piece++) {
      const began = performance.now();
      for (let n = 0; n < claims / PIECES; n += BATCH) {
        held = await step(client, world, { held, free });
      }
      const rate = (claims / PIECES / (performance.now() - began)) * 1000;
      rates.push(rate);
      if (piece % 5 === 4) {
        bench.say(`  ${((piece + 1) * claims) / PIECES} claims: ${rate.toFixed(0)} cycles/s`);
      }
    }
    return rates;
  } finally {
    await client.end();
  }
}

async function step(
  client: pg.Client,
  world: World,
  { held, free }: { held: readonly Held[]; free: ExpertRef[] },
): Promise<Held[]> {
  const experts = free.splice(0, BATCH);
  const answered = await serve(client, world, { submits: held, claims: experts });
  free.push(...held.map(({ expert }) => expert));
  return experts.flatMap((expert, index) => {
    const outcome = answered.claims[index];
    const given = outcome === undefined ? null : heldOf(expert, outcome);
    if (given === null) {
      free.push(expert);
    }
    return given ?? [];
  });
}

const sizeOf = (world: World): Promise<number> =>
  withAdmin(world.url, async (client) => {
    const { rows } = await client.query(`select pg_total_relation_size('ready')::float8 as bytes`);
    return Number(rows[0]?.bytes);
  });

const vacuums = (world: World): Promise<string> =>
  withAdmin(world.url, async (client) => {
    const { rows } = await client.query(
      `select autovacuum_count, n_dead_tup from pg_stat_user_tables where relname = 'ready'`,
    );
    return `${rows[0]?.autovacuum_count} autovacuums of the queue, ${rows[0]?.n_dead_tup} dead rows left`;
  });
