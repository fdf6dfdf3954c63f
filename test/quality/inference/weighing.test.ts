import { beforeAll, expect, test } from 'vitest';
import { withSystem } from '../../../src/services/platform/database.js';
import { expertRecords, goldAnswers } from '../../../src/services/quality/inference/gold-answers.sql.js';
import { weighed } from '../../../src/services/quality/inference/weighing.js';
import { dimensionRules } from '../../../src/services/quality/scores/rules.sql.js';
import type { Dimension } from '../../../src/services/tasks/task-types.js';
import { verify } from '../../../src/services/verify.js';
import { randomOf } from '../../soak/random.js';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld, type World } from '../../support/factories.js';
import { foldScores } from '../support/graded.js';
import { plantGoldRows } from '../support/hand-gold.js';
import { plantAnswered } from '../support/planted.js';

// What gold says of a method is said of the weights that judge tasks: those of app.task_votes, without what that gold said of them.
const t = useTestDb();
const DIMENSIONS: readonly Dimension[] = [
  { name: 'category', pointer: '/category', scale: 'nominal', values: ['a', 'b'] },
  { name: 'severity', pointer: '/severity', scale: 'nominal', values: ['low', 'high'] },
];
const GOLD = 90;
let world: World;
let task: bigint;

beforeAll(async () => {
  world = await makeWorld(t.database, { experts: 2, tasks: 0 });
  await t.admin.query('update task_types set dimensions = $2 where id = $1', [
    world.taskTypeId,
    JSON.stringify(DIMENSIONS),
  ]);
  const random = randomOf(5);
  const given = Array.from({ length: GOLD }, (_, n) => ({
    n,
    category: random() < 0.95,
    severity: random() < 0.6,
  }));
  await t.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind, truth,
       answered, is_right, graded_at)
     select $1, 7000000 + g.n, 7000000 + g.n, $2, $3, $4, $5, d.name, 'GOLD', d.truth, case when d.is_right then d.truth else d.other end,
            d.is_right, app.clock_now() - make_interval(secs => ${GOLD} - g.n)
     from jsonb_to_recordset($6::jsonb) as g(n int, category boolean, severity boolean)
     cross join lateral (values ('category', case when g.n % 2 = 0 then 'a' else 'b' end, case when g.n % 2 = 0 then 'b' else 'a' end, g.category),
                                ('severity', case when g.n % 3 = 0 then 'low' else 'high' end, case when g.n % 3 = 0 then 'high' else 'low' end, g.severity))
       as d(name, truth, other, is_right)
     order by g.n`,
    [
      world.tenantId,
      world.projectId,
      world.ada.expertId,
      world.skillId,
      world.taskTypeId,
      JSON.stringify(given),
    ],
  );
  await plantGoldRows(t.admin, world, { ids: given.map(({ n }) => 7_000_000 + n) });
  await foldScores(t);
  const votes = DIMENSIONS.map(({ name, values }) => ({
    ...{ expert: 0, confidence: null, dimension: name },
    label: String(at(values ?? [], 0)),
  }));
  [task = 0n] = await plantAnswered(t.admin, world, [votes.slice(0, 1)]);
  await t.admin.query(
    `insert into answer_values (tenant_id, assignment_id, dimension, task_id, customer_id, expert_id, text_value)
     select tenant_id, assignment_id, 'severity', task_id, customer_id, expert_id, 'low' from answer_values where task_id = $1`,
    [task],
  );
});

interface Vote {
  readonly dimension: string;
  readonly accuracy: number;
  readonly matrix: Record<string, Record<string, number>> | null;
}

const votes = async (): Promise<Vote[]> =>
  (
    await t.admin.query(
      'select dimension, accuracy, matrix from app.task_votes($1, array[$2]::bigint[], false, true) order by dimension',
      [world.tenantId, task],
    )
  ).rows;

const weighing = (dimension: Dimension) =>
  withSystem(t.database, async (tx) => {
    const answers = await goldAnswers(tx, world, 1000);
    const records = await expertRecords(tx, world, [world.ada.expertId]);
    const of = answers.filter((answer) => answer.dimension === dimension.name);
    return weighed(of, { dimension, records });
  });

test('each dimension of an answer weighs by its own accuracy, and claims are filtered by the mean of them', async () => {
  const [category, severity] = await votes();
  expect(category?.accuracy).toBeGreaterThan(0.85);
  expect(severity?.accuracy).toBeLessThan(0.75);
  const { rows } = await t.admin.query('select mean from quality_scores where expert_id = $1', [
    world.ada.expertId,
  ]);
  expect(rows[0].mean).toBeGreaterThan((severity?.accuracy ?? 0) + 0.03);
  expect(rows[0].mean).toBeLessThan((category?.accuracy ?? 0) - 0.03);
});

test('what gold is weighed by for a fit is what the database weighs once that gold counts no longer', async () => {
  const before = await weighing(at(DIMENSIONS, 1));
  expect(before).toHaveLength(GOLD);
  for (const left of [3, 60, GOLD - 1]) {
    const { model, taskId } = at(before, left);
    await t.admin.query(
      `insert into voided_gradings (tenant_id, grading_id, reason, at)
       select tenant_id, id, 'UNHEALTHY', now() from gradings where task_id = $1 and dimension = 'severity'`,
      [taskId],
    );
    await foldScores(t);
    const { accuracy, matrix } = at(await votes(), 1);
    expect(accuracy).toBeCloseTo(model.accuracy, 9);
    expect(matrix === null).toBe(model.confusion === null);
    expect(model.confusion?.[0]?.[0]).toBeCloseTo(matrix?.low?.low ?? 0, 1);
    await t.admin.query('set session_replication_role = replica');
    await t.admin.query('delete from voided_gradings where tenant_id = $1', [world.tenantId]);
    await t.admin.query('set session_replication_role = origin');
    await t.admin.query(
      'insert into grading_dues (tenant_id, expert_id, skill_id, anew) values ($1, $2, $3, true)',
      [world.tenantId, world.ada.expertId, world.skillId],
    );
    await foldScores(t);
  }
});

test('verify counts each dimension anew, and what it weighs', async () => {
  const broken = async () =>
    (await verify(t.database))
      .filter(({ claim }) => dimensionRules.some((rule) => rule.claim === claim))
      .map((finding) => finding.broken);
  expect(await broken()).toEqual([0, 0, 0]);
  const spoil = (change: string) =>
    t.admin.query(`update quality_scores set ${change} where expert_id = $1`, [world.ada.expertId]);
  await spoil(
    `state = replace(state, '"dimension":"severity","right":', '"dimension":"severity","right":9')`,
  );
  // What the category weighs rests on the severity too.
  expect(await broken()).toEqual([1, 2, 0]);
  await spoil(
    `state = replace(state, '"dimension":"severity","right":9', '"dimension":"severity","right":')`,
  );
  await spoil(`accuracies = jsonb_set(accuracies, '{category}', '0.123')`);
  expect(await broken()).toEqual([0, 1, 0]);
  await spoil('prior_mean = prior_mean - 0.1');
  expect((await broken())[2]).toBe(1);
});
