import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld } from '../../support/factories.js';
import { foldScores, mixed, plantGradings, settle } from '../support/graded.js';

const t = useTestDb();

/** A migration from a line of it on, as it runs. */
async function run(name: string, from: string): Promise<void> {
  const migration = await readFile(`prisma/migrations/${name}/migration.sql`, 'utf8');
  await t.admin.query(
    `begin; set local role touchstone_owner; ${migration.slice(migration.indexOf(from))} commit`,
  );
}

test('whoever was graded by an adjudicator who may err is folded once more, and nobody else', async () => {
  const audited = await makeWorld(t.database, { tasks: 0 });
  const keyed = await makeWorld(t.database, { tasks: 0 });
  for (const world of [audited, keyed]) {
    await plantGradings(t.admin, { world, expert: world.ada }, mixed(10, 9));
  }
  await t.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind, truth, answered,
       is_right, graded_at, weight)
     select tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, 'ADJUDICATION', truth, answered,
       is_right, graded_at, 0.85 from gradings where tenant_id = $1`,
    [audited.tenantId],
  );
  await foldScores(t);
  await settle(t);
  const phase = async () => {
    const { rows } = await t.admin.query('select phase from standings where expert_id = $1', [
      audited.ada.expertId,
    ]);
    return at(rows, 0).phase;
  };
  expect(await phase()).toBe('CLEAR');
  // As a version left it that took the adjudicator at their word.
  await t.admin.query(
    `update standings set phase = 'WARNED', reason = 'ACCURACY_BELOW_BAR' where expert_id = $1`,
    [audited.ada.expertId],
  );
  await run('20261210060000_audits_anew', 'alter table gradings no force');
  const { rows } = await t.admin.query('select tenant_id, expert_id from grading_dues');
  expect(rows).toEqual([{ tenant_id: String(audited.tenantId), expert_id: String(audited.ada.expertId) }]);
  await foldScores(t);
  expect(await phase()).toBe('CLEAR');
});

test('pauses of before say what their expert was before the first of the run', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const { ada, tenantId, skillId } = world;
  const pair = [tenantId, ada.expertId, skillId];
  const paused = (before: string, at: string, resumed: string | null) =>
    t.admin.query(
      `insert into pauses (tenant_id, expert_id, skill_id, reason, status_before, paused_at, resumed_at, returned)
       values ($1, $2, $3, 'ACCURACY_BELOW_BAR', $4, $5, $6::timestamptz, $6::timestamptz is not null)`,
      [...pair, before, at, resumed],
    );
  const tested = (at: string) =>
    t.admin.query('insert into retests (tenant_id, expert_id, skill_id, begun_at) values ($1, $2, $3, $4)', [
      ...pair,
      at,
    ]);
  const cleared = (at: string) =>
    t.admin.query(
      `with n as (insert into standing_notices (tenant_id, expert_id, skill_id, phase, reason, at, evidence)
                  values ($1, $2, $3, 'CLEAR', 'HUMAN', $4, '{}') returning id)
       insert into shown_notices (tenant_id, notice_id, expert_id, skill_id, shown_at) select $1, n.id, $2, $3, $4 from n`,
      [...pair, at],
    );
  await paused('ACTIVE', '2026-01-01', '2026-01-02');
  await tested('2026-01-02');
  await cleared('2026-01-03');
  // On probation by a human's hand.
  await paused('PROBATION', '2026-02-01', '2026-02-02');
  await tested('2026-02-02');
  await paused('PROBATION', '2026-02-03', '2026-02-10');
  await cleared('2026-02-11');
  await paused('ACTIVE', '2026-03-01', '2026-03-02');
  await tested('2026-03-02');
  await paused('PROBATION', '2026-03-03', '2026-03-10');
  await tested('2026-03-10');
  await paused('PROBATION', '2026-03-11', null);
  await run('20261210010040_retests_end', 'alter table pauses no force');
  const { rows } = await t.admin.query('select status_before from pauses where expert_id = $1 order by id', [
    ada.expertId,
  ]);
  expect(rows.map(({ status_before }) => status_before)).toEqual([
    ...['ACTIVE', 'PROBATION', 'PROBATION'],
    ...['ACTIVE', 'ACTIVE', 'ACTIVE'],
  ]);
});
