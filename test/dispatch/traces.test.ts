import { beforeEach, expect, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { checkIn } from '../../src/services/dispatch/at-the-place.js';
import { keepFixDays } from '../../src/services/dispatch/fixes/fix-days.js';
import { createFixKeys } from '../../src/services/dispatch/fixes/fix-keys.js';
import { createFixStore } from '../../src/services/dispatch/fixes/fix-store.js';
import { exportTrace, traceExports } from '../../src/services/dispatch/fixes/traces.js';
import { acceptOffer } from '../../src/services/dispatch/offers.js';
import { withScope } from '../../src/services/platform/database.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { createSecretBox } from '../../src/services/platform/secret-box.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  doJob,
  lookAtJob,
  makeDepot,
  makeJob,
  makeWorker,
  offerOf,
} from '../support/dispatch.js';
import type { Expert } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';

const t = useTestDb();
const log = createLogger('silent');
const REASON = 'The customer says that nobody came.';

let depot: Depot;
beforeEach(async () => {
  depot = await makeDepot(t);
});

const keysOf = () => createFixKeys(t.database, createSecretBox('the key of this test file'));
const partsOf = () => ({ db: t.database, keys: keysOf() });

async function nowMs(): Promise<number> {
  const { rows } = await t.admin.query('select app.clock_now() as now');
  return rows[0].now.getTime();
}

/** Fixes of a worker, so many seconds from now. */
async function report(worker: Expert, ...seconds: number[]): Promise<void> {
  const store = createFixStore({ db: t.database, keys: keysOf(), log, onLost: () => undefined });
  const now = await nowMs();
  for (const [index, second] of seconds.entries()) {
    store.sample({
      tenantId: depot.tenantId,
      expertId: worker.expertId,
      lat: 42.5 + index / 1_000,
      lng: 1.5,
      deviceMs: now + second * 1_000,
      receivedMs: now + second * 1_000,
      accuracyMetres: 5,
      cell: '8839623899fffff',
    });
  }
  await store.flush();
}

async function acceptedJob(worker: Expert): Promise<bigint> {
  const jobId = await makeJob(depot);
  await assignJob(depot.on, actorOf(depot), jobId);
  const offer = await offerOf(depot, jobId);
  await acceptOffer(t.database, worker.viewer, offer.id);
  return jobId;
}

test('a dispatcher is given the trace of a job, and of nothing before it; and it is written down who was, and why', async () => {
  const worker = await makeWorker(depot);
  await report(worker, -400, -300);
  const jobId = await acceptedJob(worker);
  await report(worker, 40, 80, 120);
  await t.advance(200);
  await doJob(depot, worker, jobId);
  const trace = await exportTrace(partsOf(), depot.dispatcher, { jobId, reason: REASON });
  expect(trace.expertId).toBe(worker.expertId);
  expect(trace.fixes.map(({ lat }) => lat)).toEqual([42.5, 42.501, 42.502]);
  expect(trace.fixes[0]).toMatchObject({ lng: 1.5, accuracyMetres: 5, deviceAt: expect.any(Date) });
  const LOGGED = `select count(*) from access_log l join trace_exports e on e.tenant_id = l.tenant_id and e.access_log_id = l.id
    where e.tenant_id = $1 and e.id = $2 and l.subject_id = $3 and l.actor_id = $4 and e.reason = $5 and e.fixes = 3`;
  const wanted = [depot.tenantId, trace.exportId, worker.expertId, depot.dispatcher.identityId, REASON];
  expect(await numberOf(t.admin, LOGGED, wanted)).toBe(1);
  await expectRulesHold(t.database);
});

test('while somebody is about a job, or has it before them, no dispatcher follows them; an operator may, and it is written down', async () => {
  const worker = await makeWorker(depot);
  const jobId = await acceptedJob(worker);
  await report(worker, 10);
  await t.advance(20);
  const attempt = (viewer: Depot['dispatcher']) =>
    exportTrace(partsOf(), viewer, { jobId, reason: REASON }).then(
      ({ fixes }) => fixes.length,
      ({ code, state }) => `${code} ${state}`,
    );
  const before = await numberOf(t.admin, 'select count(*) from trace_exports', []);
  expect(await attempt(depot.dispatcher)).toBe('JOB_STATE ACCEPTED');
  await checkIn(t.database, worker.viewer, { jobId, code: (await lookAtJob(depot, jobId)).code });
  expect(await attempt(depot.dispatcher)).toBe('JOB_STATE IN_PROGRESS');
  expect(await numberOf(t.admin, 'select count(*) from trace_exports', [])).toBe(before);
  expect(await attempt(depot.operator)).toBe(1);
  expect(await numberOf(t.admin, 'select count(*) from trace_exports', [])).toBe(before + 1);
  await expectRulesHold(t.database);
});

