import { expect, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { setExpertSkill, setExpertStatus } from '../../src/services/access/people.js';
import { withService } from '../../src/services/platform/database.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { heartbeat } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { makeExpert, makeSkill, makeWorld, unique, type World } from '../support/factories.js';
import { behind, expertRow, untilBlocked } from '../support/interleave.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { enqueue, insertBatch } from '../support/tasks.js';
import { atOnce, claim, claimAlone, emptyReason, outcome, reasonOf, submit, take } from '../support/work.js';

// Rule 5: a task is claimable only when its payload is durable, its project runs, and the expert's skill is good enough
// and not paused.
const t = useTestDb();

const skill = (world: World, status: 'ACTIVE' | 'PAUSED' | 'PROBATION', quality: number | null = null) =>
  setExpertSkill(t.database, world.operator, {
    expertId: world.ada.expertId,
    skillId: world.skillId,
    status,
    qualityMean: quality === null ? null : Math.max(quality, 0.9),
    qualityLower: quality,
  });

test('a pause that has returned is before every later claim, however many are on their way', async () => {
  const world = await makeWorld(t.database, { tasks: 30 });
  const claims = atOnce(10, () => claim(t.database, world.ada));
  await skill(world, 'PAUSED');
  const held = (await claims).filter((result) => 'held' in result);
  const after = await claim(t.database, world.ada);
  // What was given before the pause is still held; otherwise nothing is.
  expect('held' in after).toBe(held.length > 0);
  if ('empty' in after) {
    expect(after.empty.reason).toBe('PAUSED');
  }
  await expectRulesHold(t.database);
});

test.each(['pause first', 'claim first'])(
  'a pause and a claim that wait for the same expert: %s',
  async (order) => {
    const world = await makeWorld(t.database);
    const pause = () => skill(world, 'PAUSED');
    const ask = () => claimAlone(t.database, world.ada).then(reasonOf);
    const ends = await behind<unknown>(
      t,
      expertRow(world.tenantId, world.ada.expertId),
      order === 'pause first' ? [pause, ask] : [ask, pause],
    );
    const answer = ends[order === 'pause first' ? 1 : 0];
    expect(answer).toMatchObject({ value: order === 'pause first' ? 'PAUSED' : 'GIVEN' });
    await expectRulesHold(t.database);
  },
);

test('an expert paused as a person gets nothing in any skill', async () => {
  const { ada, operator } = await makeWorld(t.database);
  await setExpertStatus(t.database, operator, { expertId: ada.expertId, status: 'PAUSED' });
  expect(await emptyReason(t.database, ada)).toBe('PAUSED');
  await setExpertStatus(t.database, operator, { expertId: ada.expertId, status: 'ACTIVE' });
  expect(await emptyReason(t.database, ada)).toBe('GIVEN');
});

test('quality below the minimum of a project gets none of its tasks, at it does, on probation too', async () => {
  const world = await makeWorld(t.database, { quality: 0.79, project: { minQuality: 0.8 } });
  expect(await emptyReason(t.database, world.ada)).toBe('QUALITY_BELOW_MINIMUM');
  await skill(world, 'PROBATION', 0.8);
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
  await expectRulesHold(t.database);
});

test('a reserved task, too, asks for the skill, its quality and no pause', async () => {
  const world = await makeWorld(t.database, { quality: 0.5, tasks: [], project: { minQuality: 0.8 } });
  const batchId = await reserve(world, [world.ada.expertId]);
  expect(batchId).toBeGreaterThan(0n);
  expect(await emptyReason(t.database, world.ada)).toBe('QUALITY_BELOW_MINIMUM');
  await skill(world, 'PAUSED', 0.9);
  expect(await emptyReason(t.database, world.ada)).toBe('PAUSED');
  await skill(world, 'ACTIVE', 0.9);
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
});

test('a skill that the expert does not hold gives nothing', async () => {
  const world = await makeWorld(t.database, { experts: 0 });
  const other = await makeSkill(t.database, world);
  const stranger = await makeExpert(t.database, world, [{ skillId: other }]);
  expect(await emptyReason(t.database, stranger)).toBe('NO_OPEN_TASK');
  expect(await emptyReason(t.database, stranger, world.skillId)).toBe('NO_SKILL');
});

test('tasks of a batch are claimable chunk by chunk, each from the commit that says it is durable', async () => {
  const world = await makeWorld(t.database, { tasks: 0, experts: 2 });
  const { tenantId, projectId, customer, ada, bob } = world;
  const who = { tenantId, actorId: null };
  const batchId = await withService(t.database, who, (tx) =>
    insertBatch(tx, { tenantId, projectId, customerId: customer.customerId, key: unique('batch') }),
  );
  let during = '';
  await withService(t.database, who, async (tx) => {
    await enqueue(tx, { tenantId, batchId, rows: [{}] });
    during = await emptyReason(t.database, ada);
  });
  expect(during).toBe('NO_OPEN_TASK');
  expect(await emptyReason(t.database, ada)).toBe('GIVEN');
  expect(await emptyReason(t.database, bob)).toBe('NO_OPEN_TASK');
  await expectRulesHold(t.database);
});

test('a chunk that comes after the cancel opens nothing', async () => {
  const { operator, projectId, batchId, tenantId } = await makeWorld(t.database, { tasks: 2 });
  await cancelProject(t.database, operator, { projectId, policy: 'FINISH' });
  await expect(
    withService(t.database, { tenantId, actorId: null }, (tx) =>
      enqueue(tx, { tenantId, batchId, rows: [{}], firstLine: 3 }),
    ),
  ).rejects.toThrow();
  expect(await numberOf(t.admin, 'select count(*) from ready where tenant_id = $1', [tenantId])).toBe(0);
  await expectRulesHold(t.database);
});

test('a queue row that a cancelled project left behind is swept by the claim that meets it, not given', async () => {
  const { ada, operator, projectId, tenantId, taskIds } = await makeWorld(t.database, { tasks: 2 });
  const row = await t.admin.query('select * from ready where tenant_id = $1 order by tag limit 1', [
    tenantId,
  ]);
  await cancelProject(t.database, operator, { projectId, policy: 'STOP' });
  await t.admin.query(
    `insert into ready (tenant_id, task_id, lane_id, project_id, phase, tag, free_slots) values ($1, $2, $3, $4, 0, 1, '{1}')`,
    [tenantId, taskIds[0], row.rows[0].lane_id, projectId],
  );
  expect(await emptyReason(t.database, ada)).toBe('NO_OPEN_TASK');
  expect(await numberOf(t.admin, 'select count(*) from ready where tenant_id = $1', [tenantId])).toBe(0);
  await expectRulesHold(t.database);
});

test('a pause keeps what is held: it can be submitted, and is not extended', async () => {
  const world = await makeWorld(t.database);
  const held = await take(t.database, world.ada);
  await skill(world, 'PAUSED');
  expect((await take(t.database, world.ada)).id).toBe(held.id);
  await t.advance(30);
  const beat = { assignmentId: held.id, leaseEpoch: held.epoch, lastActivitySeconds: 0 };
  const lease = await heartbeat(t.database, world.ada.viewer, beat);
  expect(lease.extended).toBe(false);
  expect(lease.leaseUntil).toEqual(held.leaseUntil);
  expect(await outcome(submit(t.database, world.ada, held))).toBe('OK');
  await expectRulesHold(t.database);
});

function reserve(world: World, allow: readonly bigint[]): Promise<bigint> {
  const { tenantId, projectId, customer } = world;
  return withService(t.database, { tenantId, actorId: null }, async (tx) => {
    const batch = { tenantId, projectId, customerId: customer.customerId, key: unique('batch') };
    const batchId = await insertBatch(tx, batch);
    await enqueue(tx, { tenantId, batchId, rows: [{ allow }] });
    return batchId;
  });
}

test('a heartbeat that meets a pause on its way waits for it, and extends nothing', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  await t.advance(30);
  const client = await connect(t.url, 'touchstone test pause');
  await client.query('begin');
  await client.query(`update experts set status = 'PAUSED' where tenant_id = $1 and id = $2`, [
    tenantId,
    ada.expertId,
  ]);
  const beat = { assignmentId: held.id, leaseEpoch: held.epoch, lastActivitySeconds: 0 };
  const beaten = heartbeat(t.database, ada.viewer, beat);
  await untilBlocked(t.admin, 1);
  await client.query('commit');
  await client.end();
  expect(await beaten).toMatchObject({ extended: false, leaseUntil: held.leaseUntil });
});
