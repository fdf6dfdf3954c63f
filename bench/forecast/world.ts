import { type Machine, withAdmin } from '../claim/machine.js';
import { shapeOf } from '../claim/populate.js';
import { makeWorld, type World } from '../claim/world.js';

/** Batches that the projects have finished before, and the weeks that are known of each expert. */
const FINISHED = 6;

/**
 * The work of `bench -- claim` with 200 projects, each with a deadline between a day and a month, 3,000 experts who may do several
 * skills each, and batches that have ended: at each twentieth of their work some of what they were then.
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
    // (Of batches that are gone: what they were is all that is asked of them.)
    await client.query('set session_replication_role = replica');
    await client.query(
      `insert into forecast_marks (tenant_id, batch_id, share, customer_id, at, elapsed_seconds, answers, remaining)
       select b.tenant_id, -(b.id * $2 + n), s, b.customer_id, app.clock_now() - interval '5 days', s * 3600, s * 30, (100 - s) * 30
       from batches b cross join generate_series(1, $2::int) n cross join generate_series(5, 95, 5) s
       where b.tenant_id = $1`,
      [world.tenantId, FINISHED],
    );
    // Eight weeks of each: some hours of most workdays, in office hours of their own.
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
