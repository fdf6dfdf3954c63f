import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { type Database, openDatabase, withService } from '../../src/services/platform/database.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { cancelProject as cancelStatement } from '../../src/services/projects/projects.sql.js';
import {
  flagTask,
  heartbeat,
  reclaimAssignment,
  releaseAssignment,
} from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { at, type Expert, makeBatch, makeProject, makeWorld, type World } from '../support/factories.js';
import { assignmentRow, behind, projectRow, uncommitted, untilBlocked } from '../support/interleave.js';
import { fireAlarms, numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { enqueue } from '../support/tasks.js';
import { claim, claimAlone, claimStatement, emptyReason, outcome, submit, take } from '../support/work.js';

// Rule 9: after a cancel has committed no claim of that project succeeds; every answer submitted is paid.
const t = useTestDb();
let crowd: Database;
beforeAll(() => {
  crowd = openDatabase({ url: t.url, appConnections: 30 });
});
afterAll(() => crowd.close());

type Policy = 'STOP' | 'FINISH';
const POLICIES: readonly Policy[] = ['STOP', 'FINISH'];
const cancel = (world: World, policy: Policy) =>
  cancelProject(crowd, world.operator, { projectId: world.projectId, policy });
const queued = (world: World) =>
  numberOf(t.admin, 'select count(*) from ready where tenant_id = $1', [world.tenantId]);
const leaseOf = (held: { id: bigint; epoch: number }) => ({ assignmentId: held.id, leaseEpoch: held.epoch });

test.each(POLICIES)('%s against fifty experts who claim, submit, release and lapse', async (policy) => {
  const world = await makeWorld(crowd, {
    experts: 50,
    tasks: 40,
    project: { redundancy: 3, leaseSeconds: 1 },
  });
  const paid: string[] = [];
  const late: bigint[] = [];
  let cancelledAt: string | null = null;
  const work = world.experts.map(async (expert, index) => {
    for (let n = 0; n < 5; n++) {
      const begunAfter = cancelledAt !== null;
      const result = await claim(crowd, expert);
      if ('empty' in result) {
        continue;
      }
      if (begunAfter) {
        late.push(result.held.id);
      }
      const turn = (index + n) % 5;
      if (turn === 0) {
        await outcome(releaseAssignment(crowd, expert.viewer, leaseOf(result.held)));
      } else if (turn !== 1) {
        paid.push(await outcome(submit(crowd, expert, result.held)));
      }
    }
  });
  const stop = (async () => {
    await claim(crowd, at(world.experts, 0));
    await cancel(world, policy);
    const { rows } = await t.admin.query('select app.clock_now()::text as now');
    cancelledAt = rows[0].now;
  })();
  await Promise.all([...work, stop, fireAlarms(crowd)]);
  // A claim that began after the cancel had returned may answer what its expert held before, nothing newer.
  const newer = 'select count(*) from assignments where id = any ($1) and leased_at >= $2';
  expect(await numberOf(t.admin, newer, [late.map(String), cancelledAt])).toBe(0);
  expect(await queued(world)).toBe(0);
  const answers = await numberOf(t.admin, 'select count(*) from answers where tenant_id = $1', [
    world.tenantId,
  ]);
  expect(answers).toBe(paid.filter((said) => said === 'OK').length);
  await t.advance(2);
  await fireAlarms(crowd);
  expect(await queued(world)).toBe(0);
  for (const expert of world.experts.slice(0, 10)) {
    expect(await emptyReason(crowd, expert)).toBe('NO_OPEN_TASK');
  }
  await expectRulesHold(crowd);
});

test.each(POLICIES)(
  '%s waits for a claim that holds a row of the queue, and then nothing is left',
  async (policy) => {
    const world = await makeWorld(crowd, { tasks: 3, experts: 2 });
    const [done] = await uncommitted(t, claimStatement(world.tenantId, world.ada), () => [
      cancel(world, policy),
    ]);
    await done;
    expect(await queued(world)).toBe(0);
    const held = await claim(crowd, world.ada);
    expect('held' in held).toBe(policy === 'FINISH');
    expect(await emptyReason(crowd, world.bob)).toBe('NO_OPEN_TASK');
    await expectRulesHold(crowd);
  },
);

test.each(POLICIES)('%s against an expiry, a release, a flag and a reclaim of its tasks', async (policy) => {
  const ways: readonly ((world: World, held: Awaited<ReturnType<typeof take>>) => Promise<unknown>)[] = [
    ({ ada }, held) => releaseAssignment(crowd, ada.viewer, leaseOf(held)),
    ({ ada }, held) => flagTask(crowd, ada.viewer, { ...leaseOf(held), reason: 'OTHER' }),
    ({ ada }, held) => t.advance(61).then(() => reclaimAssignment(crowd, ada.viewer, leaseOf(held))),
    ({ ada }) => t.advance(61).then(() => claimAlone(crowd, ada)),
  ];
  for (const way of ways) {
    for (const cancelFirst of [true, false]) {
      const world = await makeWorld(crowd, { experts: 2, tasks: 1 });
      const held = await take(crowd, world.ada);
      const calls = [() => outcome(cancel(world, policy)), () => outcome(way(world, held))];
      await behind(t, projectRow(world.tenantId, world.projectId), cancelFirst ? calls : calls.reverse());
      expect(await queued(world)).toBe(0);
      expect(await emptyReason(crowd, world.bob)).toBe('NO_OPEN_TASK');
      await expectRulesHold(crowd);
    }
  }
});

test.each(POLICIES)('%s against a chunk of tasks that is being stored', async (policy) => {
  for (const cancelFirst of [true, false]) {
    const world = await makeWorld(crowd, { tasks: 1 });
    const { tenantId, batchId } = world;
    const calls = [
      () => cancel(world, policy),
      () =>
        withService(crowd, { tenantId, actorId: null }, async (tx) => {
          await enqueue(tx, { tenantId, batchId, rows: [{}, {}], firstLine: 10 });
        }),
    ];
    const ends = await behind(
      t,
      projectRow(tenantId, world.projectId),
      cancelFirst ? calls : calls.reverse(),
    );
    expect(ends.filter((end) => end.status === 'rejected')).toHaveLength(cancelFirst ? 1 : 0);
    expect(await queued(world)).toBe(0);
    expect(await emptyReason(crowd, world.ada)).toBe('NO_OPEN_TASK');
    await expectRulesHold(crowd);
  }
});

test('tasks that are stored but not committed when the cancel comes are swept by it', async () => {
  const world = await makeWorld(crowd, { tasks: 1 });
  const { tenantId, batchId } = world;
  let stop: Promise<void> = Promise.resolve();
  await withService(crowd, { tenantId, actorId: null }, async (tx) => {
    await enqueue(tx, { tenantId, batchId, rows: [{}, {}], firstLine: 10 });
    stop = cancel(world, 'STOP');
    await untilBlocked(t.admin, 1);
  });
  await stop;
  expect(await queued(world)).toBe(0);
  await expectRulesHold(crowd);
});

test.each(POLICIES)('an alarm that fires while %s is on its way gives no slot back', async (policy) => {
  const world = await makeWorld(crowd, { experts: 2 });
  await take(crowd, world.ada);
  await t.advance(61);
  const client = await connect(t.appUrl, 'touchstone test cancel');
  await client.query('begin');
  const call = { tenantId: world.tenantId, actorId: 1n, projectId: world.projectId, customerId: null };
  const statement = cancelStatement(call, policy);
  await client.query(statement.text, statement.values);
  await fireAlarms(crowd);
  await client.query('commit');
  await client.end();
  await fireAlarms(crowd);
  expect(await queued(world)).toBe(0);
  expect(await emptyReason(crowd, world.bob)).toBe('NO_OPEN_TASK');
  await expectRulesHold(crowd);
});

test('STOP and a submit that wait for the same assignment: whichever is first, an answer stored is an answer paid', async () => {
  for (const submitFirst of [true, false]) {
    const world = await makeWorld(crowd);
    const { ada, tenantId } = world;
    const held = await take(crowd, ada);
    const calls = [() => outcome(submit(crowd, ada, held)), () => outcome(cancel(world, 'STOP'))];
    const ends = await behind(t, assignmentRow(tenantId, held.id), submitFirst ? calls : calls.reverse());
    const said = ends.map((end) => (end.status === 'fulfilled' ? end.value : end.reason));
    expect(said).toEqual(submitFirst ? ['OK', 'OK'] : ['OK', 'PROJECT_CANCELLED']);
    const payouts = 'select count(*) from payouts where tenant_id = $1';
    expect(await numberOf(t.admin, payouts, [tenantId])).toBe(submitFirst ? 1 : 0);
    await expectRulesHold(crowd);
  }
});

test('STOP ends the live lease at once and says so', async () => {
  const world = await makeWorld(crowd);
  const held = await take(crowd, world.ada);
  await cancel(world, 'STOP');
  const beat = { ...leaseOf(held), lastActivitySeconds: 0 };
  expect(await outcome(heartbeat(crowd, world.ada.viewer, beat))).toBe('PROJECT_CANCELLED');
  expect(await outcome(submit(crowd, world.ada, held))).toBe('PROJECT_CANCELLED');
  expect(await outcome(releaseAssignment(crowd, world.ada.viewer, leaseOf(held)))).toBe('PROJECT_CANCELLED');
  expect(await outcome(reclaimAssignment(crowd, world.ada.viewer, leaseOf(held)))).toBe('PROJECT_CANCELLED');
});

test('FINISH lets the present lease be submitted and paid, not extended, not reclaimed', async () => {
  const world = await makeWorld(crowd, { experts: 2, tasks: 2 });
  const [mine, other] = [await take(crowd, world.ada), await take(crowd, world.bob)];
  await cancel(world, 'FINISH');
  await t.advance(30);
  const lease = await heartbeat(crowd, world.ada.viewer, { ...leaseOf(mine), lastActivitySeconds: 0 });
  expect(lease).toMatchObject({ extended: false, leaseUntil: mine.leaseUntil });
  expect(await outcome(submit(crowd, world.ada, mine))).toBe('OK');
  await t.advance(30);
  await expect(submit(crowd, world.bob, other)).rejects.toMatchObject({
    code: 'LEASE_EXPIRED',
    reclaimable: false,
  });
  expect(await outcome(reclaimAssignment(crowd, world.bob.viewer, leaseOf(other)))).toBe('PROJECT_CANCELLED');
  const payouts = 'select count(*) from payouts where tenant_id = $1';
  expect(await numberOf(t.admin, payouts, [world.tenantId])).toBe(1);
  await expectRulesHold(crowd);
});

test('a heartbeat that meets a FINISH on its way waits for it, and extends nothing', async () => {
  const world = await makeWorld(crowd);
  const held = await take(crowd, world.ada);
  await t.advance(30);
  const call = { tenantId: world.tenantId, actorId: 1n, projectId: world.projectId, customerId: null };
  const lease = await uncommitted(t, cancelStatement(call, 'FINISH'), () =>
    heartbeat(crowd, world.ada.viewer, { ...leaseOf(held), lastActivitySeconds: 0 }),
  );
  expect(lease).toMatchObject({ extended: false, leaseUntil: held.leaseUntil });
  await expectRulesHold(crowd);
});

test('FINISH may be tightened to STOP, never loosened, and each may be said again', async () => {
  const world = await makeWorld(crowd);
  const said: string[] = [];
  for (const policy of ['FINISH', 'FINISH', 'STOP', 'STOP', 'FINISH'] as const) {
    said.push(await outcome(cancel(world, policy)));
  }
  expect(said).toEqual(['OK', 'OK', 'OK', 'OK', 'ALREADY_STOPPED']);
});

test('one project’s cancel takes nothing from another in the same lane', async () => {
  const world = await makeWorld(crowd, { experts: 8, tasks: 4 });
  const other = await makeProject(crowd, world);
  await makeBatch(crowd, world, { projectId: other, tasks: 8 });
  const results = await Promise.all([
    cancel(world, 'STOP').then(() => null),
    ...world.experts.map((expert: Expert) => claim(crowd, expert)),
  ]);
  expect(results.length).toBe(9);
  const again = await Promise.all(world.experts.map((expert) => take(crowd, expert)));
  expect(again.every((held) => held.projectId === other)).toBe(true);
  await expectRulesHold(crowd);
});
