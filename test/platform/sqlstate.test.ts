import { expect, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { isConnectionLost } from '../../src/services/platform/sqlstate.js';
import { useTestDb } from '../support/db.js';

const t = useTestDb();

const failure = async (work: Promise<unknown>) => {
  const [end] = await Promise.allSettled([work]);
  return end?.status === 'rejected' ? (end.reason as unknown) : null;
};

test('a connection that is cut under a statement, and one that was cut before, are lost; a wrong statement is not', async () => {
  const client = await connect(t.url, 'touchstone test cut');
  const ended = new Promise((end) => client.once('end', end));
  client.on('error', () => undefined);
  expect(isConnectionLost(await failure(client.query('select 1/0')))).toBe(false);
  expect(isConnectionLost(await failure(client.query('select pg_terminate_backend(pg_backend_pid())')))).toBe(
    true,
  );
  await ended;
  expect(isConnectionLost(await failure(client.query('select 1')))).toBe(true);
});
