import { expect, test } from 'vitest';
import { withService } from '../../../src/services/platform/database.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { goldAnswers } from '../../../src/services/quality/inference/gold-answers.sql.js';
import { useTestDb } from '../../support/db.js';
import { at, type Expert, makeBatch, makeWorld, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext, submit, take } from '../../support/work.js';
import { mintingIn } from '../support/minting.js';

const t = useTestDb();

const { mint, goldsOf } = mintingIn(t);

type Policy = Parameters<typeof setRedundancy>[2]['policy'];

async function worldWith(policy: Policy, { tasks, firstGoldMax }: { tasks: number; firstGoldMax: number }) {
  const world = await makeWorld(t.database, { tasks: 0, experts: 4, quality: 0.85 });
  const { projectId, operator } = world;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false, firstGoldMax });
  const { taskIds } = await makeBatch(t.database, world, { projectId, tasks });
  await t.admin.query(`update tasks set payload_key = 'payload ' || id where tenant_id = $1`, [
    world.tenantId,
  ]);
  return { world, taskIds, experts: [0, 1, 2, 3].map((n) => at(world.experts, n)) as Experts };
}

type Experts = [Expert, Expert, Expert, Expert];

/** For which reason the drawn tasks are at a stronger expert, by task; null: they are not. */
const drawn = async ({ tenantId }: World) =>
  (
    await t.admin.query(
      `select w.task_id as id, (select d.reason from task_decisions d where d.tenant_id = w.tenant_id and d.task_id = w.task_id
                                  and d.next = 'ADJUDICATE') as reason
       from truth_draws w where w.tenant_id = $1 order by w.task_id`,
      [tenantId],
    )
  ).rows.map(({ id, reason }) => [BigInt(id), reason]);

test('a task at odds that is not done when the first gold is drawn is drawn with the others, and asked about when it is done', async () => {
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  const { world, taskIds, experts } = await worldWith(policy, { tasks: 7, firstGoldMax: 5 });
  const [one, other, third] = experts;
  for (let n = 0; n < 7; n++) {
    await answerNext(t.database, one);
    const held = await take(t.database, other);
    await submit(t.database, other, { ...held, choice: n === 1 ? 'no' : 'yes' });
  }
  await mint();
  const first = taskIds.slice(0, 5);
  expect(await drawn(world)).toEqual(first.map((id, n) => [id, n === 1 ? null : 'FIRST_GOLD']));
  await mint();
  expect(await drawn(world)).toHaveLength(5);
  for (let n = 0; n < 5; n++) {
    await answerNext(t.database, third);
  }
  await mint();
  expect(await goldsOf(world)).not.toEqual([]);
  await mint();
  expect(await drawn(world)).toEqual(first.map((id) => [id, 'FIRST_GOLD']));
  await expectRulesHold(t.database);
});

test('what newcomers alone have answered is at a stronger expert anyhow, and uses up none of what the first gold may cost', async () => {
  const policy = { kind: 'FIXED', answers: 2 } as const;
  const { world, taskIds, experts } = await worldWith(policy, { tasks: 9, firstGoldMax: 2 });
  const [one, other] = experts;
  const become = (status: string) =>
    t.admin.query('update expert_skills set status = $2 where tenant_id = $1', [world.tenantId, status]);
  await become('PROBATION');
  for (let n = 0; n < 8; n++) {
    await (n === 3 ? become('ACTIVE') : null);
    await answerNext(t.database, one);
    await answerNext(t.database, other);
  }
  await take(t.database, one);
  for (let n = 0; n < 5; n++) {
    await mint();
  }
  expect(await drawn(world)).toEqual(
    taskIds.slice(0, 5).map((id, n) => [id, n < 3 ? 'PROBATION_ALONE' : 'FIRST_GOLD']),
  );
});

const bound = ({ operator, projectId }: World, firstGoldMax: number) =>
  setRedundancy(t.database, operator, { projectId, policy: null, isCritical: null, firstGoldMax });

const dropped = async ({ tenantId }: World) =>
  (
    await t.admin.query('select task_id from dropped_draws where tenant_id = $1 order by task_id', [tenantId])
  ).rows.map(({ task_id }) => BigInt(task_id));

/** The drawn tasks that a fit sees. */
async function seen({ tenantId, projectId, operator }: World): Promise<bigint[]> {
  const actor = { tenantId, actorId: operator.identityId };
  const found = await withService(t.database, actor, (tx) => goldAnswers(tx, { tenantId, projectId }, 1_000));
  return [...new Set(found.filter(({ isWork }) => isWork).map(({ taskId }) => taskId))].sort((a, b) =>
    Number(a - b),
  );
}

test('where less may be asked than was drawn, draws are given up by their ids, those that were asked about among them', async () => {
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  const { world, taskIds, experts } = await worldWith(policy, { tasks: 7, firstGoldMax: 5 });
  const [one, other, third] = experts;
  for (let n = 0; n < 7; n++) {
    await answerNext(t.database, one);
    const held = await take(t.database, other);
    await submit(t.database, other, { ...held, choice: n === 1 ? 'no' : 'yes' });
  }
  await mint();
  // Four are with a stronger expert, the second wants one answer more.
  await bound(world, 4);
  await mint();
  expect(await dropped(world)).toEqual(taskIds.slice(1, 5));
  for (let n = 0; n < 5; n++) {
    await answerNext(t.database, third);
  }
  await mint();
  expect((await drawn(world))[1]).toEqual([at(taskIds, 1), null]);
  expect(await seen(world)).toEqual([at(taskIds, 0)]);
  await expectRulesHold(t.database);
});

test('where every draw has been asked about nothing is given up, whatever may be asked by now', async () => {
  const policy = { kind: 'FIXED', answers: 2 } as const;
  const { world, taskIds, experts } = await worldWith(policy, { tasks: 6, firstGoldMax: 4 });
  const [one, other, third] = experts;
  for (let n = 0; n < 5; n++) {
    await answerNext(t.database, one);
    await answerNext(t.database, other);
  }
  await take(t.database, one);
  await mint();
  expect(await drawn(world)).toEqual(taskIds.slice(0, 4).map((id) => [id, 'FIRST_GOLD']));
  await bound(world, 0);
  for (let n = 0; n < 4; n++) {
    await answerNext(t.database, third);
  }
  await mint();
  expect(await dropped(world)).toEqual([]);
  expect(await seen(world)).toEqual(taskIds.slice(0, 4));
});
