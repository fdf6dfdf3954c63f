import { expect, test } from 'vitest';
import { withSystem } from '../../../src/services/platform/database.js';
import { projectDue } from '../../../src/services/quality/watching/turns.sql.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';

const t = useTestDb();

test('a tenant with a thousand projects that nobody has looked at leaves others their turn', async () => {
  const many = await makeWorld(t.database);
  const other = await makeWorld(t.database);
  await t.admin.query(
    `insert into project_watches (tenant_id, project_id, grading_id, looked_at, has_more, is_fresh)
     select $1::bigint, 1000000000 + n, 0, null, false, true from generate_series(1, 1500) n
     union all select $1::bigint, $2::bigint, 0, app.clock_now(), false, false
     union all select $3::bigint, $4::bigint, 0, app.clock_now() - interval '1 d', false, true`,
    [many.tenantId, many.projectId, other.tenantId, other.projectId],
  );
  const due = await withSystem(t.database, (tx) => projectDue(tx, 60));
  expect(due?.projectId).toBe(other.projectId);
});
