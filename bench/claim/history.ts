import type pg from 'pg';
import type { Bench } from './bench.js';
import { measureClaims } from './buffers.js';
import { connectCounted, withAdmin } from './machine.js';
import { claimOne, serve } from './serve-call.js';
import { readStatements, resetStatements, splitOf } from './statements.js';
import { median } from './stats.js';
import { type ExpertRef, makeWorld, type World } from './world.js';

const AHEAD = 100_000;
const WARM_UP = 30;
const MEASURED = 60;

/** What lies at the head of a queue must not be paid for: dead rows that no vacuum may take, and an expert's own tasks. */
export async function measureHistory(bench: Bench): Promise<void> {
  const world = await makeWorld(bench.machine, {
    name: 'history',
    tasks: 3 * AHEAD,
    projects: 20,
    skills: 1,
  });
  try {
    await withAdmin(world.url, async (admin) => {
      await ownTasks(bench, world, admin);
      await deadRows(bench, world, admin);
    });
  } finally {
    await world.drop();
  }
}

async function deadRows(bench: Bench, world: World, admin: pg.Client): Promise<void> {
  const experts = () => bench.take(world, 'one', WARM_UP + MEASURED);
  await world.vacuum();
  const clean = await measureClaims(bench, { world, admin, experts: experts(), warmUp: WARM_UP });
  const dead = await withAdmin(world.url, async (reader) => {
    await reader.query('begin isolation level repeatable read');
    await reader.query('select count(*) from lanes');
    await die(admin);
    return measureClaims(bench, { world, admin, experts: experts(), warmUp: WARM_UP });
  });
  bench.figure({
    name: 'deadRowsRatio',
    what: 'buffers behind 100,000 dead rows, old snapshot, over clean',
    value: dead.alone / clean.alone,
    max: 3,
    note: `${dead.alone.toFixed(0)} over ${clean.alone.toFixed(0)} buffers; ${dead.ms.toFixed(2)} over ${clean.ms.toFixed(2)} ms`,
  });
}

/** The first hundred thousand untouched rows are begun and then taken away, in steps between which the marks move. */
async function die(admin: pg.Client): Promise<void> {
  for (let step = 0; step < 20; step++) {
    await admin.query(
      `with head as materialized (select task_id from ready where phase = 0 order by tag, task_id limit ${AHEAD / 20})
       update ready r set phase = 1, excl = '{1}' from head where r.task_id = head.task_id`,
    );
    await admin.query(
      `with head as materialized (select task_id from ready where phase = 1 order by tag, task_id limit ${AHEAD / 20})
       delete from ready r using head where r.task_id = head.task_id`,
    );
    await admin.query('select app.refresh_lanes(false)');
  }
  await admin.query('select app.refresh_lanes(false)');
}

/** One expert has answered the first hundred thousand tasks, whose other two slots are still open. */
async function ownTasks(bench: Bench, world: World, admin: pg.Client): Promise<void> {
  const [other, veteran] = bench.take(world, 'one', 2);
  if (other === undefined || veteran === undefined) {
    throw new Error('There are no experts.');
  }
  const client = await connectCounted(world.url);
  try {
    const usual = await claimsOf(world, { client, admin, expert: other });
    await answerAhead(admin, world.tenantId, veteran);
    await world.vacuum();
    const own = await claimsOf(world, { client, admin, expert: veteran });
    bench.figure({
      what: 'buffers more with 100,000 own tasks at the head',
      value: own - usual,
      max: 50,
      note: `${own.toFixed(0)} over ${usual.toFixed(0)}`,
    });
    await admin.query(`delete from ready where $1 = any (excl)`, [veteran.expertId]);
    await admin.query('select app.refresh_lanes(true)');
  } finally {
    await client.end();
  }
}

async function answerAhead(admin: pg.Client, tenant: number, { expertId }: ExpertRef): Promise<void> {
  await admin.query(
    `with head as materialized (
       select r.task_id, r.tag from ready r where r.phase = 0 order by r.tag, r.task_id limit ${AHEAD}
     ), begun as (
       update ready r set phase = 1, excl = array[${expertId}], free_slots = '{2,3}' from head h where r.task_id = h.task_id
     )
     insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state,
       epoch, lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
     select ${tenant}, h.task_id, ${expertId}, p.id, t.batch_id, p.customer_id, p.lane_id, 1, 3, h.tag, 'SUBMITTED', 1, 1800,
       app.clock_now(), app.clock_now() + interval '30 minutes', app.clock_now() + interval '2 hours', app.clock_now(),
       app.clock_now(), p.price_minor, p.currency
     from head h join tasks t on t.tenant_id = ${tenant} and t.id = h.task_id
     join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id`,
  );
}

/** Buffers of one expert's claims, each answered before the next; the median, after some that warm up. */
async function claimsOf(
  world: World,
  { client, admin, expert }: { client: pg.Client; admin: pg.Client; expert: ExpertRef },
): Promise<number> {
  const found: number[] = [];
  for (let n = 0; n < 30; n++) {
    await resetStatements(admin);
    const held = await claimOne(client, world, expert);
    if (held === null) {
      throw new Error(`${expert.subject} was given nothing.`);
    }
    found.push(splitOf(await readStatements(admin), 1).alone);
    await serve(client, world, { submits: [held] });
  }
  return median(found.slice(10));
}
