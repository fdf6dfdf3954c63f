import { beforeAll, expect, test } from 'vitest';
import { withService } from '../../../src/services/platform/database.js';
import { type ExportedResult, exportResults } from '../../../src/services/projects/export-results.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { methodRules } from '../../../src/services/quality/inference/rules.sql.js';
import { judgingMethods } from '../../../src/services/quality/reads/project-quality.js';
import { verify } from '../../../src/services/verify.js';
import { useTestDb } from '../../support/db.js';
import { at, CHOICES, makeBatch, type World } from '../../support/factories.js';
import { submit, take } from '../../support/work.js';
import { DIGITS, EXPERTS, judgedProjects } from '../support/judged-projects.js';

// By what a project is judged is chosen on its gold by a job, and what a task's answers amount to follows from them and the version.
const t = useTestDb();
const { choose, work, gold, makeProject, versionsOf, expertsOf, fromScratch, posteriorsOf } =
  judgedProjects(t);

let world: World;
let tasks: bigint[];

beforeAll(async () => {
  world = await makeProject();
  tasks = await work(world, 300);
  await gold(world, 40);
  await choose();
});

test('the method that does best on gold is kept with its evidence, and judges every task from then on', async () => {
  const [version, ...others] = await versionsOf(world);
  expect(others).toEqual([]);
  expect(version).toMatchObject({
    number: 1,
    reason: 'CHOSEN_ON_GOLD',
    gold_tasks: 40,
    gold_answers: 240,
    answers: 900,
  });
  expect(['DAWID_SKENE', 'HYBRID']).toContain(version.method);
  expect(version).toMatchObject({ answers_an_item: 3, gold_items: 80 });
  const accuracyOf = (method: string) =>
    version.trials.find((trial: { method: string }) => trial.method === method)?.accuracy;
  expect(accuracyOf(version.method)).toBeGreaterThan(accuracyOf('MAJORITY'));
  expect(await expertsOf(version.id)).toHaveLength(EXPERTS);
  const judged = tasks.slice(0, 40);
  const rows = await posteriorsOf(world, judged);
  expect(rows).toHaveLength(judged.length * CHOICES.length);
  for (const [index, taskId] of judged.entries()) {
    const { p, stated } = await fromScratch(version, taskId);
    const of = rows.slice(3 * index, 3 * index + 3);
    expect(of.map(({ label }) => label)).toEqual([...CHOICES]);
    for (const [k, row] of of.entries()) {
      expect(row.probability).toBeCloseTo(at(p, k), DIGITS);
      expect(row.stated).toBeCloseTo(stated[k] ?? 0, DIGITS);
    }
  }
});

test('a new answer moves its own task as the version says, in its own transaction, and nothing of another', async () => {
  const { projectId, operator } = world;
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  // Of the same numbers, added up in whatever order the planner takes them.
  const others = async () =>
    (await posteriorsOf(world, tasks.slice(0, 20))).map(({ label, probability, stated }) =>
      [label, probability.toFixed(12), stated.toFixed(12)].join(' '),
    );
  const before = await others();
  const { taskIds } = await makeBatch(t.database, world, { projectId, tasks: 1 });
  for (const [index, choice] of (['no', 'unsure', 'no'] as const).entries()) {
    const expert = at(world.experts, index);
    await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
  }
  const taskId = at(taskIds, 0);
  const [version] = await versionsOf(world);
  const { p, stated } = await fromScratch(version, taskId);
  const { rows } = await t.admin.query(
    'select results from task_decisions where task_id = $1 order by id desc limit 1',
    [taskId],
  );
  const [result] = rows[0].results;
  expect(result).toMatchObject({ dimension: 'choice', label: 'no', method: version.method, version: 1 });
  expect(result.probability).toBeCloseTo(at(p, 1), DIGITS);
  expect(result.stated).toBeCloseTo(stated[1] ?? 0, DIGITS);
  expect(await others()).toEqual(before);
});

test('the same look again makes no version; a tenth more does, and what was decided keeps its own', async () => {
  const other = await makeProject();
  await work(other, 60);
  await gold(other, 30);
  await choose();
  await t.advance(601);
  await choose();
  expect(await versionsOf(other)).toHaveLength(1);
  await work(other, 5);
  await t.advance(601);
  await choose();
  expect(await versionsOf(other)).toHaveLength(1);
  await work(other, 10);
  await gold(other, 4);
  await t.advance(601);
  await choose();
  const versions = await versionsOf(other);
  expect(versions.map(({ number, gold_tasks }) => [number, gold_tasks])).toEqual([
    [1, 30],
    [2, 34],
  ]);
  await expect(
    t.admin.query(`update inference_versions set method = 'MAJORITY' where id = $1`, [at(versions, 0).id]),
  ).rejects.toThrow();
});

