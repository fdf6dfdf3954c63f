import { beforeAll, expect, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import { type ForecastAccuracy, forecastAccuracy } from '../../src/services/forecast/accuracy.js';
import { withScope } from '../../src/services/platform/database.js';
import { useTestDb } from '../support/db.js';
import { makeBatch, makeWorld, type World } from '../support/factories.js';

// `forecastAccuracy` against figures that were worked out by hand.
const t = useTestDb();

let world: World;
let told: ForecastAccuracy;

/** Hours after the first forecast; a forecast is scored as the job would have. */
interface Logged {
  readonly madeAt: number;
  readonly probability: number | null;
  readonly atRisk: boolean;
  readonly deadline: number | null;
  readonly endedAt: number | null;
  readonly crpsHours?: number;
  readonly held?: boolean;
  readonly afterMedian?: boolean;
}

async function log(batchId: bigint, rows: readonly Logged[]): Promise<void> {
  for (const [n, row] of rows.entries()) {
    const isScored = row.endedAt !== null;
    const brier =
      isScored && row.probability !== null && row.deadline !== null
        ? (row.probability - Number((row.endedAt ?? 0) <= row.deadline)) ** 2
        : null;
    const crps = isScored ? (row.crpsHours ?? 1) * 3_600 : null;
    await t.admin.query(
      `insert into forecast_log (tenant_id, batch_id, project_id, customer_id, made_at, share, finished, seconds, deadline, probability,
         at_risk, ended_at, crps_seconds, pinball_seconds, brier, held, after_median)
       select $1, $2, $3, $4, v.at + make_interval(hours => $5), $6, 5, array_fill(1::float8, array[19]), v.at + make_interval(hours => $7), $8,
              $9, v.at + make_interval(hours => $10), $11, $15, $12, $13, $14
       from (select timestamptz '2026-01-01Z' as at) v`,
      [
        world.tenantId,
        batchId,
        world.projectId,
        world.customer.customerId,
        row.madeAt,
        5 + 5 * n,
        row.deadline,
        row.probability,
        row.atRisk,
        row.endedAt,
        crps,
        brier,
        isScored ? (row.held ?? true) : null,
        isScored ? (row.afterMedian ?? false) : null,
        crps === null ? null : [1, 2, 3, 4, 5].map((times) => times * crps),
      ],
    );
  }
}

const batchOf = async (): Promise<bigint> =>
  (await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 })).batchId;

beforeAll(async () => {
  world = await makeWorld(t.database);
  const [late, early, saved, open] = [await batchOf(), await batchOf(), await batchOf(), await batchOf()];
  // Missed its deadline of hour 10 by two hours, and was said to be at risk from hour 4 on: six hours before.
  const missed = { deadline: 10, endedAt: 12 };
  await log(late, [
    { ...missed, madeAt: 1, probability: 0.9, atRisk: false, crpsHours: 3, held: false, afterMedian: true },
    { ...missed, madeAt: 4, probability: 0.6, atRisk: true, crpsHours: 2, afterMedian: true },
    { ...missed, madeAt: 8, probability: 0.1, atRisk: true, crpsHours: 1 },
  ]);
  // In time, and nobody had said otherwise.
  await log(early, [{ deadline: 10, endedAt: 5, madeAt: 1, probability: 0.95, atRisk: false, crpsHours: 2 }]);
  // In time after an alert: a false one.
  await log(saved, [{ deadline: 10, endedAt: 9, madeAt: 2, probability: 0.7, atRisk: true, crpsHours: 2 }]);
  // Not ended: nothing to score.
  await log(open, [{ deadline: 10, endedAt: null, madeAt: 1, probability: 0.5, atRisk: true }]);
  told = await withScope(t.database, scopeOf(world.operator), (tx) => forecastAccuracy(tx, world.projectId));
});

test('counts what has ended, and nothing else', () => {
  expect([told.forecasts, told.batches]).toEqual([5, 3]);
});

test('Brier’s score is the mean of (.9² + .6² + .1² + .05² + .3²)', () => {
  expect(told.brier).toBeCloseTo((0.81 + 0.36 + 0.01 + 0.0025 + 0.09) / 5, 10);
});

test('CRPS, coverage and how often the median was exceeded are means over forecasts', () => {
  expect(told.crpsHours).toBeCloseTo((3 + 2 + 1 + 2 + 2) / 5, 10);
  expect(told.coverage80).toBeCloseTo(4 / 5, 10);
  expect(told.medianExceeded).toBeCloseTo(2 / 5, 10);
});

test('pinball losses stand by their probability, in hours', () => {
  expect(told.pinball).toEqual(
    [0.1, 0.25, 0.5, 0.75, 0.9].map((probability, n) => ({
      probability,
      hours: expect.closeTo(2 * (n + 1), 9),
    })),
  );
});

test('what was stated stands against what came true, by tenths', () => {
  expect(told.reliability).toEqual([
    { from: 0.1, to: 0.2, forecasts: 1, stated: 0.1, happened: 0 },
    { from: 0.6, to: 0.7, forecasts: 1, stated: 0.6, happened: 0 },
    { from: 0.7, to: 0.8, forecasts: 1, stated: 0.7, happened: 1 },
    { from: 0.9, to: 1, forecasts: 2, stated: expect.closeTo(0.925, 9), happened: 0.5 },
  ]);
});

test('of two alerts one was true, six hours ahead, and one false', () => {
  expect(told.alerts).toEqual({ batches: 3, missed: 1, warned: 1, leadHours: 6, alerted: 2, falseAlerts: 1 });
});

test('an alert is false or true by the deadline that it was about, whatever that became later', async () => {
  const other = await makeWorld(t.database);
  const mine = world;
  world = other;
  try {
    // At hour 2 said to miss hour 10, which it does; the deadline is then put off to hour 20, and that one is met.
    await log((await makeBatch(t.database, other, { projectId: other.projectId, tasks: 1 })).batchId, [
      { deadline: 10, endedAt: 12, madeAt: 2, probability: 0.2, atRisk: true },
      { deadline: 20, endedAt: 12, madeAt: 5, probability: 0.9, atRisk: false },
    ]);
  } finally {
    world = mine;
  }
  const { alerts } = await withScope(t.database, scopeOf(other.operator), (tx) => forecastAccuracy(tx, null));
  expect(alerts).toEqual({
    batches: 1,
    missed: 0,
    warned: 0,
    leadHours: null,
    alerted: 1,
    falseAlerts: 0,
  });
});

test('where nothing has ended there is nothing to measure', async () => {
  const empty = await makeWorld(t.database);
  const none = await withScope(t.database, scopeOf(empty.operator), (tx) => forecastAccuracy(tx, null));
  expect(none).toMatchObject({
    forecasts: 0,
    brier: null,
    crpsHours: null,
    coverage80: null,
    reliability: [],
  });
  expect(none.alerts).toMatchObject({ batches: 0, leadHours: null });
});
