import { withAdmin } from '../claim/machine.js';
import { makeWatchedWorld, type WatchedWorld } from '../fanout/world.js';

/** Projects that the leases are of: few leases are of as many as many. */
const PROJECTS = 50;
/** Nobody's lease ends or is warned of while it is measured. */
const LEASE_HOURS = 8;

/** A tenant with so many experts, and a task for each. */
export async function makeIdleWorld(url: string, experts: number): Promise<WatchedWorld> {
  const world = await makeWatchedWorld(url, { topics: PROJECTS, operators: 1 });
  await withAdmin(url, async (client) => {
    await client.query('set session_replication_role = replica');
    const values = [world.tenantId, experts];
    await client.query(
      `with person as (insert into experts (tenant_id, handle) select $1, 'expert-' || n from generate_series(1, $2::int) n returning id)
       insert into expert_skills (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower)
       select $1, person.id, s.id, 'ACTIVE', 0.9, 0.8 from person cross join skills s where s.tenant_id = $1`,
      values,
    );
    await client.query(
      `insert into batches (tenant_id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count,
                            idempotency_key, content_digest, stored_at, deadline)
       select p.tenant_id, p.id, p.customer_id, 'batch', 'OPEN', 'JSONL', 'raw', 1, $2::int / ${PROJECTS}, $2::int / ${PROJECTS},
              'batch-' || p.id, 'bench', app.clock_now(), app.clock_now() + interval '30 days'
       from projects p where p.tenant_id = $1`,
      values,
    );
    await client.query(
      `insert into tasks (tenant_id, project_id, batch_id, customer_id, line, external_id, payload_key, payload_bytes, content_type, wanted)
       select b.tenant_id, b.project_id, b.id, b.customer_id, n, 'item-' || n, 'key-' || b.id || '-' || n, 3, 'application/json', 1
       from batches b cross join generate_series(1, $2::int / ${PROJECTS}) n where b.tenant_id = $1`,
      values,
    );
    await client.query('vacuum analyze');
  });
  return world;
}

/** Has the first so many experts hold a lease each, as claims leave them. */
export async function holdLeases({ url, tenantId }: WatchedWorld, count: number): Promise<void> {
  await withAdmin(url, async (client) => {
    await client.query('set session_replication_role = replica');
    await client.query(
      `with person as (
         select id, row_number() over (order by id) as n from experts where tenant_id = $1
       ), task as (
         select t.*, row_number() over (order by t.line, t.id) as n from tasks t where t.tenant_id = $1
       ), taken as (
         insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
           lease_seconds, leased_at, lease_until, hold_until, price_minor, currency)
         select t.tenant_id, t.id, x.id, t.project_id, t.batch_id, t.customer_id, p.lane_id, 1, 1, 0, 'LEASED', 1, ${LEASE_HOURS * 3600},
           app.clock_now(), app.clock_now() + interval '${LEASE_HOURS} hours', app.clock_now() + interval '32 hours', p.price_minor, p.currency
         from person x join task t on t.n = x.n join projects p on p.tenant_id = t.tenant_id and p.id = t.project_id
         where x.n <= $2::int
           and not exists (select from assignments a where a.tenant_id = t.tenant_id and a.expert_id = x.id)
         returning *
       )
       insert into lease_alarms (tenant_id, assignment_id, epoch, lane_id, project_id, due_at)
       select a.tenant_id, a.id, a.epoch, a.lane_id, a.project_id, a.lease_until - app.lease_warning(a.lease_seconds) from taken a`,
      [tenantId, count],
    );
    await client.query('vacuum analyze');
    await client.query('checkpoint');
  });
}
