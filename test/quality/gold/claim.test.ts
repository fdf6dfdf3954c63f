import { expect, test } from 'vitest';
import { flagTask, reclaimAssignment, releaseAssignment } from '../../../src/services/routing/lease.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';
import { makeGolds, nextTick, setGoldRate } from '../../support/golds.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { claimRequest, connectApp, serve } from '../../support/serving.js';
import { answerNext, atOnce, emptyReason, submit, take, takeAlone } from '../../support/work.js';

// Here chance draws 0 always: whoever has a rate at all is given gold while there is some for them.
const t = useTestDb();

/** What waits and is in sight, in its order. */
const queueOf = async (tenantId: bigint) =>
  (
    await t.admin.query(
      'select task_id, phase, free_slots, excl, passed from ready where tenant_id = $1 and phase < 3 order by tag, task_id',
      [tenantId],
    )
  ).rows;

test('gold takes the place of a task, which is out of sight until the gold has its answers and a tick came', async () => {
  const world = await makeWorld(t.database, { tasks: 5 });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  const before = await queueOf(world.tenantId);
  const held = await take(t.database, world.ada);
  expect(held.taskId).toBe(gold);
  expect(await queueOf(world.tenantId)).toEqual(before.slice(1));
  await submit(t.database, world.ada, held);
  expect(await queueOf(world.tenantId)).toEqual(before.slice(1));
  expect(await nextTick(t, world)).toBe(1);
  expect(await queueOf(world.tenantId)).toEqual(before);
  expect(world.taskIds).toContain((await take(t.database, world.ada)).taskId);
  await expectRulesHold(t.database);
});

test('the exact look gives gold as the quick one does', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  const [gold] = await makeGolds(t.database, world, { keys: ['no'] });
  await t.admin.query(
    'update lanes set low_untouched = 1000000, seen_untouched = 1000000 where tenant_id = $1',
    [world.tenantId],
  );
  expect((await takeAlone(t.database, world.ada)).taskId).toBe(gold);
});

test('gold never fills an empty queue, and whoever has had all of it goes on with other work', async () => {
  const world = await makeWorld(t.database, { tasks: 2 });
  await makeGolds(t.database, world, { keys: ['yes', 'no'] });
  const given: bigint[] = [];
  const answerTwo = async () => {
    given.push(
      (await answerNext(t.database, world.ada)).taskId,
      (await answerNext(t.database, world.ada)).taskId,
    );
    expect(await emptyReason(t.database, world.ada)).toBe('NO_OPEN_TASK');
  };
  await answerTwo();
  expect(await nextTick(t, world)).toBe(2);
  await answerTwo();
  expect(given.slice(2).sort()).toEqual([...world.taskIds].sort());
  await makeGolds(t.database, world, { keys: ['unsure'] });
  expect(await emptyReason(t.database, world.ada)).toBe('NO_OPEN_TASK');
});

test('who has a rate of nothing, who knows the gold, and other projects are given none', async () => {
  const world = await makeWorld(t.database, { tasks: 9, experts: 3 });
  const other = await makeWorld(t.database, { tasks: 1 });
  await makeGolds(t.database, world, { keys: ['yes'], barred: [world.bob.expertId] });
  await setGoldRate(t.admin, { ...world, expertId: world.ada.expertId }, 0);
  expect(world.taskIds).toContain((await take(t.database, world.ada)).taskId);
  expect(world.taskIds).toContain((await take(t.database, world.bob)).taskId);
  expect(world.taskIds).not.toContain((await take(t.database, world.cyd)).taskId);
  expect(other.taskIds).toContain((await take(t.database, other.ada)).taskId);
});

test('an expert is shown each gold once, whatever became of it, and the classes in turn', async () => {
  const world = await makeWorld(t.database, { tasks: 9 });
  const golds = await makeGolds(t.database, world, { keys: ['yes', 'yes', 'yes', 'yes', 'no', 'no'] });
  const first = await take(t.database, world.ada);
  await releaseAssignment(t.database, world.ada.viewer, { assignmentId: first.id, leaseEpoch: first.epoch });
  const second = await take(t.database, world.ada);
  await flagTask(t.database, world.ada.viewer, {
    assignmentId: second.id,
    leaseEpoch: second.epoch,
    reason: 'OTHER',
  });
  const third = await take(t.database, world.ada);
  await t.advance(61);
  const shown = [first.taskId, second.taskId];
  expect((await answerNext(t.database, world.ada)).taskId).toBe(third.taskId);
  shown.push(third.taskId);
  for (let n = 0; n < 3; n++) {
    shown.push((await answerNext(t.database, world.ada)).taskId);
  }
  expect([...shown].sort()).toEqual([...golds].sort());
  const { rows } = await t.admin.query('select task_id, label from golds where tenant_id = $1', [
    world.tenantId,
  ]);
  const labels = shown.map((id) => rows.find((row) => BigInt(row.task_id) === id)?.label);
  expect(labels.slice(0, 4).filter((label) => label === 'yes')).toHaveLength(2);
  expect(world.taskIds).toContain((await take(t.database, world.ada)).taskId);
  await expectRulesHold(t.database);
});

