import { expect, test } from 'vitest';
import { checkIn } from '../../src/services/dispatch/at-the-place.js';
import { cancelJob, reassignJob } from '../../src/services/dispatch/jobs.js';
import { acceptOffer } from '../../src/services/dispatch/offers.js';
import { overrideAssignment } from '../../src/services/dispatch/override.js';
import { useTestDb } from '../support/db.js';
import {
  type Depot,
  doJob,
  lookAtJob,
  lookAtOffer,
  makeDepot,
  makeJob,
  makeWorker,
  offerOf,
} from '../support/dispatch.js';
import { type Expert, makeViewer } from '../support/factories.js';
import { expectRulesHold } from '../support/rules.js';

// What somebody who dispatches does against what the candidates' scores say.
const t = useTestDb();

/** A job that a worker has accepted. */
async function accepted(depot: Depot, worker: Expert, options: Parameters<typeof makeJob>[1] = {}) {
  const jobId = await makeJob(depot, options);
  const offer = await offerOf(depot, jobId);
  expect(offer.expertId).toBe(worker.expertId);
  await acceptOffer(t.database, worker.viewer, offer.id);
  return { jobId, offer };
}

const override = (depot: Depot, jobId: bigint, { expertId }: Expert) => send(depot, { jobId, expertId });
const preempt = (depot: Depot, jobId: bigint, { expertId }: Expert) =>
  send(depot, { jobId, expertId, preempt: true });
const send = (depot: Depot, given: { jobId: bigint; expertId: bigint; preempt?: boolean }) =>
  overrideAssignment(depot.on, depot.dispatcher, { reason: 'Known there.', preempt: false, ...given });

test('somebody who dispatches sends whom they want: with their name, why, and MANUAL confidence', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { at: null, skilled: false });
  const jobId = await makeJob(depot);
  await override(depot, jobId, worker);
  const { rows } = await t.admin.query(
    'select kind, state, eta_confidence as confidence, actor_id::text as actor, reason from offers where job_id = $1',
    [jobId],
  );
  expect(rows).toEqual([
    {
      kind: 'MANUAL',
      state: 'ACCEPTED',
      confidence: 'MANUAL',
      actor: String(depot.dispatcher.identityId),
      reason: 'Known there.',
    },
  ]);
  await doJob(depot, worker, jobId);
  await expectRulesHold(t.database);
});

test('a second click changes nothing; another worker does', async () => {
  const depot = await makeDepot(t);
  const [worker, other] = [await makeWorker(depot, { at: null }), await makeWorker(depot, { at: null })];
  const jobId = await makeJob(depot);
  const offers = async () => {
    const { rows } = await t.admin.query('select state from offers where job_id = $1 order by id', [jobId]);
    return rows.map(({ state }) => state);
  };
  await override(depot, jobId, worker);
  await Promise.all([override(depot, jobId, worker), preempt(depot, jobId, worker)]);
  expect(await offers()).toEqual(['ACCEPTED']);
  await override(depot, jobId, other);
  expect(await offers()).toEqual(['REASSIGNED', 'ACCEPTED']);
  await override(depot, jobId, worker);
  expect(await offers()).toEqual(['REASSIGNED', 'REASSIGNED', 'ACCEPTED']);
  await expectRulesHold(t.database);
});

test('nobody who dispatches sends themselves, or somebody to two places', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  await accepted(depot, worker);
  const jobId = await makeJob(depot);
  await expect(override(depot, jobId, worker)).rejects.toMatchObject({ code: 'WORKER_BUSY' });
  expect((await lookAtJob(depot, jobId)).state).toBe('OPEN');
  await t.admin.query('update identity_roles set identity_id = $2 where tenant_id = $1 and expert_id = $3', [
    depot.tenantId,
    depot.dispatcher.identityId,
    worker.expertId,
  ]);
  await expect(override(depot, jobId, worker)).rejects.toMatchObject({ code: 'OWN_JOB' });
  await expectRulesHold(t.database);
});

test('a job of higher priority takes a worker from one of lower, which is assigned anew; not from one that they are at', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const { jobId: low, offer } = await accepted(depot, worker, { priority: 2 });
  const urgent = await makeJob(depot, { priority: 9 });
  await preempt(depot, urgent, worker);
  expect((await lookAtOffer(depot, offer.id)).state).toBe('PREEMPTED');
  expect(await lookAtJob(depot, low)).toMatchObject({ state: 'OPEN', reason: 'Known there.' });
  const { code } = await lookAtJob(depot, urgent);
  await checkIn(t.database, worker.viewer, { jobId: urgent, code });
  const another = await makeJob(depot, { priority: 10 });
  await expect(preempt(depot, another, worker)).rejects.toMatchObject({ code: 'WORKER_BUSY' });
  expect((await lookAtJob(depot, urgent)).state).toBe('IN_PROGRESS');
  await expectRulesHold(t.database);
});

test('somebody without a depot’s role is nobody’s dispatcher', async () => {
  const depot = await makeDepot(t);
  const other = await makeDepot(t);
  const jobId = await makeJob(depot);
  const viewer = await makeViewer(t.database, other, { role: 'DISPATCHER' });
  const given = { jobId, reason: 'From elsewhere.' };
  await expect(reassignJob(t.database, viewer, given)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  await expect(cancelJob(t.database, viewer, given)).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('who is given a job by hand off their shift is seen from their check-in on, and not before', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  await t.admin.query(`update workers set shift_start = '02:00', shift_end = '02:01' where expert_id = $1`, [
    worker.expertId,
  ]);
  const isSeen = async () =>
    (
      await t.admin.query('select app.is_on_shift($1, $2, app.clock_now()) as yes', [
        depot.tenantId,
        worker.expertId,
      ])
    ).rows[0].yes;
  const jobId = await makeJob(depot);
  await override(depot, jobId, worker);
  expect(await isSeen()).toBe(false);
  const { code } = await lookAtJob(depot, jobId);
  await checkIn(t.database, worker.viewer, { jobId, code });
  expect(await isSeen()).toBe(true);
});
