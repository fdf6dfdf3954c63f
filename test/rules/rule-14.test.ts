import { expect, test } from 'vitest';
import { assignJob } from '../../src/services/dispatch/assign.js';
import { useTestDb } from '../support/db.js';
import {
  actorOf,
  type Depot,
  HERE,
  makeDepot,
  makeJob,
  makeWorker,
  minutesAway,
} from '../support/dispatch.js';
import type { Expert } from '../support/factories.js';

// Rule 14: a stale fix never makes an offer of a job for now; an older fix never moves a worker back.
const t = useTestDb();

/** A fix, so many seconds old by the clock of the device and by that of whoever received it. */
const fix = ({ tenantId }: Depot, { expertId }: Expert, ages: readonly [device: number, received: number]) =>
  t.admin.query(
    `insert into latest_fixes (tenant_id, expert_id, latitude, longitude, cell, device_at, received_at)
     values ($1, $2, $3, $4, '88394461c7fffff', app.clock_now() - make_interval(secs => $5), app.clock_now() - make_interval(secs => $6))
     on conflict (tenant_id, expert_id) do update set latitude = excluded.latitude, device_at = excluded.device_at,
       received_at = excluded.received_at`,
    [tenantId, expertId, minutesAway(ages[0]).latitude, HERE.longitude, ...ages],
  );

test.each([
  ['the device, uploaded late', [31, 1]],
  ['the server', [0, 31]],
] as const)('a fix that is old by the clock of %s makes no offer', async (_whose, ages) => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { at: null });
  await fix(depot, worker, ages);
  const { reason } = await assignJob(depot.on, actorOf(depot), await makeJob(depot));
  expect(reason).toBe('1 in range: 1 stale.');
});

test('of two fixes the one that the device took later stays, whichever comes last', async () => {
  const depot = await makeDepot(t);
  const worker = await makeWorker(depot, { at: null });
  await fix(depot, worker, [2, 2]);
  await fix(depot, worker, [9, 0]);
  const { rows } = await t.admin.query('select latitude from latest_fixes where expert_id = $1', [
    worker.expertId,
  ]);
  expect(rows[0].latitude).toBeCloseTo(minutesAway(2).latitude, 6);
});
