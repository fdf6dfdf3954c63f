import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { createFixKeys } from '../../src/services/dispatch/fixes/fix-keys.js';
import { createFixStore } from '../../src/services/dispatch/fixes/fix-store.js';
import { cancelJob } from '../../src/services/dispatch/jobs.js';
import { acceptOffer } from '../../src/services/dispatch/offers.js';
import { endOffers } from '../../src/services/dispatch/upkeep.js';
import { watchDispatch } from '../../src/services/dispatch/watch.js';
import { setDispatchSettings } from '../../src/services/dispatch/workers.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { createSecretBox } from '../../src/services/platform/secret-box.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  HERE,
  makeCrowd,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
  see,
} from '../support/dispatch.js';
import { numberOf } from '../support/look.js';

// Alerts of how dispatch goes in a tenant: each is raised by what it is about and ends with it, and no other tenant has it.
const t = useTestDb();

/** What is open after a look, but for alerts of single jobs. */
async function alerts({ tenantId }: Depot): Promise<string[]> {
  await watchDispatch(t.database);
  const { rows } = await t.admin.query(
    `select kind from alerts where tenant_id = $1 and resolved_at is null and cause = 'tenant' order by kind`,
    [tenantId],
  );
  return rows.map(({ kind }) => kind);
}

test('jobs that nobody has and that are due within half an hour, once two minutes have passed; until somebody goes', async () => {
  const depot = await makeDepot(t);
  const calm = await makeDepot(t);
  const jobId = await makeJob(depot, { dueInSeconds: 1_800 });
  await makeJob(depot, { dueInSeconds: 7_200 });
  await assignJob(depot.on, actorOf(depot), jobId);
  expect(await alerts(depot)).toEqual([]);
  await t.advance(121);
  expect(await alerts(depot)).toEqual(['JOBS_DUE_SOON']);
  expect(await alerts(calm)).toEqual([]);
  await cancelJob(t.database, depot.customer.viewer, { jobId, reason: 'Not needed.' });
  expect(await alerts(depot)).toEqual([]);
});

test('a window in which nobody came, for an hour', async () => {
  const depot = await makeDepot(t);
  await makeJob(depot, { dueInSeconds: 60 });
  await t.advance(61);
  expect(await alerts(depot)).toEqual(['WINDOWS_MISSED']);
  await t.advance(3_600);
  expect(await alerts(depot)).toEqual([]);
});

test('offers of which half end unanswered, from twenty on', async () => {
  const depot = await makeDepot(t);
  await setDispatchSettings(t.database, depot.operator, { cooldownSeconds: 0 });
  const worker = await makeWorker(depot);
  const expire = async () => {
    const jobId = await makeJob(depot, { dueInSeconds: 80_000 });
    await see(depot, worker, { at: HERE });
    await assignJob(depot.on, actorOf(depot), jobId);
    await t.advance(21);
    await endOffers(t.database);
    await cancelJob(t.database, depot.customer.viewer, { jobId, reason: 'Nobody answers.' });
  };
  for (let n = 0; n < 19; n++) {
    await expire();
  }
  expect(await alerts(depot)).toEqual([]);
  await expire();
  expect(await alerts(depot)).toEqual(['OFFERS_EXPIRING']);
  await t.advance(901);
  expect(await alerts(depot)).toEqual([]);
});

test('offers that rest on estimates, where a router was there within the week; without a router never', async () => {
  const depot = await makeDepot(t);
  const without = await makeDepot(t);
  for (const { operator } of [depot, without]) {
    await setDispatchSettings(t.database, operator, { cooldownSeconds: 0 });
  }
  const guess = async (at: Depot) => {
    const worker = await makeWorker(at, { capacity: 10 });
    for (let n = 0; n < 10; n++) {
      await see(at, worker, { at: minutesAway(5) });
      const { offerId } = await assignJob(at.on, actorOf(at), await makeJob(at, { dueInSeconds: 80_000 }));
      await acceptOffer(t.database, worker.viewer, offerId ?? 0n);
    }
  };
  await guess(depot);
  await guess(without);
  expect(await alerts(depot)).toEqual([]);
  await t.admin.query(
    `update offers set eta_confidence = 'HIGH' where id = (select min(id) from offers where tenant_id = $1)`,
    [depot.tenantId],
  );
  expect(await alerts(depot)).toEqual(['ROUTES_GUESSED']);
  expect(await alerts(without)).toEqual([]);
  await t.advance(601);
  expect(await alerts(depot)).toEqual([]);
});

test('workers on shift of whom half say nothing, and nobody who is off shift', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 10, HERE);
  expect(await alerts(depot)).toEqual([]);
  await t.advance(91);
  expect(await alerts(depot)).toEqual(['WORKERS_SILENT']);
  await t.admin.query(`update workers set shift_start = '02:00', shift_end = '03:00' where tenant_id = $1`, [
    depot.tenantId,
  ]);
  expect(await alerts(depot)).toEqual([]);
});

