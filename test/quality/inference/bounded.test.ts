import { expect, test } from 'vitest';
import { withSystem } from '../../../src/services/platform/database.js';
import { chooseMethods } from '../../../src/services/quality/inference/methods.js';
import { newsOf } from '../../../src/services/quality/inference/methods.sql.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { mixed, plantGradings } from '../support/graded.js';
import { plantGoldRows } from '../support/hand-gold.js';
import { plantAnswered } from '../support/planted.js';

// The choice of methods reads no more for there being more, and nothing where there is nothing to choose.
const t = useTestDb();

test('gold that counts no longer is looked for among the latest that a version was made from', async () => {
  const world = await makeWorld(t.database);
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(40, 30));
  const graded = await t.admin.query('select task_id from gradings where project_id = $1', [world.projectId]);
  await plantGoldRows(t.admin, world, { ids: graded.rows.map(({ task_id }) => BigInt(task_id)) });
  const lastGrading = BigInt(
    await numberOf(t.admin, 'select max(id) from gradings where project_id = $1', [world.projectId]),
  );
  const told = async () => {
    const { goldTold } = await withSystem(t.database, (tx) =>
      newsOf(tx, world, { lastGrading, fittedAt: null, limit: 10 }),
    );
    return goldTold;
  };
  expect(await told()).toBe(10);
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'UNHEALTHY', now() from gradings where project_id = $1 order by id desc limit 3`,
    [world.projectId],
  );
  expect(await told()).toBe(7);
});

test('an answer is news when it is given, however long ago its task was begun', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const vote = { expert: 0, label: 'yes', confidence: null };
  await plantAnswered(t.admin, world, [[vote], [vote]]);
  const fittedAt = new Date((await t.admin.query('select app.clock_now() as now')).rows[0].now);
  const answers = async (limit: number) => {
    const since = { lastGrading: 0n, fittedAt, limit };
    return (await withSystem(t.database, (tx) => newsOf(tx, world, since))).answers;
  };
  expect(await answers(10)).toBe(0);
  await t.admin.query('set session_replication_role = replica');
  await t.admin.query(
    `update answers set submitted_at = $2::timestamptz + interval '1 s'
     where assignment_id = (select min(assignment_id) from answers where project_id = $1)`,
    [world.projectId, fittedAt],
  );
  await t.admin.query('set session_replication_role = origin');
  expect(await answers(10)).toBe(1);
  expect(await answers(1)).toBe(0);
});

test('a project whose classes nobody declared has nothing to choose, and is not looked through', async () => {
  const definition = {
    kind: 'FREE_FORM',
    schema: {
      type: 'object',
      properties: { choice: { type: 'string', maxLength: 9 } },
      required: ['choice'],
    },
    dimensions: [{ name: 'choice', scale: 'nominal', pointer: '/choice' }],
  };
  const world = await makeWorld(t.database, { definition });
  await plantGradings(t.admin, { world, expert: world.ada }, mixed(4, 3));
  const lookedThrough: bigint[] = [];
  const { failures } = await chooseMethods(t.database, {
    limit: 100,
    after: async (_tx, { projectId }) => void lookedThrough.push(projectId),
  });
  expect(failures).toEqual([]);
  expect(lookedThrough).not.toContain(world.projectId);
});
