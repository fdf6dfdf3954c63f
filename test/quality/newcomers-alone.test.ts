import { expect, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import { withScope, withService } from '../../src/services/platform/database.js';
import { exportResults } from '../../src/services/projects/export-results.js';
import { projectQuality, resultsNow } from '../../src/services/quality/reads/project-quality.js';
import { pauseExpert } from '../../src/services/routing/pauses.js';
import { useTestDb } from '../support/db.js';
import { type Expert, makeWorld, type World } from '../support/factories.js';
import { answerNext } from '../support/work.js';

const t = useTestDb();

async function newcomersOf({ tenantId, projectId, operator, customer }: World) {
  const who = { tenantId, actorId: operator.identityId };
  const now = await withService(t.database, who, (tx) => resultsNow(tx, projectId));
  const seen = await withScope(t.database, scopeOf(customer.viewer), (tx) =>
    projectQuality(tx, projectId, now),
  );
  const exported = new Map<bigint, boolean>();
  for await (const { taskId, isByNewcomersAlone } of exportResults(t.database, {
    ...who,
    projectId,
    idempotencyKey: 'of the export',
  })) {
    exported.set(taskId, isByNewcomersAlone);
  }
  return { ...seen.newcomers, exported };
}

const become = ({ expertId }: Expert, status: string) =>
  t.admin.query('update expert_skills set status = $2 where expert_id = $1', [expertId, status]);

test('customers without a policy are told what rests on newcomers alone, until those have proven themselves', async () => {
  const world = await makeWorld(t.database, { tasks: 3, experts: 2 });
  expect(await newcomersOf(world)).toMatchObject({ tasks: 0, alone: 0 });
  const proven = await answerNext(t.database, world.ada);
  await become(world.bob, 'PROBATION');
  const alone = [await answerNext(t.database, world.bob), await answerNext(t.database, world.bob)];
  const found = await newcomersOf(world);
  expect(found).toMatchObject({ tasks: 3, alone: 2 });
  expect(found.exported).toEqual(
    new Map<bigint, boolean>([
      [proven.taskId, false],
      ...alone.map(({ taskId }): [bigint, boolean] => [taskId, true]),
    ]),
  );
  await become(world.bob, 'ACTIVE');
  expect(await newcomersOf(world)).toMatchObject({ tasks: 3, alone: 0 });
});

test('whoever is paused after they had proven themselves is no newcomer; a newcomer is one in a pause too', async () => {
  const world = await makeWorld(t.database, { tasks: 2, experts: 2 });
  await become(world.bob, 'PROBATION');
  await answerNext(t.database, world.ada);
  await answerNext(t.database, world.bob);
  for (const { expertId } of [world.ada, world.bob]) {
    const pause = { expertId, skillId: world.skillId, reason: 'while it is looked into', withdraw: false };
    await pauseExpert(t.database, world.operator, pause);
  }
  expect(await newcomersOf(world)).toMatchObject({ tasks: 2, alone: 1 });
});
