import type pg from 'pg';

/** Rows of what is kept of fixes. */
export async function plantFixes(admin: pg.Client, tenantId: bigint): Promise<void> {
  await admin.query("insert into fix_keys (tenant_id, sealed) select $1, decode(repeat('00', 60), 'hex')", [
    tenantId,
  ]);
  await admin.query(
    `insert into fix_archive (tenant_id, expert_id, bucket_at, device_at, received_at, sealed)
     select tenant_id, id, now(), now(), now(), decode(repeat('00', 40), 'hex') from experts where tenant_id = $1`,
    [tenantId],
  );
  await admin.query(
    `with who as (
       select x.tenant_id, x.id as expert_id, i.id as actor_id
       from experts x join lateral (select id from identities i where i.tenant_id = x.tenant_id limit 1) i on true
       where x.tenant_id = $1
     ), logged as (
       insert into access_log (tenant_id, actor_id, role, subject_type, subject_id, purpose)
       select tenant_id, actor_id, 'OPERATOR', 'EXPERT', expert_id, 'TRACE' from who returning tenant_id, id, actor_id, subject_id
     )
     insert into trace_exports (tenant_id, access_log_id, expert_id, job_id, reason, from_at, to_at, fixes, exported_by, role)
     select l.tenant_id, l.id, l.subject_id,
       coalesce((select max(o.job_id) from offers o where o.tenant_id = l.tenant_id and o.expert_id = l.subject_id), 0),
       'Needed of the worker ' || l.subject_id, now(), now(), 0, l.actor_id, 'OPERATOR' from logged l`,
    [tenantId],
  );
  await admin.query(
    `insert into cell_pairs (tenant_id, from_cell, to_cell, seconds_a_metre, worst_seconds_a_metre, is_barrier)
     values ($1, '881f1d4887fffff', '881f1d4889fffff', 0.2, 0.3, false)`,
    [tenantId],
  );
}
