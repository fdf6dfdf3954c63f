import { expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';

// Rule 10: whoever knows the seed knows when what was decided comes into effect.
const t = useTestDb();

test('requests and those who ask them never read what draws are made from', async () => {
  const { rows: granted } = await t.admin.query(
    `select grantee from information_schema.role_table_grants where table_name = 'effect_seed' and grantee like 'touchstone%' order by 1`,
  );
  expect([...new Set(granted.map(({ grantee }) => grantee))]).toEqual([
    'touchstone_owner',
    'touchstone_system',
  ]);
});
