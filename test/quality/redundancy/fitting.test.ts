import { expect, test } from 'vitest';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { byScore } from '../../../src/services/quality/inference/frozen.js';
import { fitStoppingModels } from '../../../src/services/quality/redundancy/fit.js';
import { posterior } from '../../../src/services/quality/redundancy/posterior.js';
import { revealedItems } from '../../../src/services/quality/redundancy/stopping-fits.js';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld, type World } from '../../support/factories.js';
import { plantGoldRows } from '../support/hand-gold.js';

// What gold says of stopping is fitted by the project, from gradings alone.
const t = useTestDb();
const EXPERTS = 4;

const policy = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 4, errorCostMinor: null } as const;

/** So many gold, each answered by everybody; of each ten `hard` ones are got wrong by all of them alike. */
async function revealed(world: World, { gold, hard }: { gold: number; hard: number }): Promise<void> {
  await plantGoldRows(t.admin, world, { ids: Array.from({ length: gold }, (_, n) => n + 1) });
  for (const { expertId } of world.experts) {
    await t.admin.query(
      `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind,
         truth, answered, is_right, graded_at)
       select $1, $3 * 100000 + n, n, $2, $3, $4, $5, 'choice', 'GOLD', 'yes', case when n % 10 < $7 then 'no' else 'yes' end,
              n % 10 >= $7, app.clock_now()
       from generate_series(1, $6) n`,
      [world.tenantId, world.projectId, expertId, world.skillId, world.taskTypeId, gold, hard],
    );
  }
}

const modelOf = async ({ projectId }: World) =>
  at((await t.admin.query('select * from stopping_models where project_id = $1', [projectId])).rows, 0);

async function ruled(): Promise<World> {
  const world = await makeWorld(t.database, { experts: EXPERTS, tasks: 0 });
  const change = { projectId: world.projectId, policy, isCritical: false };
  await setRedundancy(t.database, world.operator, change);
  return world;
}

test('where hard items are hard for everybody the posterior to stop at rises, and a posterior is told for less', async () => {
  const world = await ruled();
  await revealed(world, { gold: 80, hard: 3 });
  expect(await fitStoppingModels(t.database)).toBe(1);
  const { threshold, intercept, slope, items, next_accuracy } = await modelOf(world);
  expect(items).toBe(80);
  expect(threshold).toBeGreaterThan(0.9);
  // Seven in ten are right, whatever the model says at the stop.
  const told = 1 / (1 + Math.exp(-(intercept + slope * Math.log(0.97 / 0.03))));
  expect(told).toBeGreaterThan(0.6);
  expect(told).toBeLessThan(0.9);
  expect(next_accuracy).toBeCloseTo(0.9, 9);
  expect(await fitStoppingModels(t.database)).toBe(0);
});

test('where what is promised is kept the rule stays, and before fifty gold nothing is moved', async () => {
  const kept = await ruled();
  await revealed(kept, { gold: 80, hard: 0 });
  const few = await ruled();
  await revealed(few, { gold: 49, hard: 3 });
  await fitStoppingModels(t.database);
  expect((await modelOf(kept)).threshold).toBe(0.9);
  expect(await modelOf(few)).toMatchObject({ items: 49, threshold: null, intercept: null });
});

test('a project whose answers have nothing to compare takes no turn from others', async () => {
  const { taskTypeId } = await ruled();
  await t.admin.query(`update task_types set dimensions = '[]' where id = $1`, [taskTypeId]);
  expect(await fitStoppingModels(t.database)).toBe(0);
});

test('gold of ordered classes is judged by how near an answer is', () => {
  const labels = ['1', '2', '3', '4', '5'];
  const said = (expertId: bigint, answered: string) => ({
    ...{ taskId: 1n, expertId, truth: '3', answered, isRight: answered === '3' },
    model: byScore(0.7, labels.length, true),
  });
  const answers = [said(1n, '2'), said(2n, '4'), { ...said(1n, '3'), taskId: 2n }];
  const [item] = revealedItems(answers, { labels, modelOf: null });
  // One below and one above: what is between them is likelier than either end.
  const p = posterior(
    item?.votes ?? [],
    labels.map(() => 0.2),
  );
  expect(p[2]).toBeGreaterThan(at(p, 0));
  expect(p[2]).toBeGreaterThan(at(p, 4));
});
