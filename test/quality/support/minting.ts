import { mintGolds } from '../../../src/services/quality/gold/mint.js';
import { NO_SCORE } from '../../../src/services/quality/scores/score.js';
import type { TestDb } from '../../support/db.js';
import { makeWorld, type World } from '../../support/factories.js';
import { submit, take } from '../../support/work.js';

/** Projects whose finished tasks may become gold, in a test's database. */
export function mintingIn(t: TestDb) {
  /**
   * Ten tasks that three experts have answered, the last three of them otherwise by one; somebody is at work on an eleventh.
   * The experts are proven in the task type, only in the skill, or not at all.
   */
  async function answered({ proven }: { proven: 'IN_TYPE' | 'IN_SKILL' | null }): Promise<World> {
    const world = await makeWorld(t.database, { tasks: 11, experts: 5, project: { redundancy: 3 } });
    if (proven !== 'IN_SKILL') {
      await t.admin.query(`update expert_skills set status = $2, quality_lower = 0 where tenant_id = $1`, [
        world.tenantId,
        proven === null ? 'PROBATION' : 'ACTIVE',
      ]);
    }
    await t.admin.query(`update tasks set payload_key = 'payload ' || id where tenant_id = $1`, [
      world.tenantId,
    ]);
    if (proven === 'IN_TYPE') {
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

  /** Looks at every project whose turn it is. */
  async function mint() {
    await t.advance(30);
    return mintGolds(t.database, 100);
  }

  const goldsOf = async ({ tenantId }: World) =>
    (
      await t.admin.query(
        `select g.task_id as id, g.source, g.label, g.barred, k.text_value as key, t.payload_key = s.payload_key as same from golds g
         join gold_keys k on k.tenant_id = g.tenant_id and k.task_id = g.task_id
         join tasks t on t.tenant_id = g.tenant_id and t.id = g.task_id
         join tasks s on s.tenant_id = g.tenant_id and s.id = g.source_task_id where g.tenant_id = $1 order by g.source_task_id`,
        [tenantId],
      )
    ).rows;

  return { answered, mint, goldsOf };
}
