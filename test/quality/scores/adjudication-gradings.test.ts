import { expect, test } from 'vitest';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { escalateTask } from '../../../src/services/quality/adjudication/escalate.js';
import { useTestDb } from '../../support/db.js';
import { at, makeBatch, makeWorld } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { submit, take } from '../../support/work.js';
import { foldScores, settle } from '../support/graded.js';

// Rule 11: adjudications grade, agreement never does.
const t = useTestDb();

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

const scoreOf = async ({ expertId }: { expertId: bigint }) =>
  (await rows('select * from quality_scores where expert_id = $1', [expertId]))[0];

test('an adjudication grades those who answered, by what the adjudicator said; agreement alone grades nobody', async () => {
  const world = await makeWorld(t.database, { experts: 4, tasks: 0, quality: 0.85 });
  const policy = { kind: 'AGREE', agree: 2, max: 2 } as const;
  await setRedundancy(t.database, world.operator, {
    projectId: world.projectId,
    policy,
    isCritical: false,
  });
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 2 });
  const answer = async (index: number, choice: 'yes' | 'no') => {
    const expert = at(world.experts, index);
    await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
  };
  await answer(0, 'yes');
  await answer(1, 'yes');
  expect(await rows('select from gradings where tenant_id = $1', [world.tenantId])).toEqual([]);
  await answer(0, 'yes');
  await answer(1, 'no');
  await answer(2, 'no');
  const graded = await rows(
    `select expert_id, kind, truth, answered, is_right, weight from gradings where tenant_id = $1 order by expert_id`,
    [world.tenantId],
  );
  expect(graded.map(({ weight: _, ...grading }) => grading)).toEqual([
    {
      expert_id: String(world.ada.expertId),
      kind: 'ADJUDICATION',
      truth: 'no',
      answered: 'yes',
      is_right: false,
    },
    {
      expert_id: String(world.bob.expertId),
      kind: 'ADJUDICATION',
      truth: 'no',
      answered: 'no',
      is_right: true,
    },
  ]);
  // As far as the adjudicator is to be believed, who is right in nine of ten.
  expect(graded[0].weight).toBeCloseTo(0.9, 9);
  await foldScores(t);
  await settle(t);
  expect((await scoreOf(world.ada)).seen).toBe(1);
  expect(await scoreOf(world.cyd)).toBeUndefined();
  await expectRulesHold(t.database);
});

test('three who agree on something wrong do not outvote the adjudicator: they fall, and who was right rises', async () => {
  const world = await makeWorld(t.database, { experts: 5, tasks: 0, quality: 0.85 });
  const policy = { kind: 'FIXED', answers: 4 } as const;
  await setRedundancy(t.database, world.operator, { projectId: world.projectId, policy, isCritical: false });
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 });
  const answer = async (index: number, choice: 'yes' | 'no') => {
    const expert = at(world.experts, index);
    const held = await take(t.database, expert);
    await submit(t.database, expert, { ...held, choice });
    return held.taskId;
  };
  const taskId = await answer(0, 'no');
  await answer(1, 'no');
  await answer(2, 'no');
  await answer(3, 'yes');
  await escalateTask(t.database, world.customer.viewer, { taskId, reason: 'Three do not look at it.' });
  await answer(4, 'yes');
  const graded = await rows(
    `select g.is_right from gradings g where g.tenant_id = $1 and g.task_id = $2 order by g.expert_id`,
    [world.tenantId, taskId],
  );
  expect(graded.map(({ is_right }) => is_right)).toEqual([false, false, false, true]);
  await foldScores(t);
  const means = await Promise.all(
    world.experts.slice(0, 4).map(async (expert) => (await scoreOf(expert)).mean),
  );
  expect(Math.max(...means.slice(0, 3))).toBeLessThan(at(means, 3));
  await expectRulesHold(t.database);
});
