import { expect, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { exportResults } from '../../src/services/projects/export-results.js';
import { plantAnswered } from '../quality/support/planted.js';
import { useTestDb } from '../support/db.js';
import { at, makeWorld } from '../support/factories.js';
import { untilBlocked } from '../support/interleave.js';

const t = useTestDb();
/** One more than a page takes. */
const TASKS = 501;

test('an export of results has every task that was finished before it, though others finish while it reads', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 0 });
  const { tenantId, projectId, operator } = world;
  const vote = { expert: 0, label: 'yes', confidence: null };
  const [late = 0n, ...tasks] = await plantAnswered(
    t.admin,
    world,
    Array.from({ length: TASKS + 1 }, () => [vote]),
  );
  await t.admin.query(`update tasks set state = 'OPEN', done_at = null where id = $1`, [late]);
  // What only the statement for results reads: the page is chosen by then.
  const holder = await connect(t.url, 'touchstone test lock');
  await holder.query('begin');
  await holder.query('lock table inference_versions in access exclusive mode');
  const request = { tenantId, projectId, idempotencyKey: 'none', actorId: operator.identityId };
  const results = exportResults(t.database, request);
  const first = results.next();
  await untilBlocked(t.admin, 1);
  await t.admin.query(`update tasks set state = 'DONE', done_at = now() where id = $1`, [late]);
  await holder.query('commit');
  await holder.end();
  const ids = new Set([(await first).value?.taskId]);
  for await (const { taskId } of results) {
    ids.add(taskId);
  }
  expect(tasks.filter((taskId) => !ids.has(taskId))).toEqual([]);
  expect(ids.has(at(tasks, TASKS - 1))).toBe(true);
});
