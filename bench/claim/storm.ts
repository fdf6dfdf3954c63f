import pg from 'pg';
import { createLeaseAlarms } from '../../src/jobs/lease-alarms.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { openDatabase } from '../../src/services/platform/database.js';
import { createLogger } from '../../src/services/platform/logger.js';
import type { Bench } from './bench.js';
import { withMarks } from './lanes.js';
import { withAdmin } from './machine.js';
import { serve } from './serve-call.js';
import { median } from './stats.js';
import { type ExpertRef, makeWorld, type World } from './world.js';

const LEASES = 50_000;
const CLAIMS = 100;
const PATIENCE_MS = 120_000;

/** Fifty thousand leases end in one second, as after an outage of everybody's network; others go on claiming. */
export async function measureStorm(bench: Bench): Promise<void> {
  const world = await makeWorld(bench.machine, {
    name: 'storm',
    tasks: 2 * LEASES,
    projects: 50,
    skills: 20,
  });
  const db = openDatabase({ url: world.url });
  const alarms = createLeaseAlarms({ db, bus: createLocalBus(), log: createLogger('silent') });
  const client = new pg.Client({
    connectionString: world.url,
    options: '-c role=touchstone_app -c TimeZone=UTC',
  });
  await client.connect();
  try {
    await withMarks(world.url, async () => {
      await claims(client, world, bench.take(world, 'crowd', CLAIMS));
      await withAdmin(world.url, (admin) => lease(admin, world.tenantId));
      await world.vacuum();
      const usual = await claims(client, world, bench.take(world, 'crowd', CLAIMS));
      await withAdmin(world.url, end);
      const began = performance.now();
      alarms.start();
      const during = await claims(client, world, bench.take(world, 'crowd', CLAIMS));
      const seconds = await untilBack(world, began);
      bench.figure({
        name: 'leaseStormRatio',
        what: 'claim while 50,000 leases end over the usual',
        value: median(during) / median(usual),
        max: 2,
        note: `medians ${median(during).toFixed(2)} over ${median(usual).toFixed(2)} ms, one client`,
      });
      bench.figure({ what: 'seconds until all their slots are back', value: seconds, max: 60 });
    });
  } finally {
    await alarms.stop();
    await client.end();
    await db.close();
    await world.drop();
  }
}

async function claims(client: pg.Client, world: World, experts: readonly ExpertRef[]): Promise<number[]> {
  const found: number[] = [];
  for (const expert of experts) {
    const began = performance.now();
    const [outcome] = (await serve(client, world, { claims: [expert] })).claims;
    if (outcome?.outcome !== 'LEASED') {
      throw new Error(`Expert ${expert.subject} was answered ${outcome?.outcome}.`);
    }
    found.push(performance.now() - began);
  }
  return found;
}

/** As many experts more, each with the lease of a task that nobody has begun. */
async function lease(admin: pg.Client, tenant: number): Promise<void> {
  await admin.query(
    `with person as materialized (
       insert into experts (tenant_id, handle) select ${tenant}, 'storm-' || n from generate_series(1, ${LEASES}) n returning id
     ), paired as materialized (
       select p.id as expert_id, h.* from (select id, row_number() over (order by id) as n from person) p
       join (select task_id, lane_id, project_id, tag, row_number() over (order by task_id) as n from ready where phase = 0) h using (n)
     ), begun as (
       update ready r set phase = 1, excl = array[h.expert_id], free_slots = '{2,3}' from paired h where r.task_id = h.task_id
     ), leased as (
       insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state,
         epoch, lease_seconds, leased_at, lease_until, hold_until, price_minor, currency)
       select ${tenant}, h.task_id, h.expert_id, p.id, t.batch_id, p.customer_id, h.lane_id, 1, 3, h.tag, 'LEASED', 1, 1800,
         app.clock_now(), app.clock_now() + interval '30 minutes', app.clock_now() + interval '2 hours', p.price_minor, p.currency
       from paired h join tasks t on t.tenant_id = ${tenant} and t.id = h.task_id
       join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
       returning id, lane_id, project_id, lease_until
     )
     insert into lease_alarms (tenant_id, assignment_id, epoch, lane_id, project_id, due_at, warned)
     select ${tenant}, id, 1, lane_id, project_id, lease_until, true from leased`,
  );
}

/** Their time is over, all at once: nobody's clock is moved, the leases are shortened. */
async function end(admin: pg.Client): Promise<void> {
  await admin.query(
    `with storm as materialized (
       select a.id from assignments a join experts x on x.tenant_id = a.tenant_id and x.id = a.expert_id where x.handle like 'storm-%'
     ), ended as (
       update assignments a set leased_at = app.clock_now() - interval '31 minutes', lease_until = app.clock_now()
       from storm s where a.id = s.id
     )
     update lease_alarms l set due_at = app.clock_now() from storm s where l.assignment_id = s.id`,
  );
}

function untilBack(world: World, began: number): Promise<number> {
  return withAdmin(world.url, async (admin) => {
    while (performance.now() - began < PATIENCE_MS) {
      const { rows } = await admin.query(
        `select exists (select from assignments where state = 'LEASED' and lease_until <= app.clock_now()) as waits`,
      );
      if (rows[0]?.waits === false) {
        return (performance.now() - began) / 1000;
      }
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    return Number.POSITIVE_INFINITY;
  });
}
