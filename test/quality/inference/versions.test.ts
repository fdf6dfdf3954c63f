import { expect, test } from 'vitest';
import { withService } from '../../../src/services/platform/database.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { escalateTask } from '../../../src/services/quality/adjudication/escalate.js';
import { mintCandidates } from '../../../src/services/quality/gold/mint.sql.js';
import { tasksToMint } from '../../../src/services/quality/gold/mint-looks.sql.js';
import { useTestDb } from '../../support/db.js';
import { at, makeBatch } from '../../support/factories.js';
import { submit, take } from '../../support/work.js';
import { DIGITS, judgedProjects } from '../support/judged-projects.js';
import { plantAnswered } from '../support/planted.js';

// Who reads the version that holds, and who may not.
const t = useTestDb();
const { makeProject, posteriorsOf, plantVersion } = judgedProjects(t);

test('an adjudication grades by the adjudicator’s answer and score, whatever method was chosen: agreement moves no score', async () => {
  const other = await makeProject();
  await plantVersion(other);
  const { projectId, operator } = other;
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  const { taskIds } = await makeBatch(t.database, other, { projectId, tasks: 1 });
  const taskId = at(taskIds, 0);
  for (const [index, choice] of (['unsure', 'no', 'unsure'] as const).entries()) {
    const expert = at(other.experts, index);
    await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
  }
  await escalateTask(t.database, operator, { taskId, reason: 'looks odd' });
  const judge = at(other.experts, 3);
  await submit(t.database, judge, { ...(await take(t.database, judge)), choice: 'unsure' });
  const mostProbable = async (chosen: boolean) =>
    at(
      [...(await posteriorsOf(other, [taskId], chosen))].sort((a, b) => b.probability - a.probability),
      0,
    );
  // Whoever says `no` here knows it, by the version; their records say nothing of that.
  expect((await mostProbable(true)).label).toBe('no');
  expect((await mostProbable(false)).label).toBe('unsure');
  const { rows } = await t.admin.query(
    `select g.truth, g.is_right, g.weight, x.quality_mean as believed
     from gradings g join expert_skills x on x.tenant_id = g.tenant_id and x.skill_id = g.skill_id and x.expert_id = $2
     where g.task_id = $1 order by g.assignment_id`,
    [taskId, judge.expertId],
  );
  expect(rows.map(({ truth, is_right }) => [truth, is_right])).toEqual([
    ['unsure', true],
    ['unsure', false],
    ['unsure', true],
  ]);
  for (const { weight, believed } of rows) {
    expect(weight).toBeCloseTo(believed, 6);
  }
});

test('a finished task becomes no gold where the method that was chosen says something else', async () => {
  const other = await makeProject();
  const votes = ['unsure', 'unsure', 'no'].map((label, expert) => ({ expert, label, confidence: null }));
  const [taskId] = await plantAnswered(t.admin, other, [votes]);
  const candidates = () =>
    withService(t.database, { tenantId: other.tenantId, actorId: other.operator.identityId }, (tx) =>
      tasksToMint(tx, other, { before: null, limit: 300 }).then(({ taskIds }) =>
        mintCandidates(tx, other, { bar: 0.7, taskIds }),
      ),
    );
  expect((await candidates()).map((one) => one.taskId)).toEqual([taskId]);
  await plantVersion(other);
  expect(await candidates()).toEqual([]);
});

test('a stopping model that was played on other weights says nothing of a version’s', async () => {
  const other = await makeProject();
  const { projectId, operator } = other;
  const policy = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 4, errorCostMinor: null } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  const votes = ['yes', 'yes', 'no'].map((label, expert) => ({ expert, label, confidence: null }));
  const [taskId = 0n] = await plantAnswered(t.admin, other, [votes]);
  await t.admin.query(
    `insert into stopping_models (tenant_id, project_id, dimension, threshold, intercept, slope, items, next_accuracy, updated_at)
     values ($1, $2, 'choice', 0.95, -2, 1, 60, 0.8, now())`,
    [other.tenantId, projectId],
  );
  const told = async () => at(await posteriorsOf(other, [taskId]), 0);
  const before = await told();
  const odds = before.probability / (1 - before.probability);
  expect(before.stated).toBeCloseTo(1 / (1 + Math.exp(2) / odds), DIGITS);
  await plantVersion(other);
  const after = await told();
  expect(after.stated).toBeCloseTo(after.probability, 6);
});