test('what was learnt in steps is what is learnt at once', async () => {
  const other = await makeProject();
  await work(other, 40);
  await gold(other, 26);
  await choose();
  await work(other, 60);
  await gold(other, 12);
  await t.advance(601);
  await choose();
  const [, stepwise] = await versionsOf(other);
  const experts = await expertsOf(stepwise.id);
  expect(experts).toHaveLength(EXPERTS);
  // As if nothing had ever been chosen.
  await t.admin.query(`set session_replication_role = replica`);
  await t.admin.query(
    'delete from inference_experts where version_id in (select id from inference_versions where project_id = $1)',
    [other.projectId],
  );
  await t.admin.query('delete from inference_versions where project_id = $1', [other.projectId]);
  await t.admin.query(`set session_replication_role = origin`);
  await t.advance(601);
  await choose();
  const [atOnce] = await versionsOf(other);
  const { id: _id, number: _number, fitted_at: _at, ...kept } = atOnce;
  expect(stepwise).toMatchObject(kept);
  const without = ({ version_id: _version, ...expert }: Record<string, unknown>) => expert;
  expect((await expertsOf(atOnce.id)).map(without)).toEqual(experts.map(without));
});

test('with too little gold the default stays, says so, and nothing is calibrated', async () => {
  const other = await makeProject();
  const [taskId] = await work(other, 30);
  await gold(other, 5);
  await choose();
  const [version] = await versionsOf(other);
  expect(version).toMatchObject({
    method: 'GOLD_BAYES',
    reason: 'TOO_LITTLE_GOLD',
    gold_tasks: 5,
    temper: 1,
    doubt: 0,
  });
  for (const { probability, stated } of await posteriorsOf(other, [taskId ?? 0n])) {
    expect(stated).toBeCloseTo(probability, DIGITS);
  }
});

test('gold that counts no longer is no evidence any more', async () => {
  const other = await makeProject();
  await work(other, 30);
  await gold(other, 26);
  await choose();
  expect(at(await versionsOf(other), 0).reason).toBe('CHOSEN_ON_GOLD');
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'UNHEALTHY', now() from gradings where project_id = $1
       and task_id in (select distinct task_id from gradings where project_id = $1 order by task_id limit 20)`,
    [other.projectId],
  );
  await t.advance(601);
  await choose();
  expect((await versionsOf(other)).map(({ reason, gold_tasks }) => [reason, gold_tasks])).toEqual([
    ['CHOSEN_ON_GOLD', 26],
    ['TOO_LITTLE_GOLD', 6],
  ]);
});

test('whoever may see a project reads by what it is judged, now and before', async () => {
  const which = { projectId: world.projectId, dimension: 'choice', version: null };
  const { tenantId, operator } = world;
  const [[method], none, first] = await withService(
    t.database,
    { tenantId, actorId: operator.identityId },
    async (tx) => [
      await judgingMethods(tx, which),
      await judgingMethods(tx, { ...which, version: 99 }),
      await judgingMethods(tx, { ...which, dimension: null, version: 1 }),
    ],
  );
  expect(method).toMatchObject({ version: 1, reason: 'CHOSEN_ON_GOLD', goldTasks: 40 });
  expect(method?.trials.map((trial) => trial.method)).toContain('MAJORITY');
  expect(first).toEqual([method]);
  expect(none).toEqual([]);
});

test('an export of results says of each by which method and version, and how probable it is by gold', async () => {
  const { tenantId, projectId, operator } = world;
  const request = { tenantId, projectId, idempotencyKey: 'none', actorId: operator.identityId };
  const results: ExportedResult[] = [];
  for await (const result of exportResults(t.database, request)) {
    results.push(result);
  }
  const ids = new Set(results.map(({ taskId }) => taskId));
  expect(tasks.every((taskId) => ids.has(taskId))).toBe(true);
  const [version] = await versionsOf(world);
  const [taskId = 0n] = tasks;
  const [best] = [...(await posteriorsOf(world, [taskId]))].sort((a, b) => b.probability - a.probability);
  expect(results.find((result) => result.taskId === taskId)).toMatchObject({
    dimension: 'choice',
    label: best?.label,
    probability: best?.stated,
    method: version.method,
    version: 1,
    answers: 3,
    isAdjudicated: false,
  });
});

test('verify says which version is not whole, and which result names none', async () => {
  const { projectId } = world;
  const broken = async () =>
    (await verify(t.database))
      .filter(({ claim }) => methodRules.some((rule) => rule.claim === claim))
      .flatMap(({ examples }) => examples)
      .map((example) => example.replace(/ of tenant.*/, ''));
  expect(await broken()).toEqual([]);
  const breakWith = async (change: string) => {
    await t.admin.query(`begin; set local session_replication_role = replica; ${change}; commit`);
  };
  const [{ id }] = (
    await t.admin.query('select id from inference_versions where project_id = $1 and number = 1', [projectId])
  ).rows;
  const [{ matrix }] = (await t.admin.query('select matrix from inference_versions where id = $1', [id]))
    .rows;
  await breakWith(`update inference_versions set number = number + 100 where id = ${id}`);
  expect(await broken()).toContain(`version 101 of choice in project ${projectId}`);
  await breakWith(`update inference_versions set number = number - 100 where id = ${id}`);
  await breakWith(
    `update inference_versions set matrix = jsonb_set(matrix, '{yes,yes}', '1.5') where id = ${id}`,
  );
  expect(await broken()).toEqual([`version 1 of choice in project ${projectId}`]);
  await breakWith(`update inference_versions set matrix = '${JSON.stringify(matrix)}' where id = ${id}`);
  expect(await broken()).toEqual([]);
});
