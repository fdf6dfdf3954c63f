import { expect, test } from 'vitest';
import { checkIn, completeJob } from '../../src/services/dispatch/at-the-place.js';
import { cancelJob, reassignJob } from '../../src/services/dispatch/jobs.js';
import { acceptOffer, declineOffer } from '../../src/services/dispatch/offers.js';
import { assignDue, endOffers } from '../../src/services/dispatch/upkeep.js';
import { useTestDb } from '../support/db.js';
import {
  type Depot,
  doJob,
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
import { type Expert, makeCustomer } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';

// What happens to a job after it was offered.
const t = useTestDb();

const proofs = [{ contentType: 'image/png', content: Buffer.from('a photo') }];

/** A job that a worker has accepted. */
async function accepted(depot: Depot, worker: Expert, options: Parameters<typeof makeJob>[1] = {}) {
  const jobId = await makeJob(depot, options);
  const offer = await offerOf(depot, jobId);
  expect(offer.expertId).toBe(worker.expertId);
  await acceptOffer(t.database, worker.viewer, offer.id);
  return { jobId, offer };
}

const moves = async (jobId: bigint) =>
  (
    await t.admin.query(
      'select to_state as to, actor_id::text as actor from job_moves where job_id = $1 order by id',
      [jobId],
    )
  ).rows;

test('a job is offered, accepted, checked in at with the code, and done with a proof; each move is written down', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const { jobId } = await accepted(depot, worker);
  await expect(completeJob(t.database, worker.viewer, { jobId, proofs })).rejects.toMatchObject({
    code: 'JOB_STATE',
  });
  await doJob(depot, worker, jobId);
  await completeJob(t.database, worker.viewer, { jobId, proofs });
  expect((await lookAtJob(depot, jobId)).state).toBe('DONE');
  expect((await moves(jobId)).map(({ to }) => to)).toEqual([
    'OPEN',
    'OFFERED',
    'ACCEPTED',
    'IN_PROGRESS',
    'DONE',
  ]);
  const { rows } = await t.admin.query('select kind from job_attachments where job_id = $1 order by id', [
    jobId,
  ]);
  expect(rows.map(({ kind }) => kind)).toEqual(['CHECK_IN', 'PROOF']);
  await expectRulesHold(t.database);
});

test('a wrong code is no check-in, and after five of them the right one is none either', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const { jobId } = await accepted(depot, worker);
  const { code } = await lookAtJob(depot, jobId);
  const wrong = code === '000000' ? '000001' : '000000';
  await expect(checkIn(t.database, worker.viewer, { jobId, code: '12345\u0000' })).rejects.toMatchObject({
    code: 'INPUT_INVALID',
  });
  for (let left = 4; left >= 0; left--) {
    await expect(checkIn(t.database, worker.viewer, { jobId, code: wrong })).rejects.toMatchObject({
      triesLeft: left,
    });
  }
  await expect(checkIn(t.database, worker.viewer, { jobId, code })).rejects.toMatchObject({
    code: 'CHECK_IN_LOCKED',
  });
});

test('nobody answers, checks in at or completes what was offered to somebody else', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { at: minutesAway(5) });
  const other = await makeWorker(depot);
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  const { code } = await lookAtJob(depot, jobId);
  await expect(acceptOffer(t.database, other.viewer, offer.id)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await acceptOffer(t.database, worker.viewer, offer.id);
  await expect(checkIn(t.database, other.viewer, { jobId, code })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await expect(completeJob(t.database, other.viewer, { jobId, proofs })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
});

test('when an offer ends the next is asked by itself', async () => {
  const depot = await makeDepot(t);
  const [near, next] = [await makeWorker(depot, { at: minutesAway(5) }), await makeWorker(depot)];
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  expect(offer.expertId).toBe(near.expertId);
  await t.advance(21);
  expect((await endOffers(t.database)).expired).toBeGreaterThan(0);
  await assignDue(depot.on);
  const { offer: now } = await lookAtJob(depot, jobId);
  expect(await lookAtOffer(depot, BigInt(now ?? 0))).toMatchObject({
    state: 'LIVE',
    expertId: next.expertId,
  });
  await expectRulesHold(t.database);
});

test('who declined is followed by the next without anybody asking, and by an alert where there is none', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  await declineOffer(t.database, worker.viewer, offer.id);
  await declineOffer(t.database, worker.viewer, offer.id);
  await assignDue(depot.on);
  expect(await lookAtJob(depot, jobId)).toMatchObject({
    state: 'UNASSIGNED_ALERT',
    reason: '1 in range: 1 resting after a no.',
  });
  await t.advance(601);
  await see(depot, worker, { at: HERE });
  await assignDue(depot.on);
  expect((await lookAtJob(depot, jobId)).state).toBe('OFFERED');
  const { rows } = await t.admin.query(
    `select count(*)::int as n from alerts where tenant_id = $1 and resolved_at is null`,
    [depot.tenantId],
  );
  expect(rows[0].n).toBe(0);
  await expectRulesHold(t.database);
});

