// @once @long
import { describe, expect, test } from 'vitest';
import { forecastAccuracy } from '../../src/services/forecast/accuracy.js';
import { forecastOf } from '../../src/services/forecast/forecast.js';
import { burnUpsOf } from '../../src/services/forecast/history/burn-up.js';
import { heldOf } from '../../src/services/forecast/history/history.sql.js';
import { makeBatch, makeWorld } from '../live/world.js';
import { useTestDb } from '../support/db.js';
import { TASKS, workOf } from './support/worked.js';

const ctx = useTestDb();
const { asCustomer, judge, logOf, rowsOf, withHistory, work } = workOf(ctx);

describe('what is kept of forecasts', () => {
  test('is one at every twentieth of the answers, and how far the batch was', async () => {
    const world = await makeWorld(ctx.admin, { tasks: TASKS, experts: 2, leaseSeconds: 3_600 });
    await work(world, 3, 30);
    await judge(world);
    const marks = await rowsOf(
      `select share, elapsed_seconds, answers::int, remaining::int from forecast_marks where tenant_id = $1 order by share`,
      [world.tenantId],
    );
    expect(marks.map(({ share, answers, remaining }) => [share, answers, remaining])).toEqual([
      [5, 1, 19],
      [10, 2, 18],
      [15, 3, 17],
    ]);
    const batchIds = (await rowsOf('select id from batches where tenant_id = $1', [world.tenantId])).map(
      ({ id }) => BigInt(id),
    );
    const shown = await asCustomer(world, (tx) => burnUpsOf(tx, batchIds));
    expect(shown.map(({ answers }) => answers)).toEqual([1, 2, 3]);
    expect(marks[2].elapsed_seconds).toBeGreaterThanOrEqual(90);
    expect(marks[2].elapsed_seconds).toBeLessThan(150);
    expect((await logOf(world)).map(({ share, ended_at }) => [share, ended_at])).toEqual([
      [5, null],
      [10, null],
      [15, null],
    ]);
  });

  test('is scored once the batch has ended, by its last answer', async () => {
    const world = await withHistory(1, { deadlineSeconds: 1_000 });
    const log = await logOf(world);
    expect(log.length).toBeGreaterThanOrEqual(19);
    const [{ last }] = await rowsOf(
      `select max(submitted_at) as last from assignments where tenant_id = $1`,
      [world.tenantId],
    );
    for (const row of log) {
      expect(row.ended_at).toEqual(last);
      const actual = (last.getTime() - row.made_at.getTime()) / 1000;
      const [low, median, high] = [row.seconds[1], row.seconds[9], row.seconds[17]];
      expect(row.held).toBe(low <= actual && actual <= high);
      expect(row.after_median).toBe(actual > median);
      // As the textbook has it, every pair counted.
      const mean = (of: readonly number[]) => of.reduce((sum, one) => sum + one, 0) / of.length;
      const apart = mean(
        row.seconds.flatMap((one: number) => row.seconds.map((other: number) => Math.abs(one - other))),
      );
      const crps = mean(row.seconds.map((one: number) => Math.abs(one - actual))) - apart / 2;
      expect(row.crps_seconds).toBeCloseTo(crps, 6);
      expect(row.pinball_seconds[2]).toBeCloseTo(Math.abs(actual - median) / 2, 6);
      // It ends 1,200 s after it began, of which it had 1,000.
      expect(row.brier).toBeCloseTo(row.probability ** 2, 12);
    }
  });

  test('is taken back while a batch goes on after its end, and scored anew when it ends again', async () => {
    const world = await withHistory(1);
    const before = await logOf(world);
    await ctx.admin.query(
      `update tasks set wanted = 2, state = 'OPEN', done_at = null where tenant_id = $1 and id = $2`,
      [world.tenantId, world.taskIds[0]],
    );
    await ctx.advance(600);
    await judge(world);
    expect((await logOf(world)).filter(({ ended_at }) => ended_at !== null)).toEqual([]);
    await ctx.admin.query(
      `update tasks set wanted = 1, state = 'DONE', done_at = app.clock_now() where tenant_id = $1 and id = $2`,
      [world.tenantId, world.taskIds[0]],
    );
    await judge(world);
    const again = await logOf(world);
    expect(again.slice(0, before.length)).toEqual(before);
    expect(again.every(({ ended_at }) => ended_at !== null)).toBe(true);
  });
});

