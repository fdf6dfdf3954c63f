import type pg from 'pg';

/**
 * Workers of all experts of a tenant, and of each customer a job that the first of them has accepted, next year. Every text bears the
 * name of its owner.
 */
export async function plantDispatch(admin: pg.Client, tenantId: bigint): Promise<void> {
  const statements = [
    `insert into dispatch_settings (tenant_id, time_zone) values ($1, 'Europe/Berlin')`,
    `insert into workers (tenant_id, expert_id, shift_days, shift_start, shift_end, home_latitude, home_longitude, travels)
     select tenant_id, id, '{1}', '08:00', '17:00', 42.5, 1.5, true from experts where tenant_id = $1`,
    `insert into latest_fixes (tenant_id, expert_id, latitude, longitude, cell, device_at, received_at)
     select tenant_id, id, 42.5, 1.5, '88394461c' || to_char(id, 'FM000000'), now(), now() from experts where tenant_id = $1`,
    `insert into jobs (tenant_id, customer_id, kind, type, skill_ids, min_quality, latitude, longitude, not_before, due_by, duration_seconds,
       priority, check_in_code, idempotency_key, request_digest)
     select tenant_id, id, 'SCHEDULED', 'Job for ' || right(name, 6), '{}', 0, 42.5, 1.5, now() + interval '1 y', now() + interval '2 y', 60, 5, '123456',
       'key of ' || name, 'digest of ' || name
     from customers where tenant_id = $1`,
    `insert into offers (tenant_id, job_id, expert_id, epoch, kind, state, occupies, offered_at, expires_at, accepted_at, accepted_day, busy, slot,
       eta_seconds, eta_road_seconds, eta_low_seconds, eta_high_seconds, eta_confidence, fix_cell, actor_id, reason)
     select j.tenant_id, j.id, x.id, 1, 'MANUAL', 'ACCEPTED', false, now(), now(), now(), current_date,
       tstzrange(now() + j.id * interval '1 d', now() + (j.id + 1) * interval '1 d'), 1, 1, 1, 1, 1, 'MANUAL', '88394461c' || j.id, 1,
       'Sent to the ' || j.type
     from jobs j join experts x on x.tenant_id = j.tenant_id and x.id = (select min(y.id) from experts y where y.tenant_id = j.tenant_id)
     where j.tenant_id = $1`,
    `update jobs j set state = 'ACCEPTED', offer_id = o.id, epoch = 1, accepted_at = now(), no_show_due_at = now() + interval '3 y',
       reason = 'Why of ' || j.type
     from offers o where o.tenant_id = j.tenant_id and o.job_id = j.id and j.tenant_id = $1`,
    `insert into job_attachments (tenant_id, job_id, offer_id, customer_id, kind, content_type, content, sha256)
     select tenant_id, id, offer_id, customer_id, 'PROOF', 'text/x-' || id, convert_to(type, 'UTF8'), encode(sha256(convert_to(type, 'UTF8')), 'hex')
     from jobs where tenant_id = $1`,
  ];
  for (const text of statements) {
    await admin.query(text, [tenantId]);
  }
}

/** One more worker, the newest of a tenant's experts, and one more job of its first customer, once offered to them and taken back. */
export async function plantJob(admin: pg.Client, tenantId: bigint): Promise<void> {
  await admin.query(
    `insert into workers (tenant_id, expert_id, shift_days, shift_start, shift_end, home_latitude, home_longitude, travels)
     select tenant_id, max(id), '{1}', '08:00', '17:00', 42.5, 1.5, true from experts where tenant_id = $1 group by tenant_id`,
    [tenantId],
  );
  await admin.query(
    `with job as (
       insert into jobs (tenant_id, customer_id, kind, type, skill_ids, min_quality, latitude, longitude, not_before, due_by, duration_seconds,
         priority, check_in_code, idempotency_key, request_digest)
       select tenant_id, min(id), 'SCHEDULED', 'Check', '{}', 0, 42.5, 1.5, now() + interval '1 y', now() + interval '2 y', 60, 5, '123456',
         gen_random_uuid()::text, 'planted'
       from customers where tenant_id = $1 group by tenant_id returning tenant_id, id)
     insert into offers (tenant_id, job_id, expert_id, epoch, kind, state, occupies, offered_at, expires_at, ended_at, busy, slot, eta_seconds,
       eta_road_seconds, eta_low_seconds, eta_high_seconds, eta_confidence, actor_id, reason)
     select j.tenant_id, j.id, w.expert_id, 1, 'MANUAL', 'WITHDRAWN', false, now(), now(), now(), tstzrange(now(), now() + interval '1 h'), 1,
       1, 1, 1, 1, 'MANUAL', 1, 'planted'
     from job j cross join lateral (select max(expert_id) as expert_id from workers where tenant_id = j.tenant_id) w`,
    [tenantId],
  );
}
