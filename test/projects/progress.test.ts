import { expect, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import { withScope } from '../../src/services/platform/database.js';
import { progressOfBatches, progressOfProjects } from '../../src/services/projects/progress.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { setRedundancy } from '../../src/services/projects/redundancy.js';
import { escalateTask } from '../../src/services/quality/adjudication/escalate.js';
import { useTestDb } from '../support/db.js';
import { at, makeBatch, makeWorld, type World } from '../support/factories.js';
import { answerNext } from '../support/work.js';

const t = useTestDb();

async function progress({ projectId, customer }: World) {
  const [of] = await withScope(t.database, scopeOf(customer.viewer), (tx) =>
    progressOfProjects(tx, [projectId]),
  );
  return of;
}

async function escalated(): Promise<World & { ofBatch: bigint }> {
  const world = await makeWorld(t.database, { experts: 3, tasks: 0, quality: 0.9 });
  const { projectId, operator } = world;
  const policy = { kind: 'FIXED', answers: 1 } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  const { batchId, taskIds } = await makeBatch(t.database, world, { projectId, tasks: 3 });
  await answerNext(t.database, world.ada);
  const { rows } = await t.admin.query(`select id from tasks where project_id = $1 and state = 'DONE'`, [
    projectId,
  ]);
  expect(taskIds.map(String)).toContain(at(rows, 0).id);
  await escalateTask(t.database, operator, { taskId: BigInt(at(rows, 0).id), reason: 'looks odd' });
  return { ...world, ofBatch: batchId };
}

test('an adjudication is no task of the customer’s in any count, and told beside them', async () => {
  const world = await escalated();
  const counts = {
    tasksTotal: 3,
    tasksOpen: 2,
    tasksDone: 1,
    tasksCancelled: 0,
    answersWanted: 3,
    answersCounted: 1,
    adjudications: 1,
    adjudicationsOpen: 1,
  };
  expect(await progress(world)).toMatchObject(counts);
  const [ofBatch] = await withScope(t.database, scopeOf(world.customer.viewer), (tx) =>
    progressOfBatches(tx, [world.ofBatch]),
  );
  expect(ofBatch).toMatchObject(counts);
});

test('a cancelled project has no open task: what was open is counted as cancelled', async () => {
  const world = await escalated();
  const { projectId } = world;
  await cancelProject(t.database, world.customer.viewer, { projectId, policy: 'STOP' });
  expect(await progress(world)).toMatchObject({
    tasksTotal: 3,
    tasksOpen: 0,
    tasksDone: 1,
    tasksCancelled: 2,
    adjudications: 1,
    adjudicationsOpen: 0,
  });
});
