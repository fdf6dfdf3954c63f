import { beforeAll, expect, test } from 'vitest';
import { resumeStopped } from '../../../src/services/projects/budget.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { useTestDb } from '../../support/db.js';
import { at, makeBatch, makeWorld, type World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext, submit, take } from '../../support/work.js';
import { setIn } from '../redundancy/support/budgeted.js';
import { mintingIn } from '../support/minting.js';

// A task that was drawn and that its budget stopped is asked about when there is budget again (decision 0154).
const t = useTestDb();
const { mint } = mintingIn(t);
const SHARE = 0.2;
const TASKS = 40;
let world: World;
let chosen: bigint[];

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

const draws = async () =>
  (
    await rows(
      `select w.task_id as id, w.reason, (select d.reason from task_decisions d where d.tenant_id = w.tenant_id and d.task_id = w.task_id
                                            and d.next = 'ADJUDICATE') as asked
       from truth_draws w where w.tenant_id = $1 order by w.task_id`,
      [world.tenantId],
    )
  ).map(({ id, reason, asked }) => [BigInt(id), reason, asked]);

beforeAll(async () => {
  world = await makeWorld(t.database, { tasks: 0, experts: 4, quality: 0.85 });
  const { projectId, operator } = world;
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  const rule = { projectId, policy, isCritical: false, firstGoldMax: 0, auditShare: SHARE };
  await setRedundancy(t.database, operator, rule);
  await setIn(t)(world, BigInt(2 * TASKS));
  const { taskIds } = await makeBatch(t.database, world, { projectId, tasks: TASKS });
  await t.admin.query(`update tasks set payload_key = 'payload ' || id where tenant_id = $1`, [
    world.tenantId,
  ]);
  chosen = (
    await rows('select id from tasks where tenant_id = $1 and app.is_drawn(tenant_id, id, $2) order by id', [
      world.tenantId,
      SHARE,
    ])
  ).map(({ id }) => BigInt(id));
  expect(chosen.length).toBeGreaterThanOrEqual(2);
  const [one, other] = [at(world.experts, 0), at(world.experts, 1)];
  for (let n = 0; n < TASKS; n++) {
    await answerNext(t.database, one);
    const held = await take(t.database, other);
    const choice = held.taskId === at(chosen, 0) ? 'no' : 'yes';
    await submit(t.database, other, { ...held, choice });
  }
  expect(taskIds).toHaveLength(TASKS);
});

test('what its budget stops is drawn with the others, whatever it would have gone on for, and nobody is asked yet', async () => {
  expect(await draws()).toEqual(chosen.map((id) => [id, 'BUDGET', null]));
  await mint();
  expect(await draws()).toEqual(chosen.map((id) => [id, 'BUDGET', null]));
  await expectRulesHold(t.database);
});

test('when there is budget again each of them is asked about, whatever the share is by then and though nobody works on the project', async () => {
  const { projectId, operator, tenantId } = world;
  const change = { projectId, policy: null, isCritical: null, auditShare: 0 };
  await setRedundancy(t.database, operator, change);
  await setIn(t)(world, null);
  await t.advance(8 * 86_400);
  while ((await resumeStopped(t.database, 100)) > 0);
  const [atOdds, ...sure] = chosen;
  for (let n = 0; n < 1 + sure.length / 5; n++) {
    await mint();
  }
  expect(await draws()).toEqual([[atOdds, 'BUDGET', null], ...sure.map((id) => [id, 'BUDGET', 'AUDIT'])]);
  // The one at odds has its third answer first.
  const third = at(world.experts, 2);
  while (
    (await numberOf(t.admin, 'select count(*) from tasks where tenant_id = $1 and id = $2 and counted = 2', [
      tenantId,
      String(atOdds),
    ])) > 0
  ) {
    await answerNext(t.database, third);
  }
  await mint();
  expect((await draws())[0]).toEqual([atOdds, 'BUDGET', 'AUDIT']);
  await expectRulesHold(t.database);
});