test('a worker reads and hears who was given their trace, of which job and why; and of nobody else’s', async () => {
  const worker = await makeWorker(depot);
  const other = await makeWorker(depot, { at: null });
  const jobId = await acceptedJob(worker);
  await report(worker, 10);
  await t.advance(20);
  await doJob(depot, worker, jobId);
  const { exportId } = await exportTrace(partsOf(), depot.dispatcher, { jobId, reason: REASON });
  const seenBy = (viewer: Depot['dispatcher']) =>
    withScope(t.database, scopeOf(viewer), (tx) => traceExports(tx, { take: 10, afterId: null }));
  const told = {
    ...{ id: exportId, expertId: worker.expertId, jobId, role: 'DISPATCHER', reason: REASON, fixes: 1 },
    exportedBy: depot.dispatcher.identityId,
  };
  expect(await seenBy(worker.viewer)).toEqual([expect.objectContaining(told)]);
  expect(await seenBy(depot.operator)).toEqual([expect.objectContaining(told)]);
  expect(await seenBy(other.viewer)).toEqual([]);
  expect(await seenBy(depot.dispatcher)).toEqual([]);
  expect(await seenBy(depot.customer.viewer)).toEqual([]);
  const { rows } = await t.admin.query(
    `select expert_id::text as expert, kind, body ->> 'exportId' as export, body ->> 'reason' as reason from stream_events
     where tenant_id = $1 and stream like 'trace/%'`,
    [depot.tenantId],
  );
  expect(rows).toEqual([
    { expert: String(worker.expertId), kind: 'EXPORTED', export: String(exportId), reason: REASON },
  ]);
});

test('without a role, a reason or an accepted job nothing is given, and nothing written down', async () => {
  const worker = await makeWorker(depot);
  const jobId = await acceptedJob(worker);
  const before = await numberOf(t.admin, 'select count(*) from trace_exports', []);
  const attempt = (viewer: Depot['dispatcher'], input: { jobId: bigint; reason: string }) =>
    exportTrace(partsOf(), viewer, input).catch((error) => error.code);
  expect(await attempt(depot.customer.viewer, { jobId, reason: REASON })).toBe('FORBIDDEN');
  expect(await attempt(worker.viewer, { jobId, reason: REASON })).toBe('FORBIDDEN');
  expect(await attempt(depot.dispatcher, { jobId, reason: 'because' })).toBe('INPUT_INVALID');
  expect(await attempt(depot.dispatcher, { jobId: await makeJob(depot), reason: REASON })).toBe('NOT_FOUND');
  const other = await makeDepot(t);
  expect(await attempt(other.dispatcher, { jobId, reason: REASON })).toBe('NOT_FOUND');
  expect(await numberOf(t.admin, 'select count(*) from trace_exports', [])).toBe(before);
});

test('nothing of a trace is kept for longer than seven days, whether its days can be dropped or not', async () => {
  const worker = await makeWorker(depot);
  await report(worker, -60, 0);
  const COUNT = 'select count(*) from fix_archive where expert_id = $1';
  const kept = () => numberOf(t.admin, COUNT, [worker.expertId]);
  const partitions = "select count(*) from pg_inherits where inhparent = 'fix_archive'::regclass";
  const days = await numberOf(t.admin, partitions, []);
  expect(await kept()).toBe(2);
  await t.advance(5 * 86_400);
  await keepFixDays(t.database);
  expect(await kept()).toBe(2);
  await t.advance(3 * 86_400);
  await t.admin.query('select app.clear_old_fixes()');
  expect(await kept()).toBe(0);
  const { days: dropped } = await keepFixDays(t.database);
  expect(dropped).toBeGreaterThanOrEqual(1);
  expect(await numberOf(t.admin, partitions, [])).toBeLessThan(days);
});

test('where somebody was seen last is gone after a quarter of an hour, and in which cell they were offered a job after seven days', async () => {
  const worker = await makeWorker(depot);
  const jobId = await acceptedJob(worker);
  const counted = async () => ({
    last: await numberOf(t.admin, 'select count(*) from latest_fixes where expert_id = $1', [
      worker.expertId,
    ]),
    cells: await numberOf(t.admin, 'select count(fix_cell) from offers where job_id = $1', [jobId]),
  });
  await t.advance(14 * 60);
  await keepFixDays(t.database);
  expect(await counted()).toEqual({ last: 1, cells: 1 });
  await t.advance(2 * 60);
  await keepFixDays(t.database);
  expect(await counted()).toEqual({ last: 0, cells: 1 });
  await t.advance(6 * 86_400);
  await keepFixDays(t.database);
  expect(await counted()).toEqual({ last: 0, cells: 1 });
  await t.advance(86_400);
  await keepFixDays(t.database);
  expect(await counted()).toEqual({ last: 0, cells: 0 });
  await t.advance(-(16 * 60 + 7 * 86_400));
});

test('the trace of a job that is long to come begins half an hour before its worker was to set out', async () => {
  const worker = await makeWorker(depot);
  const jobId = await makeJob(depot, { notBeforeInSeconds: 7_200, dueInSeconds: 9_000 });
  const offer = await offerOf(depot, jobId);
  await acceptOffer(t.database, worker.viewer, offer.id);
  await report(worker, 60, 1_800, 7_000);
  await t.advance(7_100);
  const trace = await exportTrace(partsOf(), depot.operator, { jobId, reason: REASON });
  expect(trace.fixes.map(({ lat }) => lat)).toEqual([42.502]);
  await t.advance(-7_100);
});
