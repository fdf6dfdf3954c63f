import { expect, test } from 'vitest';
import { mintGolds } from '../../../src/services/quality/gold/mint.js';
import { NO_SCORE } from '../../../src/services/quality/scores/score.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { submit, take } from '../../support/work.js';

const t = useTestDb();

/** Ten tasks that three experts have answered, the last three of them otherwise by one; somebody is at work on an eleventh. */
async function answered({ proven }: { proven: boolean }): Promise<World> {
  const world = await makeWorld(t.database, { tasks: 11, experts: 5, project: { redundancy: 3 } });
  await t.admin.query(`update tasks set payload_key = 'payload ' || id where tenant_id = $1`, [
    world.tenantId,
  ]);
  if (proven) {
    await t.admin.query(
      `insert into quality_scores (tenant_id, expert_id, skill_id, task_type_id, state, seen, mean, lower, upper, updated_at)
       select tenant_id, id, $2, $3, $4, 60, 0.95, 0.9, 0.98, app.clock_now() from experts where tenant_id = $1`,
      [world.tenantId, world.skillId, world.taskTypeId, JSON.stringify({ ...NO_SCORE, seen: 60 })],
    );
  }
  for (let n = 0; n < 10; n++) {
    for (const [who, expert] of world.experts.slice(0, 3).entries()) {
      await submit(t.database, expert, {
        ...(await take(t.database, expert)),
        choice: n > 6 && who === 0 ? 'no' : 'yes',
      });
    }
  }
  await take(t.database, world.experts[3] ?? world.ada);
  return world;
}

const goldsOf = async ({ tenantId }: World) =>
  (
    await t.admin.query(
      `select g.source, g.label, g.barred, k.text_value as key, t.payload_key = s.payload_key as same from golds g
       join gold_keys k on k.tenant_id = g.tenant_id and k.task_id = g.task_id
       join tasks t on t.tenant_id = g.tenant_id and t.id = g.task_id
       join tasks s on s.tenant_id = g.tenant_id and s.id = g.source_task_id where g.tenant_id = $1 order by g.source_task_id`,
      [tenantId],
    )
  ).rows;

test('tasks on which proven experts agree become gold, which is kept from those who had them', async () => {
  const world = await answered({ proven: true });
  await mintGolds(t.database, { afterId: world.projectId - 1n, limit: 1 });
  const golds = await goldsOf(world);
  expect(golds).toHaveLength(4); // ten answers each at .25, and a half in reserve
  const had = world.experts.slice(0, 3).map(({ expertId }) => String(expertId));
  for (const gold of golds) {
    expect(gold).toMatchObject({ source: 'MINTED', label: 'yes', key: 'yes', same: true });
    expect([...gold.barred].map(String).sort()).toEqual([...had].sort());
  }
  await mintGolds(t.database, { afterId: world.projectId - 1n, limit: 1 });
  expect(await goldsOf(world)).toHaveLength(4);
  const { taskId } = await take(t.database, world.experts[4] ?? world.ada);
  expect(world.taskIds).not.toContain(taskId);
  await t.admin.query('delete from quality_scores where tenant_id = $1', [world.tenantId]); // planted, and no facts behind them
  await expectRulesHold(t.database);
});

test('what newcomers agree on becomes nothing: colluders would mint their own gold', async () => {
  const world = await answered({ proven: false });
  await mintGolds(t.database, { afterId: world.projectId - 1n, limit: 1 });
  expect(await goldsOf(world)).toEqual([]);
});