test('workers who are silent for so long that their places are forgotten are silent still; who never reports is not', async () => {
  const depot = await makeDepot(t);
  const planned = await makeDepot(t);
  const keys = createFixKeys(t.database, createSecretBox('the key of this test file'));
  const store = createFixStore({
    db: t.database,
    keys,
    log: createLogger('silent'),
    onLost: () => undefined,
  });
  for (let n = 0; n < 10; n++) {
    await makeWorker(planned, { at: null });
    const { expertId } = await makeWorker(depot, { at: null });
    const { rows } = await t.admin.query('select app.clock_now() as now');
    const at = rows[0].now.getTime();
    store.sample({
      ...{ tenantId: depot.tenantId, expertId, lat: HERE.latitude, lng: HERE.longitude },
      ...{ deviceMs: at, receivedMs: at, accuracyMetres: 5, cell: '88394461c7fffff' },
    });
  }
  await store.flush();
  expect(await alerts(depot)).toEqual([]);
  await t.advance(91);
  expect(await alerts(depot)).toEqual(['WORKERS_SILENT']);
  await t.advance(20 * 60);
  await t.admin.query('select app.clear_old_fixes()');
  expect(
    await numberOf(t.admin, 'select count(*) from latest_fixes where tenant_id = $1', [depot.tenantId]),
  ).toBe(0);
  expect(await alerts(depot)).toEqual(['WORKERS_SILENT']);
  expect(await alerts(planned)).toEqual([]);
});

test('of thousands of workers on shift all are counted, not the first thousand; of whatever shifts they are', async () => {
  const depot = await makeDepot(t);
  await makeCrowd(depot, 1_000, HERE);
  await makeCrowd(depot, 1_100, { ...HERE, ageSeconds: 100 });
  // A third of them has another shift, in which it is about ten in the morning, too.
  await t.admin.query(
    `update workers set shift_start = '00:30', shift_end = '23:30' where tenant_id = $1 and expert_id % 3 = 0`,
    [depot.tenantId],
  );
  expect(await alerts(depot)).toEqual(['WORKERS_SILENT']);
  const { rows } = await t.admin.query(
    `select reason from alerts where tenant_id = $1 and kind = 'WORKERS_SILENT'`,
    [depot.tenantId],
  );
  expect(rows).toEqual([{ reason: '52 % of 2100 workers on shift have said nothing for 90 seconds.' }]);
  await t.admin.query(
    `update workers w set shift_start = '02:00', shift_end = '03:00' from latest_fixes f
     where w.tenant_id = $1 and f.tenant_id = $1 and f.expert_id = w.expert_id and f.received_at < app.clock_now() - interval '90 seconds'`,
    [depot.tenantId],
  );
  expect(await alerts(depot)).toEqual([]);
});

test('a tenant says itself when alerts are raised, and nobody else’s change with it', async () => {
  const strict = await makeDepot(t);
  const other = await makeDepot(t);
  await setDispatchSettings(t.database, strict.operator, {
    ...{ alertSilentShare: 0.2, alertCalmShare: 0.1, alertSilentLeast: 3, alertSilentSeconds: 200 },
    ...{ alertDueSoonSeconds: 7_200, alertMissedSeconds: 60 },
  });
  for (const depot of [strict, other]) {
    await makeCrowd(depot, 3, HERE);
    await makeCrowd(depot, 1, { ...HERE, ageSeconds: 150 });
    await makeJob(depot, { dueInSeconds: 7_000 });
    await makeJob(depot, { dueInSeconds: 1 });
  }
  expect(await alerts(strict)).toEqual([]);
  await t.advance(121);
  await t.admin.query(
    `update latest_fixes set received_at = app.clock_now(), device_at = app.clock_now()
     where received_at > app.clock_now() - interval '125 seconds'`,
  );
  expect(await alerts(strict)).toEqual(['JOBS_DUE_SOON', 'WORKERS_SILENT']);
  expect(await alerts(other)).toEqual(['WINDOWS_MISSED']);
});

test('thresholds that cannot hold are refused, each by its name', async () => {
  const depot = await makeDepot(t);
  const refused = (change: object) =>
    setDispatchSettings(t.database, depot.operator, change).then(
      () => null,
      ({ code, issues }) => [code, ...issues.map(({ path }: { path: string }) => path)],
    );
  expect(await refused({ alertSilentSeconds: 30, alertExpiredLeast: 0 })).toEqual([
    ...['INPUT_INVALID', '/alertExpiredLeast', '/alertSilentSeconds'],
  ]);
  expect(await refused({ alertGuessedShare: 1.5 })).toEqual(['INPUT_INVALID', '/alertGuessedShare']);
  expect(await refused({ alertExpiredShare: 0.2 })).toEqual(['INPUT_INVALID', '/alertCalmShare']);
  expect(await refused({ alertExpiredShare: 0.2, alertCalmShare: 0.2 })).toBeNull();
  expect(await refused({ alertDueSoonSeconds: Number.NaN })).toEqual([
    'INPUT_INVALID',
    '/alertDueSoonSeconds',
  ]);
});
