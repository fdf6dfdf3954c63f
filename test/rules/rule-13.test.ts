import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { leaseJob } from '../../src/services/dispatch/assign.sql.js';
import { cancelJob } from '../../src/services/dispatch/jobs.js';
import { acceptOffer, declineOffer } from '../../src/services/dispatch/offers.js';
import { endOffers } from '../../src/services/dispatch/upkeep.js';
import { callHot } from '../../src/services/platform/database.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  lookAtJob,
  lookAtOffer,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
  offerOf,
} from '../support/dispatch.js';
import type { Expert } from '../support/factories.js';
import { behind, holding, type Lock } from '../support/interleave.js';
import { expectRulesHold } from '../support/rules.js';

// Rule 13: a job has at most one live offer or acceptance, a worker at most one live offer of a job for now, and what a worker has
// accepted never overlaps beyond their capacity.
const t = useTestDb();

const jobRow = (tenantId: bigint, jobId: bigint): Lock => ({
  text: 'select 1 from jobs where tenant_id = $1 and id = $2 for update',
  values: [tenantId, jobId],
});
const workerRow = (tenantId: bigint, expertId: bigint): Lock => ({
  text: 'select 1 from workers where tenant_id = $1 and expert_id = $2 for update',
  values: [tenantId, expertId],
});

/** Leases a job to a worker, as assigning does when it has made up its mind: by a fix of this moment. */
async function lease(depot: Depot, jobId: bigint, { expertId }: Expert): Promise<{ outcome: string }> {
  const { rows } = await t.admin.query('select app.clock_now() as now');
  const terms = {
    etaSeconds: 600,
    etaRoadSeconds: 600,
    etaLowSeconds: 500,
    etaHighSeconds: 700,
    etaConfidence: 'HIGH',
    score: 1,
    slackSeconds: 60,
    fixDeviceAt: rows[0].now,
    fixReceivedAt: rows[0].now,
    fixCell: '88394461c7fffff',
  };
  const query = leaseJob({ ...actorOf(depot), jobId, expertId, terms });
  return (await callHot(t.database, 'lease_job', query)) as { outcome: string };
}

const outcomes = (ends: readonly PromiseSettledResult<{ outcome: string }>[]) =>
  ends.map((end) => (end.status === 'fulfilled' ? end.value.outcome : String(end.reason)));

test('of two who lease one job to two workers at once, one does', async () => {
  const depot = await makeDepot(t);
  const [one, two] = [await makeWorker(depot), await makeWorker(depot)];
  const jobId = await makeJob(depot);
  const ends = await behind(t, jobRow(depot.tenantId, jobId), [
    () => lease(depot, jobId, one),
    () => lease(depot, jobId, two),
  ]);
  expect(outcomes(ends)).toEqual(['OFFERED', 'JOB_TAKEN']);
  await expectRulesHold(t.database);
});

test('of two who lease two jobs to one worker at once, one does, and the other job is not orphaned', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const [first, second] = [await makeJob(depot), await makeJob(depot)];
  const ends = await behind(t, workerRow(depot.tenantId, worker.expertId), [
    () => lease(depot, first, worker),
    () => lease(depot, second, worker),
  ]);
  expect(outcomes(ends)).toEqual(['OFFERED', 'UNFIT']);
  expect((await lookAtJob(depot, second)).state).toBe('OPEN');
  await expectRulesHold(t.database);
});

test('two who assign one job at once answer the same offer', async () => {
  const depot = await makeDepot(t);
  await makeWorker(depot);
  await makeWorker(depot, { at: minutesAway(11) });
  const jobId = await makeJob(depot);
  const found = await Promise.all(
    Array.from({ length: 6 }, () => assignJob(depot.on, actorOf(depot), jobId)),
  );
  expect(new Set(found.map(({ offerId }) => offerId)).size).toBe(1);
  await expectRulesHold(t.database);
});

test('twenty jobs at once and four workers: four offers, and the rest says why', async () => {
  const depot = await makeDepot(t);
  for (let n = 0; n < 4; n++) {
    await makeWorker(depot);
  }
  const jobs = await Promise.all(Array.from({ length: 20 }, () => makeJob(depot)));
  const found = await Promise.all(jobs.map((jobId) => assignJob(depot.on, actorOf(depot), jobId)));
  expect(found.filter(({ offerId }) => offerId !== null)).toHaveLength(4);
  const { rows } = await t.admin.query(
    'select state, count(*)::int as n from jobs where tenant_id = $1 group by state order by state',
    [depot.tenantId],
  );
  expect(rows).toEqual([
    { state: 'OFFERED', n: 4 },
    { state: 'UNASSIGNED_ALERT', n: 16 },
  ]);
  await expectRulesHold(t.database);
});

test('an offer that was accepted does not end when its time is up', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  await acceptOffer(t.database, worker.viewer, offer.id);
  await t.advance(21);
  await endOffers(t.database);
  expect((await lookAtOffer(depot, offer.id)).state).toBe('ACCEPTED');
  await acceptOffer(t.database, worker.viewer, offer.id);
  await expectRulesHold(t.database);
});

