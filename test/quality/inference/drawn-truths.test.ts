// @once: how often a fit is right is the same on every PostgreSQL; methods.test.ts looks at both
import { beforeAll, expect, test } from 'vitest';
import { withService } from '../../../src/services/platform/database.js';
import { exportResults } from '../../../src/services/projects/export-results.js';
import { goldAnswers } from '../../../src/services/quality/inference/gold-answers.sql.js';
import { chooseMethods } from '../../../src/services/quality/inference/methods.js';
import { judgingMethods, resultsNow } from '../../../src/services/quality/reads/project-quality.js';
import { fitStoppingModel } from '../../../src/services/quality/redundancy/fit.js';
import { between, randomOf } from '../../soak/random.js';
import { useTestDb } from '../../support/db.js';
import { at, CHOICES, makeWorld, type World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { foldScores } from '../support/graded.js';
import { plantGoldRows } from '../support/hand-gold.js';
import { type PlantedVote, plantAnswered } from '../support/planted.js';

// One task in five is hard: everybody is drawn to the same wrong class. Gold that is minted from what the project is sure of has none of them.
const t = useTestDb();
const EXPERTS = 10;
const TASKS = 300;
const EACH = 3;
const RIGHT = 0.95;
const RIGHT_ON_HARD = 0.35;
const random = randomOf(23);
let world: World;
let lastGold = 8_000_000;

interface Item {
  readonly truth: number;
  readonly isHard: boolean;
}
const itemOf = (isHard: boolean): Item => ({ truth: between(random, 0, CHOICES.length - 1), isHard });

function said({ truth, isHard }: Item): string {
  const isRight = random() < (isHard ? RIGHT_ON_HARD : RIGHT);
  return at(CHOICES, isRight ? truth : (truth + 1) % CHOICES.length);
}

const someExperts = (of: number) =>
  Array.from({ length: EXPERTS }, (_, expert) => ({ expert, at: random() }))
    .sort((a, b) => a.at - b.at)
    .slice(0, of)
    .map(({ expert }) => expert);

async function gold(source: 'IMPORT' | 'MINTED', items: readonly Item[]): Promise<void> {
  const given = items.flatMap((item, n) =>
    someExperts(9).map((expert) => ({
      task: lastGold + n,
      expert: String(at(world.experts, expert).expertId),
      truth: at(CHOICES, item.truth),
      said: said(item),
    })),
  );
  await plantGoldRows(t.admin, world, { ids: items.map((_, n) => lastGold + n), source });
  lastGold += items.length;
  await t.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind, truth,
       answered, is_right, graded_at)
     select $1, 100 * g.task + n.ordinality % 100, g.task, $2, g.expert, $3, $4, 'choice', 'GOLD', g.truth, g.said, g.truth = g.said, app.clock_now()
     from jsonb_array_elements($5::jsonb) with ordinality as n(value, ordinality)
     cross join lateral jsonb_to_record(n.value) as g(task bigint, expert bigint, truth text, said text)`,
    [world.tenantId, world.projectId, world.skillId, world.taskTypeId, JSON.stringify(given)],
  );
  await foldScores(t);
}

const look = async () => {
  await t.advance(601);
  await chooseMethods(t.database, { limit: 10, after: fitStoppingModel });
  const actor = { tenantId: world.tenantId, actorId: world.operator.identityId };
  return withService(t.database, actor, async (tx) => ({
    method: at(await judgingMethods(tx, { projectId: world.projectId, dimension: null, version: null }), 0),
    stated: at((await resultsNow(tx, world.projectId)).stated, 0).stated,
  }));
};

/** The share of the project's results that is right, and whether an export says that they are calibrated. */
async function exported() {
  const request = {
    tenantId: world.tenantId,
    projectId: world.projectId,
    idempotencyKey: 'none',
    actorId: world.operator.identityId,
  };
  const results = [];
  for await (const { taskId, label, isCalibrated } of exportResults(t.database, request)) {
    results.push({ isRight: label === at(CHOICES, truths.get(taskId)?.truth ?? 0), isCalibrated });
  }
  return {
    right: results.filter(({ isRight }) => isRight).length / results.length,
    calibrated: new Set(results.map(({ isCalibrated }) => isCalibrated)),
  };
}

const truths = new Map<bigint, Item>();

beforeAll(async () => {
  world = await makeWorld(t.database, { experts: EXPERTS, tasks: 0, quality: 0.9 });
  const items = Array.from({ length: TASKS }, (_, n) => itemOf(n % 5 === 0));
  const votes = items.map((item): PlantedVote[] =>
    someExperts(EACH).map((expert) => ({ expert, label: said(item) as never, confidence: null })),
  );
  for (const [n, id] of (await plantAnswered(t.admin, world, votes)).entries()) {
    truths.set(id, at(items, n));
  }
  await gold(
    'MINTED',
    Array.from({ length: 80 }, () => itemOf(false)),
  );
  await t.admin.query('analyze');
});

test('where all gold was minted nothing is calibrated, and everything that is stated says so', async () => {
  const { method, stated } = await look();
  expect(method).toMatchObject({
    method: 'GOLD_BAYES',
    reason: 'TOO_LITTLE_GOLD',
    goldTasks: 0,
    isCalibrated: false,
  });
  const { right, calibrated } = await exported();
  // What it states by itself is far too much: that is why it has to say so.
  expect(stated - right).toBeGreaterThan(0.08);
  expect([...calibrated]).toEqual([false]);
});

test('forty truths choose a method, and calibrate nothing: what they say could be anything', async () => {
  await gold(
    'IMPORT',
    Array.from({ length: 40 }, (_, n) => itemOf(n % 5 === 0)),
  );
  const { method } = await look();
  expect(method).toMatchObject({ reason: 'CHOSEN_ON_GOLD', goldTasks: 40, isCalibrated: false });
});

test('held to truths that were drawn, what is stated is within three hundredths of what is true', async () => {
  await gold(
    'IMPORT',
    Array.from({ length: 160 }, (_, n) => itemOf(n % 5 === 0)),
  );
  const { method, stated } = await look();
  expect(method).toMatchObject({ reason: 'CHOSEN_ON_GOLD', goldTasks: 200, isCalibrated: true });
  const { right, calibrated } = await exported();
  expect(Math.abs(stated - right)).toBeLessThanOrEqual(0.03);
  expect([...calibrated]).toEqual([true]);
});

/** Some finished tasks that were drawn, from one to another, each decided by somebody who is right. */
async function audit(from: number, to: number): Promise<void> {
  const drawn = [...truths]
    .slice(from, to)
    .map(([id, { truth }]) => ({ id: String(id), truth: at(CHOICES, truth) }));
  const given = [world.tenantId, world.projectId, JSON.stringify(drawn)];
  await t.admin.query(
    `with given as (select * from jsonb_to_recordset($3::jsonb) as g(id bigint, truth text)), opened as (
       insert into tasks (tenant_id, project_id, batch_id, customer_id, kind, line, payload_key, payload_bytes, content_type, wanted, counted, state, done_at)
       select s.tenant_id, s.project_id, s.batch_id, s.customer_id, 'ADJUDICATION', -s.id, s.payload_key, s.payload_bytes, s.content_type, 1, 1, 'DONE', app.clock_now()
       from given g join tasks s on s.id = g.id returning id, line
     ), kept as (
       insert into adjudications (tenant_id, task_id, parent_id, project_id, customer_id)
       select s.tenant_id, o.id, s.id, s.project_id, s.customer_id from opened o join tasks s on s.id = -o.line
     )
     insert into truth_draws (tenant_id, project_id, task_id, reason) select $1, $2, g.id, 'AUDIT' from given g`,
    given,
  );
  await t.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind, truth,
       answered, is_right, graded_at, weight)
     select v.tenant_id, v.assignment_id, v.task_id, $2, a.expert_id, p.skill_id, p.task_type_id, v.dimension, 'ADJUDICATION', g.truth, v.text_value,
            v.text_value = g.truth, app.clock_now(), 0.95
     from jsonb_to_recordset($3::jsonb) as g(id bigint, truth text)
     join answer_values v on v.tenant_id = $1 and v.task_id = g.id
     join assignments a on a.tenant_id = $1 and a.id = v.assignment_id join projects p on p.id = $2`,
    given,
  );
  await foldScores(t);
}

