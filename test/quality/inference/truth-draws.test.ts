import { beforeAll, expect, test } from 'vitest';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld, type World } from '../../support/factories.js';
import { brokenRules } from '../../support/rules.js';
import { type PlantedVote, plantAnswered } from '../support/planted.js';

// Decisions as the rule keeps them, in a project whose share is none by now.
const t = useTestDb();
let world: World;
let taskIds: bigint[];

beforeAll(async () => {
  world = await makeWorld(t.database, { experts: 2, tasks: 0, quality: 0.9 });
  const votes: PlantedVote[] = [0, 1].map((expert) => ({ expert, label: 'yes', confidence: null }));
  taskIds = await plantAnswered(t.admin, world, [votes, votes, votes]);
});

const decide = (taskId: bigint, { reason, by }: { reason: string; by: number | null }) =>
  t.admin.query(
    `insert into task_decisions (tenant_id, task_id, project_id, customer_id, answers, next, reason, decided_by, results)
     select tenant_id, id, project_id, customer_id, 2, 'ADJUDICATE', $3, $4, '[]' from tasks where tenant_id = $1 and id = $2`,
    [world.tenantId, String(taskId), reason, by],
  );
const aboutDraws = async () =>
  (await brokenRules(t.database))
    .filter((broken) => /was drawn/.test(broken))
    .map((broken) => broken.split('But: ')[1]);

test('an audit is drawn by the share that its decision has read, whatever the share is by now', async () => {
  await decide(at(taskIds, 0), { reason: 'AUDIT', by: null });
  await decide(at(taskIds, 1), { reason: 'TIE', by: null });
  const { rows } = await t.admin.query('select task_id, reason from truth_draws where tenant_id = $1', [
    world.tenantId,
  ]);
  expect(rows).toEqual([{ task_id: String(taskIds[0]), reason: 'AUDIT' }]);
});

test('verify finds a draw that nobody was asked about, and what was asked about by a draw that there is not', async () => {
  const missing = `task ${taskIds[0]} of tenant ${world.tenantId}`;
  expect(await aboutDraws()).toEqual([missing]);
  await decide(at(taskIds, 2), { reason: 'FIRST_GOLD', by: 0 });
  const { rows } = await t.admin.query('select max(id) as id from task_decisions where tenant_id = $1', [
    world.tenantId,
  ]);
  expect(await aboutDraws()).toEqual([
    missing,
    `decision ${rows[0].id} about task ${taskIds[2]} of tenant ${world.tenantId}`,
  ]);
});
