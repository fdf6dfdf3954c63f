import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { connect } from '../../../src/runtime/connect.js';
import { MIGRATIONS } from '../../../src/runtime/migration-files.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';

// A database as it was before draws were kept, and the migration that begins with it.
const t = useTestDb();
const DRAWS = readFileSync(join(MIGRATIONS, '20261210010000_truth_draws', 'migration.sql'), 'utf8');
const BEFORE = `
  drop table dropped_draws;
  drop table truth_draws;
  drop function app.keep_draw() cascade;
  drop function app.keep_stopped_draw() cascade;
  drop function app.draws_kept_after();
  drop function app.draw_first_gold(bigint, bigint, integer, integer);
  drop function app.ask_first_gold(bigint, bigint, integer)`;

test('draws begin with their table: nothing of before is one, and whoever reads or works meanwhile holds nothing up', async () => {
  const { tenantId, projectId } = await makeWorld(t.database, { tasks: 9 });
  await t.admin.query(BEFORE);
  // Of a first gold the two ends, and between them what was at odds.
  const { rows: kept } = await t.admin.query(
    `insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
     select t.tenant_id, t.id, t.project_id, t.customer_id, 2, 'ADJUDICATE', case when t.line in (1, 9) then 'FIRST_GOLD' else 'TIE' end,
            case when t.line in (1, 9) then 0 end, '[]'
     from tasks t where t.tenant_id = $1 order by t.id returning id`,
    [tenantId],
  );
  const other = await connect(t.url, 'touchstone test other');
  onTestFinished(() => other.end());
  await other.query('begin');
  await other.query('select count(*) from task_decisions');
  await other.query('update tasks set wanted = wanted where tenant_id = $1', [tenantId]);
  await other.query('update projects set audit_share = 0.2 where tenant_id = $1 and id = $2', [
    tenantId,
    projectId,
  ]);
  await t.admin.query(`begin; ${DRAWS}; commit`);
  await other.query('rollback');
  const { rows } = await t.admin.query(
    'select (select count(*)::int from truth_draws) as draws, app.draws_kept_after()::text as after',
  );
  expect(rows).toEqual([{ draws: 0, after: kept.at(-1)?.id }]);
});
