import type pg from 'pg';
import type { World } from '../../support/factories.js';

/** Says of tasks that gradings name that they are gold of this source, and no longer shown: `ids` are theirs. Nothing but this row is there of them. */
export async function plantGoldRows(
  admin: pg.Client,
  { tenantId, projectId }: Pick<World, 'tenantId' | 'projectId'>,
  { ids, source = 'IMPORT' }: { ids: readonly (number | bigint)[]; source?: 'IMPORT' | 'MINTED' },
): Promise<void> {
  // Foreign keys are triggers: the gold has no task.
  await admin.query('set session_replication_role = replica');
  await admin.query(
    `insert into golds (tenant_id, task_id, project_id, payload_key, label, look, source, source_task_id, state, ended_at, reason)
     select $1, k.id, $2, 'gold ' || k.id, '', 'text/plain', $4, case when $4 = 'MINTED' then k.id end, 'RETIRED', now(), 'EXPOSURE'
     from unnest($3::bigint[]) as k(id)`,
    [tenantId, projectId, ids.map(String), source],
  );
  await admin.query('set session_replication_role = origin');
}