test('of an acceptance that comes too late and the sweep, whoever is first ends the offer, and it is never accepted', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  await t.advance(21);
  const [, late] = await Promise.allSettled([
    endOffers(t.database),
    acceptOffer(t.database, worker.viewer, offer.id),
    endOffers(t.database),
  ]);
  expect(late).toMatchObject({ status: 'rejected', reason: { code: 'OFFER_EXPIRED' } });
  expect((await lookAtOffer(depot, offer.id)).state).toBe('EXPIRED');
  expect((await lookAtJob(depot, jobId)).state).toBe('OPEN');
  await expectRulesHold(t.database);
});

test('an acceptance that waited while the offer ended is refused, and one that was first is not undone', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  const ends = await behind<unknown>(t, jobRow(depot.tenantId, jobId), [
    () => acceptOffer(t.database, worker.viewer, offer.id),
    () => declineOffer(t.database, worker.viewer, offer.id),
  ]);
  expect(ends[0]).toMatchObject({ status: 'fulfilled' });
  expect(ends[1]).toMatchObject({ status: 'rejected', reason: { code: 'OFFER_GONE' } });
  await expectRulesHold(t.database);
});

test('accepted and cancelled at once, the job is cancelled and the worker free', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  await behind<unknown>(t, jobRow(depot.tenantId, jobId), [
    () => acceptOffer(t.database, worker.viewer, offer.id),
    () => cancelJob(t.database, depot.customer.viewer, { jobId, reason: 'Not needed.' }),
  ]);
  expect((await lookAtJob(depot, jobId)).state).toBe('CANCELLED');
  expect((await lookAtOffer(depot, offer.id)).state).toBe('WITHDRAWN');
  expect((await offerOf(depot, await makeJob(depot))).expertId).toBe(worker.expertId);
  await expectRulesHold(t.database);
});

test('who has two hands takes two jobs at the same time, and not a third', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { capacity: 2 });
  for (let n = 0; n < 2; n++) {
    const offer = await offerOf(depot, await makeJob(depot));
    await acceptOffer(t.database, worker.viewer, offer.id);
  }
  const { reason } = await assignJob(depot.on, actorOf(depot), await makeJob(depot));
  expect(reason).toBe('1 in range: 1 overlapping.');
  await expectRulesHold(t.database);
});

test('an offer that has ended and that nobody has swept keeps nobody from anything', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const [first, second] = [await makeJob(depot), await makeJob(depot)];
  const offer = await offerOf(depot, first);
  await t.advance(21);
  expect(await lease(depot, second, worker)).toMatchObject({ outcome: 'OFFERED' });
  expect((await lookAtOffer(depot, offer.id)).state).toBe('EXPIRED');
  expect((await lookAtJob(depot, first)).state).toBe('OPEN');
  await expectRulesHold(t.database);
});

test('while somebody is ending an offer its worker is not free, and a lease is refused for that and does not fail', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot);
  const [first, second] = [await makeJob(depot), await makeJob(depot)];
  await offerOf(depot, first);
  await t.advance(21);
  const during = await holding(t.url, jobRow(depot.tenantId, first), () => lease(depot, second, worker));
  expect(during).toMatchObject({ outcome: 'UNFIT' });
  expect(await lease(depot, second, worker)).toMatchObject({ outcome: 'OFFERED' });
  await expectRulesHold(t.database);
});

/** Writes a copy of the depot's only offer, with some of it changed: what the database itself has to say to that. */
async function copyOffer({ tenantId }: Depot, change: Record<string, unknown>): Promise<void> {
  const { rows } = await t.admin.query('select to_jsonb(o) - $2 as row from offers o where tenant_id = $1', [
    tenantId,
    'id',
  ]);
  const row = { ...rows[0].row, ...change };
  const columns = Object.keys(row).join(', ');
  await t.admin.query(
    `insert into offers (${columns}) select ${columns} from jsonb_populate_record(null::offers, $1)`,
    [JSON.stringify(row)],
  );
}

test('the database itself refuses a second offer of a job or a worker, two jobs in one hand, a stale fix, and an override by nobody', async () => {
  const depot = await makeDepot(t);
  await makeWorker(depot);
  const jobId = await makeJob(depot);
  const offer = await offerOf(depot, jobId);
  const job_id = String(await makeJob(depot));
  const expert_id = String((await makeWorker(depot)).expertId);
  const { rows } = await t.admin.query(
    `select offered_at - interval '31 seconds' as stale from offers where id = $1`,
    [offer.id],
  );
  const refused = (change: object) => expect(copyOffer(depot, { ...change })).rejects;
  await refused({ epoch: 2, expert_id }).toMatchObject({ constraint: 'offers_one_of_job' });
  await refused({ job_id, slot: 2 }).toMatchObject({ constraint: 'offers_one_of_worker' });
  await refused({ job_id, occupies: false }).toMatchObject({ constraint: 'offers_no_overlap' });
  const other = { job_id, expert_id };
  await refused({ ...other, fix_device_at: rows[0].stale }).toMatchObject({ constraint: 'offers_fresh' });
  await refused({ ...other, fix_received_at: rows[0].stale }).toMatchObject({ constraint: 'offers_fresh' });
  const byHand = { kind: 'MANUAL', eta_confidence: 'MANUAL' };
  await refused({ ...other, ...byHand }).toMatchObject({ constraint: 'offers_by_hand' });
  await refused({ ...other, ...byHand, actor_id: 1 }).toMatchObject({ constraint: 'offers_by_hand' });
});
