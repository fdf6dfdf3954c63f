import { expect, test } from 'vitest';
import { Prisma } from '../../src/generated/prisma/client.js';
import { canonicalJson, sha256Hex } from '../../src/services/platform/canonical.js';
import { heartbeat, reclaimAssignment } from '../../src/services/routing/lease.js';
import { callRouting } from '../../src/services/routing/outcome.js';
import * as routing from '../../src/services/routing/routing.sql.js';
import { useTestDb } from '../support/db.js';
import { answerOf, type Expert, makeWorld } from '../support/factories.js';
import { assignmentRow, behind, uncommitted } from '../support/interleave.js';
import { fireAlarms, numberOf, withClock } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import {
  atOnce,
  claim,
  claimAlone,
  claimStatement,
  outcome,
  reasonOf,
  submit,
  take,
  takeAlone,
  tally,
} from '../support/work.js';

// Rule 4: an answer is stored only for a live lease held by the caller at the current epoch, by the database's clock; the
// same submit again gets the same receipt, another answer under the same assignment is refused.
const t = useTestDb();

const answersOf = (tenantId: bigint) =>
  numberOf(t.admin, 'select count(*) from answers where tenant_id = $1', [tenantId]);
const payoutsOf = (tenantId: bigint) =>
  numberOf(t.admin, 'select count(*) from payouts where tenant_id = $1', [tenantId]);
const leaseUntil = async (id: bigint): Promise<string> => {
  const { rows } = await t.admin.query('select lease_until::text as at from assignments where id = $1', [id]);
  return rows[0].at;
};

test('the same answer fifty times at once is one answer, one payout and fifty equal receipts', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const receipts = await atOnce(50, () => submit(t.database, ada, held));
  for (const receipt of receipts) {
    expect(receipt).toEqual(receipts[0]);
  }
  expect(await answersOf(tenantId)).toBe(1);
  expect(await payoutsOf(tenantId)).toBe(1);
  await expectRulesHold(t.database);
});

test('of two different answers at once one is stored and the other refused', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const said = await atOnce(10, (n) =>
    outcome(submit(t.database, ada, { ...held, choice: n % 2 === 0 ? 'yes' : 'no' })),
  );
  expect(tally(said)).toEqual({ OK: 5, ALREADY_SUBMITTED: 5 });
  expect(await answersOf(tenantId)).toBe(1);
  await expectRulesHold(t.database);
});

test('a submit under an epoch that is not the current one stores nothing', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const first = await take(t.database, ada);
  await t.advance(61);
  const second = await take(t.database, ada);
  for (const epoch of [first.epoch, second.epoch + 1, 0, -1, 2_147_483_647]) {
    await expect(submit(t.database, ada, { id: second.id, epoch })).rejects.toMatchObject({
      code: 'STALE_LEASE',
      currentEpoch: second.epoch,
    });
  }
  expect(await answersOf(tenantId)).toBe(0);
  await submit(t.database, ada, second);
  expect(await outcome(submit(t.database, ada, first))).toBe('ALREADY_SUBMITTED');
  await expectRulesHold(t.database);
});

test('nobody submits under a lease that is another expert’s', async () => {
  const { ada, bob, tenantId } = await makeWorld(t.database, { experts: 2 });
  const held = await take(t.database, ada);
  expect(await outcome(submit(t.database, bob, held))).toBe('ASSIGNMENT_NOT_FOUND');
  // The same below the service, where the task type has been looked up already.
  const stored = await callRouting(t.database, 'submit', submitOf(tenantId, bob, held));
  expect(stored).toEqual({ outcome: 'NOT_FOUND' });
  expect(await answersOf(tenantId)).toBe(0);
  expect(await outcome(submit(t.database, ada, held))).toBe('OK');
});

test('a late answer is not stored but kept as the draft, and comes back with the task', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  await t.advance(60);
  await expect(submit(t.database, ada, { ...held, choice: 'no' })).rejects.toMatchObject({
    code: 'LEASE_EXPIRED',
    reclaimable: true,
  });
  expect(await answersOf(tenantId)).toBe(0);
  const again = await reclaimAssignment(t.database, ada.viewer, { assignmentId: held.id });
  expect(again).toMatchObject({ epoch: 2, draft: { body: JSON.stringify(answerOf('no')) } });
  await submit(t.database, ada, { ...again, choice: 'no' });
  await expectRulesHold(t.database);
});

test('an epoch that was never given out does not shut out the drafts of those that will be', async () => {
  const { ada } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  await t.advance(61);
  const beat = { assignmentId: held.id, lastActivitySeconds: 0 };
  await outcome(heartbeat(t.database, ada.viewer, { ...beat, leaseEpoch: 2_147_483_647, draft: 'bogus' }));
  const again = await take(t.database, ada);
  await heartbeat(t.database, ada.viewer, { ...beat, leaseEpoch: again.epoch, draft: 'typed' });
  expect((await take(t.database, ada)).draft?.body).toBe('"typed"');
});

test.each([
  ['half a millisecond before', "- interval '0.0005 seconds'", 'OK'],
  ['at', '', 'LEASE_EXPIRED'],
  ['half a millisecond after', "+ interval '0.0005 seconds'", 'LEASE_EXPIRED'],
])('%s the end of the lease every statement is of one mind', async (_when, shift, expected) => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const end = await leaseUntil(held.id);
  await withClock(t.admin, `select date_trunc('milliseconds', '${end}'::timestamptz ${shift})`, async () => {
    expect(await outcome(submit(t.database, ada, held))).toBe(expected);
  });
  expect(await answersOf(tenantId)).toBe(expected === 'OK' ? 1 : 0);
  await expectRulesHold(t.database);
});

