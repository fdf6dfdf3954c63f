import { expect, test } from 'vitest';
import { setExpertSkill } from '../../../src/services/access/people.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { noteReader } from '../../../src/services/quality/adjudication/readers.js';
import { mintGolds } from '../../../src/services/quality/gold/mint.js';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import { NO_SCORE } from '../../../src/services/quality/scores/score.js';
import { useTestDb } from '../../support/db.js';
import { at, type Expert, makeBatch, makeExpert, makeWorld, type World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext, submit, take } from '../../support/work.js';

const t = useTestDb();

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
  await makeBatch(t.database, world, { projectId, tasks: 9 });
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

test('turns of sixty walk back through all finished tasks, and look at nothing twice that was in vain', async () => {
  const world = await answered({ proven: 'IN_TYPE' });
  const later = (from: number, to: number, counted: number) =>
    t.admin.query(
      `insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted, counted, state, done_at)
       select t.tenant_id, t.project_id, t.batch_id, t.customer_id, 1000 + n, 'later ' || n || ' of ' || t.id, 2, t.content_type, $4, $4, 'DONE', app.clock_now()
       from (select * from tasks where tenant_id = $1 limit 1) t, generate_series($2::int, $3::int) n`,
      [world.tenantId, from, to, counted],
    );
  const vain = () =>
    numberOf(t.admin, 'select count(*) from mint_looks where tenant_id = $1', [world.tenantId]);
  // Later ones, of which nothing can be made: one answer each, and then without anything that was said.
  await later(1, 1000, 1);
  await later(1001, 1370, 3);
  for (let turn = 1; turn <= 6; turn++) {
    await mint();
    expect([await vain(), (await goldsOf(world)).length]).toEqual([60 * turn, 0]);
  }
  await mint();
  expect([await vain(), (await goldsOf(world)).length]).toEqual([370 + 3, 4]);
});
