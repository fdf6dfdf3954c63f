import { expect, test } from 'vitest';
import { useTestDb } from '../support/db.js';

// Rule 11: only gold and adjudication move a quality score; scores, consensus and releases are folds over permanent facts.
const t = useTestDb();

test.each(['touchstone_app', 'touchstone_line'])('%s can read scores and write none', async (role) => {
  const { rows } = await t.admin.query(
    `select table_name, string_agg(privilege_type, ',' order by privilege_type) as granted
     from (select distinct table_name, privilege_type from information_schema.role_table_grants where grantee = $1
             and table_name in ('quality_scores', 'confidence_calibrations', 'skill_calibrations', 'stopping_models', 'inference_versions', 'inference_experts')
           union select distinct table_name, privilege_type from information_schema.role_column_grants where grantee = $1
             and table_name in ('quality_scores', 'confidence_calibrations', 'skill_calibrations', 'stopping_models', 'inference_versions', 'inference_experts')) g
     group by table_name order by table_name`,
    [role],
  );
  expect(rows).toEqual([
    { table_name: 'confidence_calibrations', granted: 'SELECT' },
    { table_name: 'inference_experts', granted: 'SELECT' },
    { table_name: 'inference_versions', granted: 'SELECT' },
    { table_name: 'quality_scores', granted: 'SELECT' },
    { table_name: 'skill_calibrations', granted: 'SELECT' },
    // (A policy that changes takes with it what was fitted for the one before: that moves no score.)
    { table_name: 'stopping_models', granted: role === 'touchstone_app' ? 'DELETE,SELECT' : 'SELECT' },
  ]);
});

test.each(['task_decisions', 'adjudications', 'inference_versions', 'inference_experts'])(
  '%s are permanent facts',
  async (table) => {
    await expect(t.admin.query(`truncate ${table} cascade`)).rejects.toMatchObject({ code: 'XR001' });
    const { rows } = await t.admin.query(
      `select tgname from pg_trigger where tgrelid = $1::regclass and tgname like 'permanent%' order by tgname`,
      [table],
    );
    expect(rows).toEqual([{ tgname: 'permanent' }, { tgname: 'permanent_truncate' }]);
  },
);
