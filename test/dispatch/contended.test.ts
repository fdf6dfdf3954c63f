import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { checkIn } from '../../src/services/dispatch/at-the-place.js';
import { reassignJob } from '../../src/services/dispatch/jobs.js';
import { acceptOffer, declineOffer } from '../../src/services/dispatch/offers.js';
import { overrideAssignment } from '../../src/services/dispatch/override.js';
import type { Etas } from '../../src/services/dispatch/ports.js';
import { assignDue, endOffers } from '../../src/services/dispatch/upkeep.js';
import { setWorker } from '../../src/services/dispatch/workers.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  HERE,
  lookAtJob,
  lookAtOffer,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
  offerOf,
  see,
} from '../support/dispatch.js';
import type { Expert } from '../support/factories.js';
import { behind, type Lock } from '../support/interleave.js';
import { expectRulesHold } from '../support/rules.js';

// Two who want different things of one job or one worker at the same moment: one of them has it, the other is told.
const t = useTestDb();

const jobRow = (tenantId: bigint, jobId: bigint): Lock => ({
  text: 'select 1 from jobs where tenant_id = $1 and id = $2 for update',
  values: [tenantId, jobId],
});
const workerRow = (tenantId: bigint, expertId: bigint): Lock => ({
  text: 'select 1 from workers where tenant_id = $1 and expert_id = $2 for update',
  values: [tenantId, expertId],
});

const send = (depot: Depot, jobId: bigint, { expertId }: Expert) =>
  give(depot, { jobId, expertId, preempt: false });
const preempt = (depot: Depot, jobId: bigint, { expertId }: Expert) =>
  give(depot, { jobId, expertId, preempt: true });
const give = (depot: Depot, given: { jobId: bigint; expertId: bigint; preempt: boolean }) =>
  overrideAssignment(depot.on, depot.dispatcher, { reason: 'Known there.', ...given });

/** How calls ended that ran into one lock in this order: OK, or the code of the refusal. */
async function ends(lock: Lock, calls: (() => Promise<unknown>)[]): Promise<string[]> {
  return (await behind<unknown>(t, lock, calls)).map((end) =>
    end.status === 'fulfilled' ? 'OK' : (end.reason.code ?? String(end.reason)),
  );
}

test.each([
  ['first', ['OK', 'JOB_STATE'], 'IN_PROGRESS'],
  ['second', ['OK', 'NOT_FOUND'], 'OPEN'],
])(
  'of a check-in and a reassignment at once one stands: the check-in where it is %s',
  async (place, expected, state) => {
    const depot = await makeDepot(t);
    const worker = await makeWorker(depot);
    const jobId = await makeJob(depot);
    await acceptOffer(t.database, worker.viewer, (await offerOf(depot, jobId)).id);
    const { code } = await lookAtJob(depot, jobId);
    const calls = [
      () => checkIn(t.database, worker.viewer, { jobId, code }),
      () => reassignJob(t.database, depot.dispatcher, { jobId, reason: 'Does not answer.' }),
    ];
    expect(await ends(jobRow(depot.tenantId, jobId), place === 'first' ? calls : calls.reverse())).toEqual(
      expected,
    );
    expect((await lookAtJob(depot, jobId)).state).toBe(state);
    await expectRulesHold(t.database);
  },
);

test('an override and the end of the offer at once: the job is theirs who was sent, whichever came first', async () => {
  for (const overrideFirst of [true, false]) {
    const depot = await makeDepot(t);
    await makeWorker(depot);
    const sent = await makeWorker(depot, { at: null });
    const jobId = await makeJob(depot);
    const offer = await offerOf(depot, jobId);
    await t.advance(21);
    const override = () => send(depot, jobId, sent);
    const end = () => endOffers(t.database);
    // (The sweep passes a locked job over: so it runs beside, not behind.)
    await Promise.all(overrideFirst ? [override(), end()] : [end(), override()]);
    await end();
    expect((await lookAtOffer(depot, offer.id)).state).toMatch(/^(EXPIRED|WITHDRAWN)$/);
    const { state, offer: now } = await lookAtJob(depot, jobId);
    expect(state).toBe('ACCEPTED');
    expect((await lookAtOffer(depot, BigInt(now ?? 0))).expertId).toBe(sent.expertId);
    await t.advance(-21);
    await expectRulesHold(t.database);
  }
});

test('an override and an acceptance at once: who was sent has it, and the other was told that they had not or lose it on record', async () => {
  const depot = await makeDepot(t);
  const asked = await makeWorker(depot);
  const sent = await makeWorker(depot, { at: null });
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  const outcome = await ends(jobRow(depot.tenantId, jobId), [
    () => acceptOffer(t.database, asked.viewer, offer.id),
    () => send(depot, jobId, sent),
  ]);
  expect(outcome).toEqual(['OK', 'OK']);
  expect((await lookAtOffer(depot, offer.id)).state).toBe('REASSIGNED');
  await expectRulesHold(t.database);
});

test('of two jobs that somebody is sent to at once they go to one', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { at: null });
  const [first, second] = [await makeJob(depot), await makeJob(depot)];
  expect(
    await ends(workerRow(depot.tenantId, worker.expertId), [
      () => send(depot, first, worker),
      () => send(depot, second, worker),
    ]),
  ).toEqual(['OK', 'WORKER_BUSY']);
  expect((await lookAtJob(depot, second)).state).toBe('OPEN');
  await expectRulesHold(t.database);
});

