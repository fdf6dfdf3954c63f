import { expect, test } from 'vitest';
import { scopeOf, type Viewer } from '../../src/services/access/viewer.js';
import { withScope } from '../../src/services/platform/database.js';
import { projectQuality } from '../../src/services/quality/reads/project-quality.js';
import { callerOf } from '../../src/services/routing/outcome.js';
import { serveAlone } from '../../src/services/routing/serve.js';
import { submitAnswer } from '../../src/services/routing/submit.js';
import { useTestDb } from '../support/db.js';
import { answerOf, makeViewer, makeWorld } from '../support/factories.js';
import { take } from '../support/work.js';
import { plantAnswered } from './support/planted.js';

// What the expert saw is kept with the answer, in its transaction, and like the answer it is said once.
const t = useTestDb();
const NOTHING = { stated: [], newcomers: { tasks: 0, alone: 0 } };

const formsOf = async (assignmentId: bigint) =>
  (
    await t.admin.query('select client_version, form_variant from answer_forms where assignment_id = $1', [
      assignmentId,
    ])
  ).rows;

test('what a client says of its form is kept with the answer; what it says with the same answer later is not', async () => {
  const { ada } = await makeWorld(t.database, { tasks: 2 });
  const held = await take(t.database, ada);
  const submission = { assignmentId: held.id, leaseEpoch: held.epoch, answer: answerOf() };
  await submitAnswer(t.database, ada.viewer, { ...submission, clientVersion: '2.1', formVariant: 'B' });
  await t.advance(1);
  await submitAnswer(t.database, ada.viewer, { ...submission, clientVersion: '2.2', formVariant: 'C' });
  expect(await formsOf(held.id)).toEqual([{ client_version: '2.1', form_variant: 'B' }]);
  const silent = await take(t.database, ada);
  const said = { assignmentId: silent.id, leaseEpoch: silent.epoch, answer: answerOf() };
  await submitAnswer(t.database, ada.viewer, said);
  await t.advance(1);
  await submitAnswer(t.database, ada.viewer, { ...said, formVariant: 'B' });
  expect(await formsOf(silent.id)).toEqual([]);
});

test('a submit that is run by itself keeps the form as one of a batch does', async () => {
  const { ada } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const { outcome } = await serveAlone(t.database, {
    kind: 'SUBMIT',
    caller: callerOf(ada.viewer),
    lease: { assignmentId: held.id, leaseEpoch: held.epoch },
    answer: {
      ...{ body: '{"choice":"yes"}', digest: 'a'.repeat(64), confidence: null, values: [] },
      clientVersion: null,
      formVariant: 'D',
    },
  });
  expect(outcome.outcome).toBe('SUBMITTED');
  expect(await formsOf(held.id)).toEqual([{ client_version: null, form_variant: 'D' }]);
});

test('analysts see by form how right answers on gold are, customers see of it nothing', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 0 });
  const votes = [0, 1, 2, 3].map((n) => [{ expert: n % 2, label: 'yes', confidence: null }]);
  const ids = await plantAnswered(t.admin, world, votes);
  await t.admin.query(
    `insert into answer_forms (tenant_id, assignment_id, project_id, customer_id, expert_id, form_variant)
     select tenant_id, id, project_id, customer_id, expert_id, case when task_id = $1 then 'A' else 'B' end
     from assignments where task_id = any ($2)`,
    [ids[0], ids],
  );
  // Of the three on form B two were right; one of the gradings counts no longer.
  const { rows } = await t.admin.query(
    `insert into gradings (tenant_id, assignment_id, task_id, project_id, expert_id, skill_id, task_type_id, dimension, kind, truth,
       answered, is_right, graded_at)
     select a.tenant_id, a.id, a.task_id, a.project_id, a.expert_id, $3, $4, 'choice', 'GOLD', 'yes', 'yes', a.task_id <> $2, now()
     from assignments a where a.task_id = any ($1) and a.task_id <> $5 order by a.task_id returning id`,
    [ids, ids[1], world.skillId, world.taskTypeId, ids[0]],
  );
  const formsSeenBy = async (viewer: Viewer) =>
    (
      await withScope(t.database, scopeOf(viewer), (tx) => projectQuality(tx, world.projectId, NOTHING))
    ).forms.map(({ formVariant, accuracyOnGold, goldAnswers }) => [formVariant, accuracyOnGold, goldAnswers]);
  const analyst = await makeViewer(t.database, world, { role: 'ANALYST' });
  expect(await formsSeenBy(analyst)).toEqual([
    ['B', 2 / 3, 3],
    ['A', null, 0],
  ]);
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at) values ($1, $2, 'UNHEALTHY', now())`,
    [world.tenantId, rows[0].id],
  );
  expect((await formsSeenBy(analyst))[0]).toEqual(['B', 1, 2]);
  expect(await formsSeenBy(world.customer.viewer)).toEqual([
    ['B', null, 0],
    ['A', null, 0],
  ]);
});
