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
     insert into trace_exports (tenant_id, access_log_id, expert_id, job_id, reason, from_at, to_at, fixes, exported_by)
     select tenant_id, id, subject_id, 1, 'planted for a test', now(), now(), 0, actor_id from logged`,
    [tenantId],
  );
  await admin.query(
    `insert into cell_pairs (tenant_id, from_cell, to_cell, seconds_a_metre, worst_seconds_a_metre, is_barrier)
     values ($1, '881f1d4887fffff', '881f1d4889fffff', 0.2, 0.3, false)`,
    [tenantId],
  );
}
