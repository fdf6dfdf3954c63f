import { expect, test } from 'vitest';
import { withService } from '../../../src/services/platform/database.js';
import { judgingMethods } from '../../../src/services/quality/reads/project-quality.js';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld } from '../../support/factories.js';

// Decision 0154: fifty tasks that were drawn, or fifty that were given; some of each are a sample of nothing.
const t = useTestDb();

test.each([
  { goldTasks: 60, drawnTasks: 60, drawn: true, isCalibrated: true },
  { goldTasks: 60, drawnTasks: 0, drawn: true, isCalibrated: true },
  { goldTasks: 89, drawnTasks: 49, drawn: true, isCalibrated: false },
  { goldTasks: 99, drawnTasks: 49, drawn: true, isCalibrated: true },
  { goldTasks: 99, drawnTasks: 50, drawn: true, isCalibrated: true },
  { goldTasks: 49, drawnTasks: 49, drawn: true, isCalibrated: false },
  { goldTasks: 60, drawnTasks: 60, drawn: false, isCalibrated: false },
  { goldTasks: 60, drawnTasks: null, drawn: true, isCalibrated: false },
])(
  'of $goldTasks tasks $drawnTasks were drawn, and all that were drawn are there: $drawn',
  async (version) => {
    const { isCalibrated, ...given } = version;
    const world = await makeWorld(t.database, { tasks: 0 });
    await t.admin.query(
      `insert into inference_versions (tenant_id, project_id, customer_id, dimension, number, method, reason, gold_tasks, gold_answers,
       gold_items, answers_an_item, answers, trials, temper, doubt, scores_temper, scores_doubt, accuracy, last_assignment, last_grading, drawn, drawn_tasks)
     select tenant_id, id, customer_id, 'choice', 1, 'ONE_COIN', 'CHOSEN_ON_GOLD', $3, 500, 200, 1, 9, '[]', 1, 0, 1, 0, 0.8, 0, 0, $4, $5
     from projects where tenant_id = $1 and id = $2`,
      [world.tenantId, world.projectId, given.goldTasks, given.drawn, given.drawnTasks],
    );
    const actor = { tenantId: world.tenantId, actorId: world.operator.identityId };
    const asked = { projectId: world.projectId, dimension: null, version: null };
    const methods = await withService(t.database, actor, (tx) => judgingMethods(tx, asked));
    expect(at(methods, 0)).toMatchObject({
      goldTasks: given.goldTasks,
      drawnTasks: given.drawnTasks,
      isCalibrated,
    });
  },
);