test('where fifty drawn tasks are decided they alone are looked at, each as one item: what somebody chose outweighs them no more', async () => {
  await gold(
    'IMPORT',
    Array.from({ length: 20 }, () => itemOf(false)),
  );
  const chosen = await numberOf(
    t.admin,
    `select count(*) from golds where tenant_id = $1 and source <> 'MINTED'`,
    [world.tenantId],
  );
  await audit(0, 49);
  await t.advance(86_400);
  expect((await look()).method).toMatchObject({
    goldTasks: chosen + 49,
    drawnTasks: 49,
    isCalibrated: true,
  });
  // What was said of the fiftieth counts no longer: what is seen are forty-nine still.
  await audit(49, 50);
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'planted', app.clock_now() from gradings where tenant_id = $1 and task_id = $2`,
    [world.tenantId, String([...truths.keys()][49])],
  );
  await t.advance(86_400);
  expect((await look()).method).toMatchObject({ goldTasks: chosen + 49, reason: 'CHOSEN_ON_GOLD' });
  // Of five thousand more that were drawn since nobody has said anything yet.
  await t.admin.query(
    `insert into truth_draws (tenant_id, project_id, task_id, reason) select $1, $2, 9000000 + n, 'AUDIT' from generate_series(1, 5000) n`,
    [world.tenantId, world.projectId],
  );
  await audit(50, 61);
  const { method, stated } = await look();
  expect(method).toMatchObject({
    reason: 'CHOSEN_ON_GOLD',
    goldTasks: 60,
    goldItems: 60,
    isCalibrated: true,
  });
  const { right } = await exported();
  expect(Math.abs(stated - right)).toBeLessThanOrEqual(0.08);
});

test('where more than one in twenty of what was drawn waits for a budget nothing is calibrated: those are the ones at odds', async () => {
  const waiting = [...truths.keys()].slice(200, 204).map(String);
  const given = [world.tenantId, world.projectId, waiting];
  await t.admin.query(
    `insert into truth_draws (tenant_id, project_id, task_id, reason) select $1, $2, id, 'BUDGET' from unnest($3::bigint[]) as w(id)`,
    given,
  );
  await t.admin.query(
    `insert into budget_stops (tenant_id, project_id, task_id, customer_id, decision_id)
     select $1, $2, t.id, t.customer_id, 0 from tasks t where t.tenant_id = $1 and t.id = any ($3)`,
    given,
  );
  const lookAgain = async (from: number) => {
    await audit(from, from + 1);
    await t.advance(86_400);
    return (await look()).method;
  };
  expect(await lookAgain(61)).toMatchObject({ drawnTasks: 61, isCalibrated: false });
  await t.admin.query('delete from budget_stops where tenant_id = $1 and task_id = $2', [
    world.tenantId,
    waiting[0],
  ]);
  expect(await lookAgain(62)).toMatchObject({ drawnTasks: 62, isCalibrated: true });
});

test('in a dimension that few of the drawn tasks have an answer in, what somebody chose is looked at still', async () => {
  await gold(
    'IMPORT',
    Array.from({ length: 20 }, () => itemOf(false)),
  );
  await audit(100, 150);
  // As choice, of all that was chosen and of nine that were drawn.
  await t.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind, truth,
       answered, is_right, graded_at, weight)
     select g.tenant_id, g.assignment_id, g.task_id, g.project_id, g.expert_id, g.skill_id, g.task_type_id, 'rarely', g.kind, g.truth,
            g.answered, g.is_right, g.graded_at, g.weight
     from gradings g where g.tenant_id = $1 and (g.kind = 'GOLD' or g.task_id = any ($2))`,
    [world.tenantId, [...truths.keys()].slice(100, 109).map(String)],
  );
  const actor = { tenantId: world.tenantId, actorId: world.operator.identityId };
  const seen = await withService(t.database, actor, (tx) => goldAnswers(tx, world, 20_000));
  const tasksOf = (dimension: string, isWork: boolean) =>
    new Set(
      seen.filter((one) => one.dimension === dimension && one.isWork === isWork).map(({ taskId }) => taskId),
    ).size;
  expect(tasksOf('choice', true)).toBeGreaterThanOrEqual(50);
  expect(tasksOf('choice', false)).toBe(0);
  const chosen = `select count(*) from golds where tenant_id = $1 and source <> 'MINTED'`;
  expect(tasksOf('rarely', true)).toBe(9);
  expect(tasksOf('rarely', false)).toBe(await numberOf(t.admin, chosen, [world.tenantId]));
});
