import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { noteReader } from '../../../src/services/quality/adjudication/readers.js';
import { mintGolds } from '../../../src/services/quality/gold/mint.js';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import { useTestDb } from '../../support/db.js';
import { at, type Expert, makeBatch, makeExpert, makeWorld, type World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext, submit, take } from '../../support/work.js';
import { mintingIn } from '../support/minting.js';

const t = useTestDb();

const { answered, mint, goldsOf } = mintingIn(t);

test('tasks on which proven experts agree become gold, which is kept from those who had them', async () => {
  const world = await answered({ proven: 'IN_TYPE' });
  await mint();
  const golds = await goldsOf(world);
  expect(golds).toHaveLength(4); // ten answers each at .25, and a half in reserve
  const had = world.experts.slice(0, 3).map(({ expertId }) => String(expertId));
  for (const gold of golds) {
    expect(gold).toMatchObject({ source: 'MINTED', label: 'yes', key: 'yes', same: true });
    expect([...gold.barred].map(String).sort()).toEqual([...had].sort());
  }
  await mint();
  expect(await goldsOf(world)).toHaveLength(4);
  // What another has begun first; what they begin is gold.
  const last = world.experts[4] ?? world.ada;
  expect(world.taskIds).toContain((await answerNext(t.database, last)).taskId);
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 });
  const { taskId } = await take(t.database, last);
  expect(golds.map(({ id }) => BigInt(id))).toContain(taskId);
  await t.admin.query('delete from quality_scores where tenant_id = $1', [world.tenantId]); // planted, and no facts behind them
  await expectRulesHold(t.database);
});

test('who has read a task in another role is never shown gold that is minted from it, whichever came first', async () => {
  const world = await answered({ proven: 'IN_TYPE' });
  const [after, before] = [at(world.experts, 3), at(world.experts, 4)];
  const done = await t.admin.query(`select id from tasks where tenant_id = $1 and state = 'DONE'`, [
    world.tenantId,
  ]);
  const taskIds = done.rows.map(({ id }) => BigInt(id));
  const reads = ({ viewer }: Expert) => noteReader(t.database, { ...viewer, role: 'ANALYST' }, { taskIds });
  await reads(before);
  await mint();
  await reads(after);
  const golds = await goldsOf(world);
  expect(golds).toHaveLength(4);
  for (const { barred } of golds) {
    expect(barred).toEqual(expect.arrayContaining([after, before].map(({ expertId }) => String(expertId))));
  }
  expect(world.taskIds).toContain((await take(t.database, before)).taskId);
  await t.admin.query('delete from quality_scores where tenant_id = $1', [world.tenantId]); // planted, and no facts behind them
  await expectRulesHold(t.database);
});

test('gold of a payload that is several tasks is kept from who had any of them, and made when all are done', async () => {
  const world = await answered({ proven: 'IN_TYPE' });
  const [reader, worker] = [at(world.experts, 3), at(world.experts, 4)];
  const tasks = [worker, world.ada].map(({ expertId }) => ({ wanted: 1, allow: [expertId] }));
  const { taskIds } = await makeBatch(t.database, world, { projectId: world.projectId, tasks });
  const { rows } = await t.admin.query(
    `update tasks t set payload_key = s.payload_key
     from unnest($2::bigint[]) with ordinality as w(id, n)
     join (select payload_key, row_number() over (order by id) as n from tasks where tenant_id = $1 and state = 'DONE') s on s.n = w.n
     where t.tenant_id = $1 and t.id = w.id returning t.payload_key`,
    [world.tenantId, taskIds],
  );
  const twins = rows.map(({ payload_key }) => payload_key);
  const minted = async () =>
    (await t.admin.query('select payload_key, barred from golds where tenant_id = $1', [world.tenantId]))
      .rows;
  await mint();
  expect(await minted()).toHaveLength(4);
  expect((await minted()).filter(({ payload_key }) => twins.includes(payload_key))).toEqual([]);

  const end = `update golds set state = 'RETIRED', ended_at = now(), reason = 'worn' where tenant_id = $1`;
  await t.admin.query(end, [world.tenantId]);
  expect((await answerNext(t.database, worker)).taskId).toBe(taskIds[0]);
  expect((await answerNext(t.database, world.ada)).taskId).toBe(taskIds[1]);
  await t.advance(3_600);
  await mint();
  await noteReader(t.database, { ...reader.viewer, role: 'ANALYST' }, { taskIds: taskIds.slice(1) });
  const golds = new Map((await minted()).map(({ payload_key, barred }) => [payload_key, barred.map(String)]));
  expect(golds.get(twins[0])).toContain(String(worker.expertId));
  expect(golds.get(twins[1])).toContain(String(reader.expertId));
  await t.admin.query('delete from quality_scores where tenant_id = $1', [world.tenantId]); // planted, and no facts behind them
});

test('what newcomers agree on becomes nothing: colluders would mint their own gold', async () => {
  const world = await answered({ proven: null });
  await mint();
  expect(await goldsOf(world)).toEqual([]);
});

test('a new task type comes to gold by those who are proven in its skill, and then measures newcomers', async () => {
  const world = await answered({ proven: 'IN_SKILL' });
  await mint();
  expect(await goldsOf(world)).toHaveLength(4);
  const newcomer = await makeExpert(t.database, world, []);
  const change = { expertId: newcomer.expertId, skillId: world.skillId, status: 'PROBATION' } as const;
  await setExpertSkill(t.database, world.operator, { ...change, qualityMean: null, qualityLower: null });
  await take(t.database, at(world.experts, 4)); // of what was begun, only the last answer may be gold
  const held = await take(t.database, newcomer);
  expect(world.taskIds).not.toContain(held.taskId);
  await submit(t.database, newcomer, held);
  await keepScores(t.database, 100);
  const { rows } = await t.admin.query('select seen from quality_scores where expert_id = $1', [
    newcomer.expertId,
  ]);
  expect(rows).toEqual([{ seen: 1 }]);
  await expectRulesHold(t.database);
});

