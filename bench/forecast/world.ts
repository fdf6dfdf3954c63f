import type pg from 'pg';
import { type Machine, withAdmin } from '../claim/machine.js';
import { shapeOf } from '../claim/populate.js';
import { makeWorld, type World } from '../claim/world.js';

/** Batches that each project has finished before. */
const FINISHED = 10;

/**
 * The work of `bench -- claim` with 200 projects, each with a deadline between a day and a month, 3,000 experts who may do several
 * skills each and for some customers not, and batches that have ended: there with their tasks, and with what they were at each twentieth.
 */
export async function makeForecastWorld(machine: Machine, tasks: number): Promise<World> {
  const world = await makeWorld(machine, shapeOf(tasks));
  await withAdmin(world.url, async (client) => {
    await client.query(
      `update experts set status = 'PAUSED' where tenant_id = $1 and id not in (
         select id from experts where tenant_id = $1 and handle not like 'past-%' and handle not like 'one-%'
         order by handle like 'hot-%', id limit 3000)`,
      [world.tenantId],
    );
    await client.query(
      `update batches set stored_at = app.clock_now() - interval '2 days',
         deadline = app.clock_now() + make_interval(hours => (24 + id * 37 % 720)::int) where tenant_id = $1`,
      [world.tenantId],
    );
    await begin(client, world);
    // Batches that are done: nothing of them is open, but they are there, and what they were is learned from.
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into batches (tenant_id, id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count,
                            idempotency_key, content_digest, stored_at)
       overriding system value
       select b.tenant_id, 1000000 + b.id * $2 + n, b.project_id, b.customer_id, 'past', 'OPEN', 'JSONL', 'raw', 0, 5, 5, 'past-' || n, 'bench',
              app.clock_now() - interval '9 days'
       from batches b cross join generate_series(1, $2::int) n where b.tenant_id = $1`,
      [world.tenantId, FINISHED],
    );
    await client.query(
      `insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted, counted,
                          state, done_at)
       select b.tenant_id, b.project_id, b.id, b.customer_id, n, 'payloads/past/' || n, 2, 'application/json', 3, 3, 'DONE', app.clock_now()
       from batches b cross join generate_series(1, 5) n where b.tenant_id = $1 and b.name = 'past'`,
      [world.tenantId],
    );
    await client.query(
      `insert into forecasts (tenant_id, batch_id, project_id, customer_id, computed_at, remaining, answers, answers_per_hour,
                              handling_seconds, ended_at)
       select b.tenant_id, b.id, b.project_id, b.customer_id, app.clock_now(), 0, 3000, 0, 240, app.clock_now() - interval '1 day'
       from batches b where b.tenant_id = $1 and b.name = 'past'`,
      [world.tenantId],
    );
    await client.query(
      `insert into forecast_marks (tenant_id, batch_id, share, customer_id, at, elapsed_seconds, answers, remaining, capacity_seconds)
       select b.tenant_id, b.id, s, b.customer_id, app.clock_now() - interval '5 days', s * 3600, s * 30, (100 - s) * 30,
              86400 * (2 + (b.id * 7 + s) % 3)
       from batches b cross join generate_series(5, 95, 5) s where b.tenant_id = $1 and b.name = 'past'`,
      [world.tenantId],
    );
    // Some may not work for some: work for those is of classes of its own.
    await client.query(
      `insert into conflicts (tenant_id, expert_id, customer_id, reason)
       select x.tenant_id, x.id, c.id, 'bench' from experts x join customers c on c.tenant_id = x.tenant_id and c.id <= 2
       where x.tenant_id = $1 and x.id % 25 = 0`,
      [world.tenantId],
    );
    await client.query('select app.tally_anew(null)');
    // Eight weeks of each expert: some hours of most workdays, in office hours of their own.
    await client.query(
      `insert into expert_weeks (tenant_id, expert_id, week, seconds, updated_at)
       select e.tenant_id, e.id, floor(extract(epoch from app.clock_now()) / 604800)::int - w, h.seconds, app.clock_now()
       from experts e cross join generate_series(1, 8) w
       cross join lateral (
         select array_agg(case when n / 24 < 5 and n % 24 between 6 + e.id % 6 and 10 + e.id % 9
                                    and (hashint8(e.id * 1000 + w * 168 + n) & 3) > 0 then 2400 else 0 end::smallint order by n) as seconds
         from generate_series(0, 167) n
       ) h
       where e.tenant_id = $1 and e.status = 'ACTIVE'`,
      [world.tenantId],
    );
    await client.query(
      `insert into identity_roles (tenant_id, identity_id, role)
       select tenant_id, id, 'ANALYST' from identities where tenant_id = $1 order by id limit 1`,
      [world.tenantId],
    );
  });
  await world.vacuum();
  return world;
}

/** A tenth of each batch is done, and of the latest of that it is known who answered when. */
async function begin(client: pg.Client, { tenantId }: World): Promise<void> {
  await client.query('set session_replication_role = replica');
  await client.query(
    `with done as (
       update tasks t set state = 'DONE', counted = 3, done_at = app.clock_now()
       from batches b where b.tenant_id = t.tenant_id and b.id = t.batch_id and t.tenant_id = $1 and t.line > b.task_count * 0.9
       returning t.tenant_id, t.id, t.project_id, t.batch_id, t.customer_id, t.line, b.task_count - t.line as back
     ), gone as (
       delete from ready r using done d where r.tenant_id = d.tenant_id and r.task_id = d.id
     )
     insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
       lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
     select d.tenant_id, d.id, x.id, d.project_id, d.batch_id, d.customer_id, p.lane_id, n, 3, 0, 'ACCEPTED', 1, 1800, s.at - interval '4 minutes',
       s.at + interval '26 minutes', s.at + interval '26 minutes', s.at, s.at, p.price_minor, p.currency
     from done d
     join projects p on p.tenant_id = d.tenant_id and p.id = d.project_id
     cross join generate_series(1, 3) n
     join (select id, row_number() over (order by id) - 1 as place from experts where tenant_id = $1 and handle like 'past-%') x
       on x.place = (d.line * 3 + n) % 500
     cross join lateral (select app.clock_now() - make_interval(mins => (d.back * 2)::int) as at) s
     where d.back < 60
     on conflict do nothing`,
    [tenantId],
  );
}
