import { expect, test } from 'vitest';
import { useTestDb } from './db.js';

const db = useTestDb();

test('the database of a test file is migrated and its clock can be moved', async () => {
  const seconds = async () => {
    const { rows } = await db.admin.query(
      `select extract(epoch from app.clock_now() - date_trunc('milliseconds', now()))::float8 as ahead`,
    );
    return rows[0].ahead;
  };
  expect(await seconds()).toBe(0);
  await db.advance(61);
  expect(await seconds()).toBe(61);
});

test('pools come in the roles of requests and of background work', async () => {
  const role = 'select current_user as role';
  expect((await db.database.appPool.query(role)).rows[0].role).toBe('touchstone_app');
  expect((await db.database.systemPool.query(role)).rows[0].role).toBe('touchstone_system');
});
