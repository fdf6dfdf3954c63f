import { expect, test } from 'vitest';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
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

test('an adjudication grades those who answered, by what is most probable then; agreement alone grades nobody', async () => {
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
  // Three at .9 of three classes: .9^2 x .05 against .9 x .05^2 and .05^3.
  expect(graded[0].weight).toBeCloseTo(0.0405 / (0.0405 + 0.00225 + 0.000125), 6);
  await foldScores(t);
  await settle(t);
  expect((await scoreOf(world.ada)).seen).toBe(1);
  expect(await scoreOf(world.cyd)).toBeUndefined();
  await expectRulesHold(t.database);
});
