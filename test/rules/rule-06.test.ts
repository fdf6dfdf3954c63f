import { expect, test } from 'vitest';
import { claimTask } from '../../src/services/routing/claim.js';
import { heartbeat, reclaimAssignment, releaseAssignment } from '../../src/services/routing/lease.js';
import { useTestDb } from '../support/db.js';
import { type Expert, makeWorld } from '../support/factories.js';
import { assignmentRow, behind, holding, taskRow, uncommitted } from '../support/interleave.js';
import { fireAlarms, numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import {
  answerNext,
  claim,
  claimStatement,
  emptyReason,
  outcome,
  submit,
  take,
  takeAlone,
} from '../support/work.js';

// Rule 6: an expired lease is never lost: its slot is claimable again without waiting for any process to be alive, and
// the expert's draft survives. No runner runs here unless a test calls it.
const t = useTestDb();

const beatOf = (held: { id: bigint; epoch: number }, draft?: unknown) => ({
  assignmentId: held.id,
  leaseEpoch: held.epoch,
  lastActivitySeconds: 0,
  ...(draft === undefined ? {} : { draft }),
});
const eventsOf = (tenantId: bigint, kind: string) =>
  numberOf(t.admin, 'select count(*) from stream_events where tenant_id = $1 and kind = $2', [
    tenantId,
    kind,
  ]);

test('a lapsed task goes to the next expert who asks, with nobody else alive', async () => {
  const { ada, bob } = await makeWorld(t.database, { experts: 2 });
  const lost = await take(t.database, ada);
  expect(await emptyReason(t.database, bob)).toBe('NO_OPEN_TASK');
  await t.advance(60);
  const found = await take(t.database, bob);
  expect(found.taskId).toBe(lost.taskId);
  expect(await outcome(submit(t.database, ada, lost))).toBe('LEASE_EXPIRED');
  expect(await outcome(submit(t.database, bob, found))).toBe('OK');
  await expectRulesHold(t.database);
});

test('after a mass lapse everything can be claimed again at once, each slot once', async () => {
  const { experts } = await makeWorld(t.database, { experts: 60, tasks: 30 });
  const [lapsing, fresh] = [experts.slice(0, 30), experts.slice(30)];
  await Promise.all(lapsing.map((expert) => take(t.database, expert)));
  await t.advance(60);
  const given = await Promise.all(fresh.map((expert) => take(t.database, expert)));
  expect(new Set(given.map((held) => held.taskId)).size).toBe(30);
  expect(await emptyReason(t.database, lapsing[0] as Expert)).toBe('NO_OPEN_TASK');
  await expectRulesHold(t.database);
});

test('a mass lapse of redundant tasks, met by claims and runners at once, deadlocks nobody', async () => {
  const { experts, tenantId } = await makeWorld(t.database, {
    experts: 40,
    tasks: 8,
    project: { redundancy: 5 },
  });
  const before = await deadlocks();
  for (let round = 0; round < 4; round++) {
    await Promise.all(experts.map((expert) => claim(t.database, expert)));
    await t.advance(60);
    await Promise.all([
      ...Array.from({ length: 4 }, () => fireAlarms(t.database)),
      ...experts.map((expert) => claim(t.database, expert)),
    ]);
    await expectRulesHold(t.database);
  }
  expect(await deadlocks()).toBe(before);
  expect(await numberOf(t.admin, liveOf, [tenantId])).toBe(40);
});

test('an alarm that meets a task in other hands waits for nobody, and comes again', async () => {
  const { ada, bob, tenantId } = await makeWorld(t.database, { experts: 2 });
  const held = await take(t.database, ada);
  await t.advance(60);
  await holding(t.url, taskRow(tenantId, held.taskId), async () => {
    await fireAlarms(t.database);
    expect(await eventsOf(tenantId, 'EXPIRED')).toBe(0);
    expect(await claimTask(t.database, bob.viewer)).toMatchObject({ empty: { reason: 'BUSY' } });
  });
  await fireAlarms(t.database);
  expect(await eventsOf(tenantId, 'EXPIRED')).toBe(2); // on the project's stream and on the expert's own
  expect((await take(t.database, bob)).taskId).toBe(held.taskId);
  await expectRulesHold(t.database);
});

test('a release and the expiry of the same lease at once give the slot back once', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const lease = { assignmentId: held.id, leaseEpoch: held.epoch };
  const ends = await behind<unknown>(t, assignmentRow(tenantId, held.id), [
    () => outcome(releaseAssignment(t.database, ada.viewer, lease)),
    () => t.advance(61).then(() => takeAlone(t.database, ada)),
  ]);
  expect(ends).toMatchObject([{ value: 'OK' }, { value: { id: held.id, epoch: 2 } }]);
  await expectRulesHold(t.database);

  await t.advance(61);
  const again = { ...lease, leaseEpoch: 2 };
  const said = await uncommitted(t, claimStatement(tenantId, ada), () => [
    t.advance(-61).then(() => outcome(releaseAssignment(t.database, ada.viewer, again))),
  ]);
  expect(await Promise.all(said)).toEqual(['STALE_LEASE']);
  await t.advance(61);
  await expectRulesHold(t.database);
});