describe('a forecast that has five finished batches to learn from', () => {
  test('knows that the second half takes three times as long', async () => {
    const world = await withHistory(5);
    const batchId = await makeBatch(ctx.admin, { ...world, tasks: TASKS });
    await work(world, 10, 30);
    const found = await asCustomer(world, (tx) => forecastOf(tx, batchId));
    expect(found).toMatchObject({ confidence: 'MEDIUM', finished: 5, remainingAnswers: 10 });
    const seconds = ((found?.expectedDoneAt?.getTime() ?? 0) - (found?.computedAt.getTime() ?? 0)) / 1000;
    expect(seconds).toBeGreaterThan(800);
    expect(seconds).toBeLessThan(1_000);
    // Computed for the customer where nothing is stored it is the same; but nobody has looked who can do it.
    await ctx.admin.query('delete from forecasts where tenant_id = $1 and batch_id = $2', [
      world.tenantId,
      batchId,
    ]);
    const computed = await asCustomer(world, (tx) => forecastOf(tx, batchId));
    expect(computed).toMatchObject({ confidence: 'LOW', finished: 5 });
  });

  test('learns from its customer’s other projects of the same task type, and from nobody else’s', async () => {
    const world = await withHistory(5);
    const [project] = await rowsOf(
      `insert into projects (tenant_id, customer_id, name, task_type_id, skill_id, lane_id, min_quality, price_minor, currency,
                             redundancy, lease_seconds, origin, idempotency_key, request_digest)
       select tenant_id, customer_id, 'second', task_type_id, skill_id, lane_id, min_quality, price_minor, currency, redundancy,
              lease_seconds, origin, 'second', 'd' from projects where tenant_id = $1 returning id`,
      [world.tenantId],
    );
    const [stranger] = await rowsOf(
      `insert into customers (tenant_id, name) values ($1, 'Bea') returning id`,
      [world.tenantId],
    );
    const [strangers] = await rowsOf(
      `insert into projects (tenant_id, customer_id, name, task_type_id, skill_id, lane_id, min_quality, price_minor, currency,
                             redundancy, lease_seconds, origin, idempotency_key, request_digest)
       select tenant_id, $2, 'third', task_type_id, skill_id, lane_id, min_quality, price_minor, currency, redundancy, lease_seconds,
              origin, 'third', 'd' from projects where tenant_id = $1 and id = $3 returning id`,
      [world.tenantId, stranger.id, world.projectId],
    );
    for (const [projectId, customerId, finished] of [
      [project.id, world.customerId, 5],
      [strangers.id, stranger.id, 0],
    ] as const) {
      const other = { ...world, projectId: BigInt(projectId), customerId: BigInt(customerId) };
      const batchId = await makeBatch(ctx.admin, { ...other, tasks: TASKS });
      await work(other, 10, 30);
      expect(await asCustomer(other, (tx) => forecastOf(tx, batchId))).toMatchObject({ finished });
      await work(other, 10, 30);
    }
  });
});

describe('of what is held to account', () => {
  test('an alert before the first answer is kept', async () => {
    const world = await withHistory(5);
    const batchId = await makeBatch(ctx.admin, { ...world, tasks: TASKS });
    await ctx.admin.query(
      `update batches set deadline = app.clock_now() + interval '10 seconds' where tenant_id = $1 and id = $2`,
      [world.tenantId, batchId],
    );
    await judge(world);
    expect(
      await rowsOf(
        `select share, at_risk as "atRisk" from forecast_log where tenant_id = $1 and batch_id = $2`,
        [world.tenantId, batchId],
      ),
    ).toEqual([{ share: 0, atRisk: true }]);
  });

  test('each batch teaches the spread once, by its first forecast from half-way on', async () => {
    const world = await withHistory(2);
    const [, second] = await rowsOf('select id from batches where tenant_id = $1 order by id', [
      world.tenantId,
    ]);
    // Half-way was passed between two looks; what was said there differs from all that was said later.
    await ctx.admin.query(
      `update forecast_log set share = case share when 50 then 55 else share end, finished = 1, held = (share = 50)
       where tenant_id = $1 and batch_id = $2`,
      [world.tenantId, second.id],
    );
    // Risk that came and went at half-way.
    await ctx.admin.query(
      `insert into forecast_log (tenant_id, batch_id, project_id, customer_id, made_at, share, finished, seconds, deadline, probability,
                                 at_risk, ended_at, crps_seconds, pinball_seconds, brier, held, after_median)
       select tenant_id, batch_id, project_id, customer_id, made_at + interval '1 second', 50, 1, seconds, deadline, probability, at_risk,
              ended_at, crps_seconds, pinball_seconds, brier, false, after_median
       from forecast_log, generate_series(1, 3) where tenant_id = $1 and batch_id = $2 and share = 55 and held`,
      [world.tenantId, second.id],
    );
    const batchId = await makeBatch(ctx.admin, { ...world, tasks: TASKS });
    const compared = [{ tenantId: world.tenantId, batchId, share: 50 }];
    expect(await asCustomer(world, (tx) => heldOf(tx, compared))).toEqual([{ batchId, held: [true] }]);
  });
});

describe('how good forecasts were', () => {
  test('is told of what the viewer may see: scores, tenths, and what alerts were worth', async () => {
    const world = await withHistory(2, { deadlineSeconds: 1_500 });
    const accuracy = await asCustomer(world, (tx) => forecastAccuracy(tx, world.projectId));
    const log = await logOf(world);
    expect(accuracy).toMatchObject({ forecasts: log.length, batches: 2 });
    const stated = log.filter(({ brier }) => brier !== null);
    const brier = stated.reduce((sum, row) => sum + row.brier, 0) / stated.length;
    expect(accuracy.brier).toBeCloseTo(brier, 9);
    expect(accuracy.pinball.map(({ probability }) => probability)).toEqual([0.1, 0.25, 0.5, 0.75, 0.9]);
    expect(accuracy.reliability.reduce((sum, { forecasts }) => sum + forecasts, 0)).toBe(stated.length);
    for (const { from, to, stated: mean } of accuracy.reliability) {
      expect(mean).toBeGreaterThanOrEqual(from);
      expect(mean).toBeLessThanOrEqual(to);
    }
    // The first batch is in time; the second, which begins after 1,200 s, is not, and that is said before.
    expect(accuracy.alerts).toMatchObject({ batches: 2, missed: 1, warned: 1 });
    expect(accuracy.alerts.leadHours).toBeGreaterThan(0);
    const other = await makeWorld(ctx.admin);
    expect(await asCustomer(other, (tx) => forecastAccuracy(tx, null))).toMatchObject({
      forecasts: 0,
      batches: 0,
      brier: null,
      pinball: [],
      reliability: [],
    });
  });
});