test('two jobs that preempt each other’s worker at once end without a circle', async () => {
  const depot = await makeDepot(t);
  const [ada, bob] = [await makeWorker(depot, { at: null }), await makeWorker(depot, { at: null })];
  const [low, high] = [await makeJob(depot, { priority: 2 }), await makeJob(depot, { priority: 9 })];
  await send(depot, low, ada);
  await send(depot, high, bob);
  const ended = await Promise.allSettled([
    preempt(depot, high, ada),
    preempt(depot, low, bob),
    preempt(depot, high, ada),
  ]);
  for (const end of ended.filter(({ status }) => status === 'rejected')) {
    expect(end).toMatchObject({ reason: { code: expect.stringMatching(/^(WORKER_BUSY|JOB_STATE)$/) } });
  }
  await expectRulesHold(t.database);
});

test('five jobs at once for who has two hands: two offers in time, and the third overlaps', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { capacity: 2 });
  const jobs = await Promise.all(Array.from({ length: 5 }, () => makeJob(depot)));
  for (let round = 0; round < 2; round++) {
    await Promise.all(jobs.map((jobId) => assignJob(depot.on, actorOf(depot), jobId)));
    const { rows } = await t.admin.query(`select id from offers where tenant_id = $1 and state = 'LIVE'`, [
      depot.tenantId,
    ]);
    expect(rows).toHaveLength(1);
    await acceptOffer(t.database, worker.viewer, BigInt(rows[0].id));
  }
  const open = jobs.map((jobId) => assignJob(depot.on, actorOf(depot), jobId));
  const reasons = (await Promise.all(open)).map(({ reason }) => reason).filter((reason) => reason !== null);
  expect(reasons).toEqual(Array.from({ length: 3 }, () => '1 in range: 1 overlapping.'));
  await expectRulesHold(t.database);
});

test('a look that was in vain says nothing of a job that was offered and came back meanwhile: it is looked for anew at once', async () => {
  const depot = await makeDepot(t);
  const near = await makeWorker(depot, { at: minutesAway(5) });
  const next = await makeWorker(depot, { at: minutesAway(9) });
  const jobId = await makeJob(depot);
  // A router that answers late, and that nobody has a way: somebody else is quicker, and is told no.
  const etas: Etas = {
    async etas(_tenantId, { from }) {
      if ((await lookAtJob(depot, jobId)).offer === null && !declined) {
        declined = true;
        await declineOffer(t.database, near.viewer, (await offerOf(depot, jobId)).id);
      }
      return from.map(() => null);
    },
  };
  let declined = false;
  const late = { ...depot.on, dispatch: { ...depot.on.dispatch, etas } };
  expect((await assignJob(late, actorOf(depot), jobId)).offerId).toBeNull();
  const { rows } = await t.admin.query(
    `select state, attempts, assign_at <= app.clock_now() as "isDue",
            (select count(*)::int from alerts a where a.tenant_id = j.tenant_id and a.kind = 'JOB_UNASSIGNED') as alerts
     from jobs j where id = $1`,
    [jobId],
  );
  expect(rows).toEqual([{ state: 'OPEN', attempts: 0, isDue: true, alerts: 0 }]);
  await assignDue(depot.on);
  const { state, offer } = await lookAtJob(depot, jobId);
  expect(state).toBe('OFFERED');
  expect((await lookAtOffer(depot, BigInt(offer ?? 0))).expertId).toBe(next.expertId);
});

test('who has fewer hands than before has what those had in mind: no third job beside two', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { capacity: 2 });
  const ids: bigint[] = [];
  for (let n = 0; n < 2; n++) {
    ids.push(await makeJob(depot));
    await acceptOffer(t.database, worker.viewer, (await offerOf(depot, ids[n] ?? 0n)).id);
  }
  await setWorker(t.database, depot.operator, {
    ...{ expertId: worker.expertId, active: true, shiftDays: [1, 2, 3, 4, 5, 6, 7], shiftStart: '00:00' },
    ...{ shiftEnd: '00:00', capacity: 1, home: HERE, serviceArea: null },
  });
  // Of both the one in the first hand ends: the other is still there.
  const first = await t.admin.query(`select job_id from offers where tenant_id = $1 and slot = 1`, [
    depot.tenantId,
  ]);
  await reassignJob(t.database, depot.dispatcher, {
    jobId: BigInt(first.rows[0].job_id),
    reason: 'Given to another.',
  });
  const { reason } = await assignJob(depot.on, actorOf(depot), await makeJob(depot));
  expect(reason).toBe('1 in range: 1 overlapping.');
  await expect(send(depot, await makeJob(depot), worker)).rejects.toMatchObject({ code: 'WORKER_BUSY' });
  await expectRulesHold(t.database);
});

test('who works longer than was reckoned still reports where they are, for four hours, and has no other job meanwhile', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot, { durationSeconds: 600 });
  await acceptOffer(t.database, worker.viewer, (await offerOf(depot, jobId)).id);
  await t.admin.query(`update workers set shift_start = '02:00', shift_end = '02:01' where expert_id = $1`, [
    worker.expertId,
  ]);
  const reports = async () =>
    (
      await t.admin.query('select app.is_on_shift($1, $2, app.clock_now()) as yes', [
        depot.tenantId,
        worker.expertId,
      ])
    ).rows[0].yes;
  expect(await reports()).toBe(true);
  await t.advance(2 * 3_600);
  expect(await reports()).toBe(true);
  await t.admin.query(`update workers set shift_start = '00:00', shift_end = '00:00' where expert_id = $1`, [
    worker.expertId,
  ]);
  await see(depot, worker, { at: HERE });
  expect((await assignJob(depot.on, actorOf(depot), await makeJob(depot))).reason).toBe(
    '1 in range: 1 overlapping.',
  );
  await t.admin.query(`update workers set shift_start = '02:00', shift_end = '02:01' where expert_id = $1`, [
    worker.expertId,
  ]);
  await t.advance(3 * 3_600);
  expect(await reports()).toBe(false);
  await t.advance(-5 * 3_600);
});