test('drafts survive expiry, release and the answer of another expert', async () => {
  const { ada, bob } = await makeWorld(t.database, { experts: 2, tasks: 1 });
  const first = await take(t.database, ada);
  await heartbeat(t.database, ada.viewer, beatOf(first, { text: 'half a' }));
  await t.advance(60);
  expect(await outcome(heartbeat(t.database, ada.viewer, beatOf(first, { text: 'half a sentence' })))).toBe(
    'LEASE_EXPIRED',
  );
  const second = await take(t.database, ada);
  expect(second.draft?.body).toBe('{"text":"half a sentence"}');
  await releaseAssignment(t.database, ada.viewer, { assignmentId: second.id, leaseEpoch: second.epoch });
  const third = await take(t.database, ada);
  expect(third.draft?.body).toBe('{"text":"half a sentence"}');
  await t.advance(60);
  await answerNext(t.database, bob);
  expect(await numberOf(t.admin, 'select count(*) from drafts where assignment_id = $1', [third.id])).toBe(1);
  await expectRulesHold(t.database);
});

test('an older epoch does not overwrite what was typed under a newer one', async () => {
  const { ada } = await makeWorld(t.database);
  const first = await take(t.database, ada);
  await t.advance(60);
  const second = await take(t.database, ada);
  await heartbeat(t.database, ada.viewer, beatOf(second, 'new'));
  expect(await outcome(heartbeat(t.database, ada.viewer, beatOf(first, 'old')))).toBe('STALE_LEASE');
  await t.advance(120);
  expect(await outcome(heartbeat(t.database, ada.viewer, beatOf(first, 'old')))).toBe('LEASE_EXPIRED');
  expect((await take(t.database, ada)).draft?.body).toBe('"new"');
});

test('an extended lease is looked at again when it does end, by its re-armed alarm', async () => {
  const { ada, bob, tenantId } = await makeWorld(t.database, { experts: 2 });
  const held = await take(t.database, ada);
  for (let n = 0; n < 3; n++) {
    await t.advance(40);
    expect((await heartbeat(t.database, ada.viewer, beatOf(held))).extended).toBe(true);
    expect(await emptyReason(t.database, bob)).toBe('NO_OPEN_TASK');
    await fireAlarms(t.database);
    await expectRulesHold(t.database);
  }
  expect(await eventsOf(tenantId, 'EXPIRED')).toBe(0);
  await t.advance(60);
  expect((await take(t.database, bob)).taskId).toBe(held.taskId);
  await expectRulesHold(t.database);
});

test('the runner warns once before the end and once ends it, and a claim beside it makes neither twice', async () => {
  const { ada, bob, tenantId } = await makeWorld(t.database, { experts: 2 });
  await take(t.database, ada);
  await t.advance(46);
  await Promise.all([fireAlarms(t.database), fireAlarms(t.database), emptyReason(t.database, bob)]);
  expect(await eventsOf(tenantId, 'EXPIRING')).toBe(2); // on the project's stream and on the expert's own
  await t.advance(15);
  await Promise.all([fireAlarms(t.database), fireAlarms(t.database), emptyReason(t.database, bob)]);
  expect(await eventsOf(tenantId, 'EXPIRED')).toBe(2);
  await expectRulesHold(t.database);
});

test('alarms of what was submitted, released or cancelled are dropped when they come due', async () => {
  const { ada, tenantId } = await makeWorld(t.database, { tasks: 2 });
  await answerNext(t.database, ada);
  const held = await take(t.database, ada);
  await releaseAssignment(t.database, ada.viewer, { assignmentId: held.id, leaseEpoch: held.epoch });
  await t.advance(60);
  await fireAlarms(t.database);
  expect(await numberOf(t.admin, 'select count(*) from lease_alarms where tenant_id = $1', [tenantId])).toBe(
    0,
  );
  expect(await eventsOf(tenantId, 'EXPIRED')).toBe(0);
});

test('a task that lapses comes back at its old place, before what was never touched', async () => {
  const { ada, bob, taskIds } = await makeWorld(t.database, { experts: 2, tasks: 5 });
  const lost = await take(t.database, ada);
  expect(lost.taskId).toBe(taskIds[0]);
  await t.advance(60);
  expect((await take(t.database, bob)).taskId).toBe(taskIds[0]);
});

const liveOf = `select count(*) from assignments where tenant_id = $1 and state = 'LEASED'`;

/** Deadlocks that the server has broken in this database since it was made. */
async function deadlocks(): Promise<number> {
  await t.admin.query('select pg_stat_clear_snapshot()');
  return numberOf(t.admin, 'select deadlocks from pg_stat_database where datname = current_database()');
}