test('whoever accepts and does not come is told of and not replaced; reassigned, the next is asked and they are not', async () => {
  const depot = await makeDepot(t);
  const gone = await makeWorker(depot, { at: minutesAway(5) });
  const { jobId } = await accepted(depot, gone);
  await t.advance(3_600);
  expect((await endOffers(t.database)).noShows).toBeGreaterThan(0);
  expect(await lookAtJob(depot, jobId)).toMatchObject({ state: 'ACCEPTED', noShow: true });
  const alerts = async () =>
    (
      await t.admin.query(
        `select kind, resolved_at is null as open from alerts where tenant_id = $1 order by id`,
        [depot.tenantId],
      )
    ).rows;
  expect(await alerts()).toEqual([{ kind: 'JOB_NO_SHOW', open: true }]);
  await t.advance(-3_600);
  const next = await makeWorker(depot);
  await see(depot, gone, { at: minutesAway(5) });
  await reassignJob(t.database, depot.dispatcher, { jobId, reason: 'Does not answer.' });
  await assignDue(depot.on);
  const { offer } = await lookAtJob(depot, jobId);
  expect((await lookAtOffer(depot, BigInt(offer ?? 0))).expertId).toBe(next.expertId);
  expect(await alerts()).toEqual([{ kind: 'JOB_NO_SHOW', open: false }]);
  await expectRulesHold(t.database);
});

test('whoever comes after somebody who tried wrong codes has tries of their own', async () => {
  const depot = await makeDepot(t);
  const wrongly = await makeWorker(depot, { at: minutesAway(5) });
  const { jobId } = await accepted(depot, wrongly);
  const { code } = await lookAtJob(depot, jobId);
  const wrong = code === '000000' ? '000001' : '000000';
  for (let tries = 0; tries < 5; tries++) {
    await checkIn(t.database, wrongly.viewer, { jobId, code: wrong }).catch(() => undefined);
  }
  const next = await makeWorker(depot);
  await reassignJob(t.database, depot.dispatcher, { jobId, reason: 'At the wrong door.' });
  await assignDue(depot.on);
  const { offer } = await lookAtJob(depot, jobId);
  await acceptOffer(t.database, next.viewer, BigInt(offer ?? 0));
  await checkIn(t.database, next.viewer, { jobId, code: code ?? '' });
  expect(await lookAtJob(depot, jobId)).toMatchObject({ state: 'IN_PROGRESS' });
});

test('a customer cancels its own job and nobody else’s; done is done', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const stranger = await makeCustomer(t.database, depot);
  const { jobId, offer } = await accepted(depot, worker);
  const reason = 'Not needed.';
  await expect(cancelJob(t.database, stranger.viewer, { jobId, reason })).rejects.toMatchObject({
    code: 'NOT_FOUND',
  });
  await cancelJob(t.database, depot.customer.viewer, { jobId, reason });
  await cancelJob(t.database, depot.customer.viewer, { jobId, reason });
  expect((await lookAtOffer(depot, offer.id)).state).toBe('WITHDRAWN');
  const { jobId: done } = await accepted(depot, worker);
  await doJob(depot, worker, done);
  await expect(cancelJob(t.database, depot.customer.viewer, { jobId: done, reason })).rejects.toMatchObject({
    code: 'JOB_STATE',
  });
});

test('the database itself refuses illegal moves, a job that is done without a proof, and a change of what it is', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const { jobId, offer } = await accepted(depot, worker);
  const refused = (text: string) => expect(t.admin.query(text, [jobId])).rejects;
  await refused(
    `update jobs set state = 'OFFERED', accepted_at = null, no_show_due_at = null where id = $1`,
  ).toMatchObject({ code: 'XR002' });
  await refused('update jobs set latitude = 0 where id = $1').toMatchObject({ code: 'XR002' });
  await refused(`update jobs set state = 'IN_PROGRESS' where id = $1`).toMatchObject({ code: '23514' });
  const { code } = await lookAtJob(depot, jobId);
  await checkIn(t.database, worker.viewer, { jobId, code });
  await refused(`update jobs set state = 'DONE', done_at = now() where id = $1`).toMatchObject({
    code: 'XR002',
  });
  await refused('delete from job_moves where job_id = $1').toMatchObject({ code: 'XR001' });
  await completeJob(t.database, worker.viewer, { jobId, proofs });
  await expect(
    t.admin.query(
      `update offers set state = 'LIVE', ended_at = null, accepted_at = null, accepted_day = null where id = $1`,
      [offer.id],
    ),
  ).rejects.toMatchObject({ code: 'XR002' });
  await refused(`update jobs set state = 'CANCELLED', cancelled_at = now() where id = $1`).toMatchObject({
    code: 'XR002',
  });
});