test('a lease that runs out while fifty submits and as many claims are on their way is answered or lapsed, not both', async () => {
  const { ada, bob, cyd, tenantId } = await makeWorld(t.database, {
    experts: 3,
    project: { leaseSeconds: 1 },
  });
  for (let round = 0; round < 3; round++) {
    const result = await claim(t.database, ada);
    if ('empty' in result) {
      break;
    }
    // So near that the requests themselves take longer: the lease ends somewhere among them.
    await t.advance(result.held.secondsLeft - 0.03);
    const said = await atOnce(50, (n) =>
      n % 10 === 9
        ? claim(t.database, n % 20 === 9 ? bob : cyd).then(() => 'CLAIM')
        : outcome(submit(t.database, ada, result.held)),
    );
    const stored = await answersOf(tenantId);
    expect(said.includes('OK')).toBe(stored === 1);
    if (stored === 1) {
      expect(await outcome(submit(t.database, ada, result.held))).toBe('OK');
    }
    await expectRulesHold(t.database);
    await t.advance(2);
  }
});

test('an expiry that waited behind the submit finds nothing to end', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const ends = await behind<unknown>(t, assignmentRow(tenantId, held.id), [
    () => callRouting(t.database, 'submit', submitOf(tenantId, ada, held)),
    () => t.advance(61).then(() => claimAlone(t.database, ada).then(reasonOf)),
  ]);
  expect(ends).toMatchObject([{ value: { outcome: 'SUBMITTED' } }, { value: 'NO_OPEN_TASK' }]);
  expect(await answersOf(tenantId)).toBe(1);
  await expectRulesHold(t.database);
});

test('a submit that began inside the lease and waited behind its expiry stores nothing', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  await t.advance(61);
  const said = await uncommitted(t, claimStatement(tenantId, ada), () => [
    t.advance(-61).then(() => outcome(submit(t.database, ada, held))),
  ]);
  expect(await Promise.all(said)).toEqual(['STALE_LEASE']);
  await t.advance(61);
  expect(await answersOf(tenantId)).toBe(0);
  await expectRulesHold(t.database);
});

test('a heartbeat and the expiry of the same lease at once leave it either live or ended', async () => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const beat = () => outcome(heartbeat(t.database, ada.viewer, beatOf(held)));
  // The heartbeat decides by the clock it began with; the claim that came a second later finds the lease extended.
  await t.advance(59);
  const ends = await behind<unknown>(t, assignmentRow(tenantId, held.id), [
    beat,
    () => t.advance(2).then(() => takeAlone(t.database, ada)),
  ]);
  expect(ends).toMatchObject([{ value: 'OK' }, { value: { id: held.id, epoch: 1 } }]);
  await expectRulesHold(t.database);

  await t.advance(120);
  const said = await uncommitted(t, claimStatement(tenantId, ada), () => [t.advance(-120).then(beat)]);
  expect(await Promise.all(said)).toEqual(['STALE_LEASE']);
  await t.advance(120);
  await expectRulesHold(t.database);
});

test.each([
  [
    'a heartbeat',
    { call: Prisma.sql`app.heartbeat`, rest: Prisma.sql`, 0, 'typed'`, said: 'OK', answers: 1 },
  ],
  ['a release', { call: Prisma.sql`app.release`, rest: Prisma.empty, said: 'LEASE_EXPIRED', answers: 0 }],
])('a submit that waits for %s of its lease finds the lease as that leaves it', async (_what, row) => {
  const { ada, tenantId } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  const first = Prisma.sql`select ${row.call}(${tenantId}, ${ada.expertId}, ${ada.viewer.identityId}, ${held.id}, ${held.epoch}${row.rest})`;
  const said = await uncommitted(t, first, () => [outcome(submit(t.database, ada, held))]);
  expect(await Promise.all(said)).toEqual([row.said]);
  expect(await answersOf(tenantId)).toBe(row.answers);
  await expectRulesHold(t.database);
});

test('alarms that fire while submits are on their way never take an answer back', async () => {
  const { experts } = await makeWorld(t.database, { experts: 16, tasks: 16, project: { leaseSeconds: 1 } });
  const held = await Promise.all(experts.map((expert) => take(t.database, expert)));
  await t.advance(Math.min(...held.map((lease) => lease.secondsLeft)) - 0.02);
  await Promise.all([
    ...held.map((lease, n) => outcome(submit(t.database, experts[n] as Expert, lease))),
    ...Array.from({ length: 8 }, () => fireAlarms(t.database)),
  ]);
  await expectRulesHold(t.database);
});

test('the database itself refuses an answer outside its lease', async () => {
  const { ada } = await makeWorld(t.database);
  const held = await take(t.database, ada);
  await expect(
    t.admin.query(
      `update assignments set state = 'SUBMITTED', submitted_at = lease_until, ended_at = lease_until where id = $1`,
      [held.id],
    ),
  ).rejects.toMatchObject({ code: '23514' });
});

function beatOf(held: { id: bigint; epoch: number }) {
  return { assignmentId: held.id, leaseEpoch: held.epoch, lastActivitySeconds: 0, draft: 'typed' };
}

function submitOf(tenantId: bigint, expert: Expert, held: { id: bigint; epoch: number }) {
  const caller = {
    tenantId,
    expertId: expert.expertId,
    actorId: expert.viewer.identityId,
    requestId: 'test',
  };
  const body = canonicalJson(answerOf());
  const answer = {
    body,
    digest: sha256Hex(body),
    confidence: null,
    values: [],
    clientVersion: null,
    formVariant: null,
  };
  return routing.submit(caller, { assignmentId: held.id, leaseEpoch: held.epoch }, answer);
}