test('where two that agree are enough, a stronger expert is asked about some, and those become the first gold', async () => {
  const world = await makeWorld(t.database, { tasks: 0, experts: 5, quality: 0.85 });
  const { projectId, operator } = world;
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  const { taskIds } = await makeBatch(t.database, world, { projectId, tasks: 9 });
  await t.admin.query(`update tasks set payload_key = 'payload ' || id where tenant_id = $1`, [
    world.tenantId,
  ]);
  const [one, other, third, fourth] = [0, 1, 2, 3].map((n) => at(world.experts, n)) as [
    Expert,
    Expert,
    Expert,
    Expert,
  ];
  for (let n = 0; n < 7; n++) {
    await answerNext(t.database, one);
    await answerNext(t.database, other);
  }
  await take(t.database, one);
  const asked = () =>
    numberOf(t.admin, 'select count(*) from adjudications where tenant_id = $1', [world.tenantId]);
  // Its customer pays for them, and may say none.
  const allow = (firstGoldMax: number) =>
    setRedundancy(t.database, operator, { projectId, policy, isCritical: false, firstGoldMax });
  await expect(allow(21)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  await allow(0);
  await mint();
  expect(await asked()).toBe(0);
  await allow(20);
  expect(await mint()).toMatchObject({ minted: 0 });
  expect(await asked()).toBe(5);
  await mint();
  await mint();
  expect(await asked()).toBe(7);
  // Those that are not done yet were drawn, too.
  expect(await drawnOf(world)).toEqual(taskIds);
  for (let n = 0; n < 7; n++) {
    await answerNext(t.database, third);
  }
  await mint();
  expect(await goldsOf(world)).not.toEqual([]);
  const golds = await t.admin.query('select task_id from golds where tenant_id = $1', [world.tenantId]);
  await answerNext(t.database, fourth); // what another has begun
  const { taskId } = await take(t.database, fourth);
  expect(golds.rows.map(({ task_id }) => BigInt(task_id))).toContain(taskId);
  await expectRulesHold(t.database);
});

/** The tasks that were drawn, and so are truths that the project is held to. */
const drawnOf = async ({ tenantId }: World) =>
  (
    await t.admin.query('select task_id from truth_draws where tenant_id = $1 order by task_id', [tenantId])
  ).rows.map(({ task_id }) => BigInt(task_id));

test('the first gold is drawn from the first finished tasks, with those that were at a stronger expert already, who are asked once', async () => {
  const world = await makeWorld(t.database, { tasks: 0, experts: 4, quality: 0.85 });
  const { projectId, operator } = world;
  const policy = { kind: 'FIXED', answers: 2 } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  const { taskIds } = await makeBatch(t.database, world, { projectId, tasks: 9 });
  await t.admin.query(`update tasks set payload_key = 'payload ' || id where tenant_id = $1`, [
    world.tenantId,
  ]);
  const [one, other] = [at(world.experts, 0), at(world.experts, 1)];
  for (let n = 0; n < 8; n++) {
    await answerNext(t.database, one);
    const choice = n === 1 || n === 2 ? 'no' : 'yes';
    await submit(t.database, other, { ...(await take(t.database, other)), choice });
  }
  await take(t.database, one);
  await mint();
  expect(await drawnOf(world)).toEqual(taskIds.slice(0, 5));
  const { rows } = await t.admin.query(
    `select reason, count(*)::int as tasks from task_decisions where tenant_id = $1 and next = 'ADJUDICATE' group by reason order by reason`,
    [world.tenantId],
  );
  expect(rows).toEqual([
    { reason: 'FIRST_GOLD', tasks: 3 },
    { reason: 'TIE', tasks: 2 },
  ]);
});

test('projects take turns, whoever was looked at longest ago first; one that fails costs no other its turn', async () => {
  const worlds: World[] = [];
  for (let n = 0; n < 5; n++) {
    const world = await answered({ proven: 'IN_TYPE' });
    await t.admin.query(
      `update assignments set state = 'EXPIRED', ended_at = now() where tenant_id = $1 and state = 'LEASED'`,
      [world.tenantId],
    );
    worlds.push(world);
  }
  const [failing] = worlds;
  await t.admin.query(`update task_types set dimensions = 'no JSON' where tenant_id = $1`, [
    failing?.tenantId,
  ]);
  await t.admin.query(`delete from gold_refills`);
  await t.admin.query(
    `update projects set state = 'CANCELLED', cancelled_at = now(), cancel_policy = 'STOP' where not tenant_id = any ($1)`,
    [worlds.map(({ tenantId }) => String(tenantId))],
  );
  const minted = async () =>
    (await Promise.all(worlds.map(async (world) => (await goldsOf(world)).length > 0))).filter(Boolean)
      .length;
  expect(await mintGolds(t.database, 2)).toMatchObject({ looked: 2, failures: [expect.any(Error)] });
  expect(await minted()).toBe(1);
  expect(await mintGolds(t.database, 2)).toMatchObject({ looked: 2 }); // (nobody again within half a minute)
  expect(await mintGolds(t.database, 2)).toMatchObject({ looked: 1 });
  expect(await minted()).toBe(4);
  expect(await mintGolds(t.database, 2)).toMatchObject({ looked: 0 });
  await t.advance(8 * 86_400);
  expect(await mintGolds(t.database, 9)).toMatchObject({ looked: 5, minted: 0, failures: [] }); // nobody has worked for a week
});
