import { expect, test } from 'vitest';
import { withService } from '../../../src/services/platform/database.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { taskConsensus } from '../../../src/services/quality/reads/project-quality.js';
import { submitAnswer } from '../../../src/services/routing/submit.js';
import { useTestDb } from '../../support/db.js';
import { at, makeBatch, makeWorld, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { take } from '../../support/work.js';

// Numbers take part in what becomes of a task: in the submit's transaction, beside the classes.
const t = useTestDb();
const DEFINITION = {
  kind: 'RUBRIC',
  criteria: [
    { name: 'length', min: 0, max: 100, scale: 'interval', tolerance: 3 },
    { name: 'grade', min: 1, max: 5 },
  ],
};

/** A world whose one task is under "two agree, at most three". */
async function judged(): Promise<World & { taskId: bigint }> {
  const one = await makeWorld(t.database, { experts: 5, tasks: 0, definition: DEFINITION, quality: 0.85 });
  const { projectId, operator } = one;
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  const { taskIds } = await makeBatch(t.database, one, { projectId, tasks: 1 });
  return { ...one, taskId: at(taskIds, 0) };
}

async function score(one: World, index: number, [length, grade]: readonly [number, number]): Promise<void> {
  const expert = at(one.experts, index);
  const { id, epoch } = await take(t.database, expert);
  const answer = { scores: { length, grade } };
  await submitAnswer(t.database, expert.viewer, { assignmentId: id, leaseEpoch: epoch, answer });
}

const decisionsOf = async (taskId: bigint) =>
  (
    await t.admin.query('select answers, next, reason from task_decisions where task_id = $1 order by id', [
      taskId,
    ])
  ).rows;

test('a task with several dimensions is done when all of them are: numbers too', async () => {
  const agreed = await judged();
  await score(agreed, 0, [50, 4]);
  await score(agreed, 1, [53, 4]);
  expect(await decisionsOf(agreed.taskId)).toEqual([{ answers: 2, next: 'STOP', reason: null }]);
  const apart = await judged();
  await score(apart, 0, [50, 4]);
  await score(apart, 1, [54, 4]);
  await score(apart, 2, [57, 4]);
  expect(await decisionsOf(apart.taskId)).toEqual([
    { answers: 2, next: 'MORE', reason: null },
    { answers: 3, next: 'STOP', reason: null },
  ]);
  await expectRulesHold(t.database);
});

test('numbers that all differ are adjudicated; who is within the tolerance of the outcome was right', async () => {
  const torn = await judged();
  await score(torn, 0, [10, 4]);
  await score(torn, 1, [50, 4]);
  await score(torn, 2, [90, 4]);
  expect((await decisionsOf(torn.taskId)).at(-1)).toEqual({ answers: 3, next: 'ADJUDICATE', reason: 'TIE' });
  await score(torn, 3, [52, 4]);
  const { rows } = await t.admin.query(
    `select is_right from gradings where project_id = $1 and dimension = 'length' order by assignment_id`,
    [torn.projectId],
  );
  expect(rows.map(({ is_right }) => is_right)).toEqual([false, true, false]);
  await expectRulesHold(t.database);
});

test('the consensus of a number is told with how sure it is', async () => {
  const agreed = await judged();
  await score(agreed, 0, [50, 4]);
  await score(agreed, 1, [52, 4]);
  const who = { tenantId: agreed.tenantId, actorId: null };
  const classes = await withService(t.database, who, (tx) => taskConsensus(tx, agreed.taskId));
  const [grade, length] = classes;
  expect(grade).toMatchObject({ dimension: 'grade', label: '4', votes: 2, number: null, deviation: null });
  expect(length).toMatchObject({ dimension: 'length', label: '51', votes: 2, number: 51, tolerance: 3 });
  // Two experts who are within 3 nine times in ten: surer together than either.
  expect(length?.probability).toBeGreaterThan(0.95);
  expect(length?.deviation).toBeGreaterThan(0.5);
  expect(length?.deviation).toBeLessThan(3);
});
