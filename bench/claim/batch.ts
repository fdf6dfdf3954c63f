import { readFileSync } from 'node:fs';
import type pg from 'pg';
import type { Bench } from './bench.js';
import { connectAs, connectCounted, withAdmin } from './machine.js';
import { type Held, heldOf, serve } from './serve-call.js';
import { explainStatements, readStatements, resetStatements } from './statements.js';
import { median } from './stats.js';
import type { ExpertRef, World } from './world.js';

const SIZES = [64, 8, 1] as const;
const WARM_UP = 10;
const MEASURED = 30;

/** The parts of a cycle, in their order: the two batches, and what the sequencer does afterwards. */
const PARTS = ['claim', 'submit', 'numbers of events', 'numbers of postings'] as const;
type Part = (typeof PARTS)[number];

/** What a part spent, a batch each: PostgreSQL's CPU in microseconds, and its write-ahead log in bytes. */
type Spent = Readonly<Record<Part, { readonly cpuUs: number[]; readonly logBytes: number[] }>>;

/** What whole cycles cost the database alone, by full batches on one connection; with --explain statement by statement. */
export async function measureBatch(bench: Bench): Promise<void> {
  const world = await bench.world(bench.mainSize);
  for (const size of SIZES) {
    report(bench, size, await spentBy(world, size));
  }
  if (bench.explain) {
    await explain(bench, world);
  }
}

async function spentBy(world: World, size: number): Promise<Spent> {
  const line = await connectAs(world.url, 'touchstone_line');
  const sequencer = await connectAs(world.url, 'touchstone_system');
  try {
    return await withAdmin(world.url, (admin) => runBatches({ world, size, line, sequencer, admin }));
  } finally {
    await Promise.all([line.end(), sequencer.end()]);
  }
}

interface Connections {
  readonly world: World;
  readonly size: number;
  readonly line: pg.Client;
  readonly sequencer: pg.Client;
  readonly admin: pg.Client;
}

async function runBatches({ world, size, line, sequencer, admin }: Connections): Promise<Spent> {
  const spent = Object.fromEntries(
    PARTS.map((part) => [part, { cpuUs: [], logBytes: [] }]),
  ) as unknown as Spent;
  const meters = { line: await meterOf(line, admin), sequencer: await meterOf(sequencer, admin) };
  const experts = [...world.experts.crowd];
  for (let n = 0; n < WARM_UP + MEASURED; n++) {
    const measured = async <T>(part: Part, meter: Meter, work: () => Promise<T>): Promise<T> => {
      const { result, cpuUs, logBytes } = await meter(work);
      if (n >= WARM_UP) {
        spent[part].cpuUs.push(cpuUs / size);
        spent[part].logBytes.push(logBytes / size);
      }
      return result;
    };
    const asking = experts.splice(0, size);
    const held = await measured('claim', meters.line, () => claimAll(line, world, asking));
    await measured('submit', meters.line, () => serve(line, world, { submits: held }));
    await measured('numbers of events', meters.sequencer, () => sequencer.query(STAMP_EVENTS));
    await measured('numbers of postings', meters.sequencer, () => sequencer.query(STAMP_POSTINGS));
    experts.push(...asking);
  }
  return spent;
}

const STAMP_EVENTS = { name: 'events', text: 'select * from app.stamp_events(1000)' };
const STAMP_POSTINGS = { name: 'postings', text: 'select app.stamp_postings(500)' };

async function claimAll(client: pg.Client, world: World, experts: readonly ExpertRef[]): Promise<Held[]> {
  const { claims } = await serve(client, world, { claims: experts });
  return experts.flatMap((expert, index) => {
    const outcome = claims[index];
    return (outcome === undefined ? null : heldOf(expert, outcome)) ?? [];
  });
}

type Meter = <T>(work: () => Promise<T>) => Promise<{ result: T; cpuUs: number; logBytes: number }>;

/** Measures what the backend of a connection spends. Its log is all that the server writes meanwhile. */
async function meterOf(client: pg.Client, admin: pg.Client): Promise<Meter> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const nanoseconds = () => Number(readFileSync(`/proc/${rows[0]?.pid}/schedstat`, 'utf8').split(' ')[0]);
  const written = async () => {
    const at = await admin.query<{ at: string }>("select pg_current_wal_insert_lsn() - '0/0' as at");
    return Number(at.rows[0]?.at);
  };
  return async (work) => {
    const before = { cpu: nanoseconds(), log: await written() };
    const result = await work();
    return { result, cpuUs: (nanoseconds() - before.cpu) / 1_000, logBytes: (await written()) - before.log };
  };
}

function report(bench: Bench, size: number, spent: Spent): void {
  const words = PARTS.map((part) => `${part} ${median(spent[part].cpuUs).toFixed(0)}`).join(', ');
  const total = (of: 'cpuUs' | 'logBytes') => PARTS.reduce((sum, part) => sum + median(spent[part][of]), 0);
  bench.figure({
    what: `PostgreSQL’s CPU of a cycle in batches of ${size}, µs`,
    value: total('cpuUs'),
    note: `${words}; ${total('logBytes').toFixed(0)} bytes of log`,
  });
}

/** Statement by statement, by batches of the first size. */
async function explain(bench: Bench, world: World): Promise<void> {
  const client = await connectCounted(world.url);
  const experts = [...world.experts.crowd];
  try {
    await withAdmin(world.url, async (admin) => {
      for (let n = 0; n < WARM_UP + MEASURED; n++) {
        if (n === WARM_UP) {
          await resetStatements(admin);
        }
        const asking = experts.splice(0, SIZES[0]);
        await serve(client, world, { submits: await claimAll(client, world, asking) });
        experts.push(...asking);
      }
      const statements = await readStatements(admin);
      bench.say(
        explainStatements(
          [...statements].sort((a, b) => b.ms - a.ms),
          MEASURED * SIZES[0],
        ),
      );
    });
  } finally {
    await client.end();
  }
}