test('many at once: no gold twice to anybody, each showing a slot and an exposure of its own', async () => {
  const world = await makeWorld(t.database, { tasks: 100, experts: 20 });
  const golds = await makeGolds(t.database, world, { keys: ['yes', 'no', 'unsure'] });
  for (let round = 0; round < 4; round++) {
    await atOnce(20, async (n) => {
      const expert = world.experts[n] ?? world.ada;
      await submit(t.database, expert, await (n % 4 === 0 ? takeAlone : take)(t.database, expert));
    });
  }
  const { rows } = await t.admin.query(
    `select g.exposures, count(a.id)::int as leases, count(distinct a.slot)::int as slots, count(distinct a.expert_id)::int as experts
     from golds g join assignments a on a.tenant_id = g.tenant_id and a.task_id = g.task_id
     where g.task_id = any ($1) group by g.task_id, g.exposures`,
    [golds],
  );
  expect(
    rows.map(({ exposures, leases, slots, experts }) => [
      exposures === leases,
      leases === slots,
      slots === experts,
    ]),
  ).toEqual(golds.map(() => [true, true, true]));
  expect(rows.reduce((sum, { leases }) => sum + leases, 0)).toBeGreaterThan(20);
  await expectRulesHold(t.database);
});

test('of a batch that wants the same gold only as many are given it as may be', async () => {
  const world = await makeWorld(t.database, { tasks: 9, experts: 3 });
  const [gold] = await makeGolds(t.database, world, { keys: ['yes'] });
  await t.admin.query('update golds set exposures_max = 2 where task_id = $1', [gold]);
  const client = await connectApp(t);
  const { claims } = await serve(client, world.tenantId, {
    claims: world.experts.map((expert) => claimRequest(expert)),
  });
  await client.end();
  const given = claims.map(({ assignment }) => BigInt(assignment?.taskId ?? 0));
  expect(given.filter((id) => id === gold)).toHaveLength(2);
  expect(world.taskIds).toContain(given.find((id) => id !== gold));
  expect(await numberOf(t.admin, 'select exposures from golds where task_id = $1', [gold])).toBe(2);
});

test.each(['gold', 'other work'])(
  '%s that lapsed can be taken back until another is given it',
  async (kind) => {
    const world = await makeWorld(t.database, { tasks: 2, experts: 3 });
    const golds = await makeGolds(t.database, world, { keys: kind === 'gold' ? ['yes'] : [] });
    for (const { expertId } of [world.bob, world.cyd]) {
      await setGoldRate(t.admin, { ...world, expertId }, 0);
    }
    const held = await take(t.database, world.ada);
    expect(golds.includes(held.taskId)).toBe(kind === 'gold');
    await answerNext(t.database, world.bob);
    const takeBack = () => reclaimAssignment(t.database, world.ada.viewer, { assignmentId: held.id });
    await t.advance(61);
    expect(await takeBack()).toMatchObject({ id: held.id, epoch: held.epoch + 1, taskId: held.taskId });
    await t.advance(61);
    const taken = await take(t.database, world.cyd);
    expect(taken.taskId).toBe(held.taskId);
    const isTaken = () => expect(takeBack()).rejects.toMatchObject({ code: 'SLOT_TAKEN' });
    await isTaken();
    await submit(t.database, world.cyd, taken);
    await isTaken();
    await expectRulesHold(t.database);
  },
);

test.each(['gold', 'other work'])(
  '%s that was given back is not taken back, whatever another is given',
  async (kind) => {
    const world = await makeWorld(t.database, { tasks: 9, experts: 3 });
    const golds = kind === 'gold' ? await makeGolds(t.database, world, { keys: ['yes'] }) : [];
    await setGoldRate(t.admin, { ...world, expertId: world.bob.expertId }, 0);
    const held = await take(t.database, world.ada);
    expect(golds.includes(held.taskId)).toBe(kind === 'gold');
    const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
    await releaseAssignment(t.database, world.ada.viewer, lease);
    const refused = { code: 'LEASE_EXPIRED', reclaimable: false };
    const isGone = async () => {
      await expect(submit(t.database, world.ada, held)).rejects.toMatchObject(refused);
      const again = reclaimAssignment(t.database, world.ada.viewer, lease);
      await expect(again).rejects.toMatchObject({ code: 'SLOT_TAKEN' });
    };
    await isGone();
    const other = await take(t.database, world.bob);
    await isGone();
    await submit(t.database, world.bob, other);
    await isGone();
  },
);

test('each claim that became gold is on record with what was drawn', async () => {
  const world = await makeWorld(t.database, { tasks: 9 });
  await makeGolds(t.database, world, { keys: ['yes'] });
  const held = await take(t.database, world.ada);
  const { rows } = await t.admin.query('select * from gold_draws where tenant_id = $1', [world.tenantId]);
  expect(rows).toMatchObject([{ assignment_id: String(held.id), rate: 0.25, drawn: 0, reason: 'EVIDENCE' }]);
});
