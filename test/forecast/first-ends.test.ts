// @once @long
import { describe, expect, test } from 'vitest';
import { forecastAccuracy } from '../../src/services/forecast/accuracy.js';
import { workOf as workLeftOf } from '../../src/services/forecast/capacity/supply.sql.js';
import { finishedLike, heldOf } from '../../src/services/forecast/history/history.sql.js';
import { withSystem } from '../../src/services/platform/database.js';
import { makeBatch, makeWorld, type World } from '../live/world.js';
import { useTestDb } from '../support/db.js';
import { TASKS, workOf } from './support/worked.js';

const ctx = useTestDb();
const { asCustomer, judge, logOf, rowsOf, withHistory, work } = workOf(ctx);

describe('a batch that goes on weeks after it was done', () => {
  const openAgain = (world: World) =>
    ctx.admin.query(
      `update tasks set wanted = 2, state = 'OPEN', done_at = null where tenant_id = $1 and id = $2`,
      [world.tenantId, world.taskIds[0]],
    );
  const doneAgain = async ({ tenantId, taskIds: [taskId] }: World) => {
    await ctx.admin.query(
      `update tasks set counted = 2, state = 'DONE', done_at = app.clock_now() where tenant_id = $1 and id = $2`,
      [tenantId, taskId],
    );
    await ctx.admin.query(
      `update assignments set submitted_at = app.clock_now(), ended_at = app.clock_now(), lease_until = app.clock_now() + interval '1 hour',
              hold_until = app.clock_now() + interval '1 hour' where tenant_id = $1 and task_id = $2`,
      [tenantId, taskId],
    );
  };
  /** By which deadline it stands in the queue beside what is asked about. */
  const queuedBy = async ({ tenantId, batchId }: World) => {
    const rows = await withSystem(ctx.database, (tx) => workLeftOf(tx, tenantId, []));
    return rows.find((row) => row.batchId === batchId)?.deadline;
  };
  const storedOf = async (world: World) =>
    (
      await rowsOf(
        `select ended_at, first_ended_at, reopened_at, at_risk, deadline, probability_on_time from forecasts where tenant_id = $1 order by batch_id`,
        [world.tenantId],
      )
    )[0];
  const alertsOf = (world: World) =>
    rowsOf(`select from stream_events where tenant_id = $1 and kind = 'AT_RISK'`, [world.tenantId]);

  test('is judged by its first end, teaches nobody, and is not at risk of what it made', async () => {
    const world = await withHistory(2, { deadlineSeconds: 86_400 });
    await ctx.admin.query(`update forecast_log set finished = 5 where tenant_id = $1`, [world.tenantId]);
    const [before, stored, alerts] = [await logOf(world), await storedOf(world), await alertsOf(world)];
    expect(before.every(({ brier }) => brier < 0.3)).toBe(true);
    const next = await makeBatch(ctx.admin, { ...world, tasks: TASKS });
    const compared = [{ tenantId: world.tenantId, batchId: next, share: 50 }];
    const teaching = async () => (await asCustomer(world, (tx) => finishedLike(tx, compared))).length;
    expect(await teaching()).toBe(2);
    const held = async () =>
      (await asCustomer(world, (tx) => heldOf(tx, compared))).flatMap((one) => one.held).length;
    expect(await held()).toBe(2);
    await ctx.advance(21 * 86_400);
    await openAgain(world);
    await judge(world);
    await ctx.advance(600);
    await judge(world);
    expect(await storedOf(world)).toMatchObject({ ended_at: null, first_ended_at: stored.first_ended_at });
    // Of the next batch, which nobody has begun, the deadline has passed.
    expect((await alertsOf(world)).length - alerts.length).toBe(1);
    expect(await storedOf(world)).toMatchObject({
      at_risk: false,
      deadline: null,
      probability_on_time: null,
    });
    expect(await queuedBy(world)).toBeNull();
    await doneAgain(world);
    await judge(world);
    const again = await storedOf(world);
    expect(again.first_ended_at).toEqual(stored.first_ended_at);
    expect(again.ended_at.getTime()).toBeGreaterThan(stored.ended_at.getTime() + 20 * 86_400_000);
    const ofBatch = (await logOf(world)).slice(0, before.length);
    expect(ofBatch).toEqual(before);
    expect(await teaching()).toBe(1);
    expect(await held()).toBe(1);
  });

  test('is at risk where it had not been done in time, or goes on before its deadline', async () => {
    const late = await withHistory(1, { deadlineSeconds: 600 });
    await ctx.advance(86_400);
    await openAgain(late);
    await judge(late);
    expect(await storedOf(late)).toMatchObject({ at_risk: true, probability_on_time: 0 });
    const early = await withHistory(1, { deadlineSeconds: 2 * 86_400 });
    await ctx.advance(86_400);
    const { first_ended_at: first } = await storedOf(early);
    await openAgain(early);
    await judge(early);
    expect(await storedOf(early)).toMatchObject({ first_ended_at: first, reopened_at: expect.any(Date) });
    await ctx.advance(2 * 86_400);
    await judge(early);
    expect(await storedOf(early)).toMatchObject({ at_risk: true, probability_on_time: 0 });
    expect(await queuedBy(early)).toEqual(expect.any(Date));
  });

  test('had not ended where that is taken back within the hour, though it was late, and teaches as it ended then', async () => {
    const late = await withHistory(1, { deadlineSeconds: 600 });
    const { ended_at: ended, first_ended_at: first, deadline } = await storedOf(late);
    expect(first).toEqual(ended);
    expect(ended.getTime()).toBeGreaterThan(deadline.getTime());
    await ctx.advance(600);
    await openAgain(late);
    await judge(late);
    expect(await storedOf(late)).toMatchObject({ ended_at: null, first_ended_at: null, reopened_at: null });
    await ctx.advance(60);
    await doneAgain(late);
    await judge(late);
    const again = await storedOf(late);
    expect(again).toMatchObject({ first_ended_at: again.ended_at, reopened_at: null });
    expect(again.ended_at.getTime()).toBeGreaterThan(ended.getTime());
    const next = await makeBatch(ctx.admin, { ...late, tasks: TASKS });
    const compared = [{ tenantId: late.tenantId, batchId: next, share: 50 }];
    expect(await asCustomer(late, (tx) => finishedLike(tx, compared))).toHaveLength(1);
  });
});

test('what said never is counted, and is no distance', async () => {
  const world = await makeWorld(ctx.admin, {
    tasks: TASKS,
    experts: 2,
    leaseSeconds: 3_600,
    deadlineSeconds: 1_000,
  });
  await work(world, 10, 30);
  await ctx.admin.query(
    `update forecast_log set seconds = seconds[1:17] || array[630720000, 630720000]::float8[] where tenant_id = $1 and share in (20, 25)`,
    [world.tenantId],
  );
  await work(world, 10, 90);
  const log = await logOf(world);
  expect(log.filter(({ crps_seconds: crps }) => crps === null).map(({ share }) => share)).toEqual([20, 25]);
  expect(log.filter(({ pinball_seconds: pinball }) => pinball === null).map(({ share }) => share)).toEqual([
    20, 25,
  ]);
  expect(log.every((row) => row.held !== null && row.ended_at !== null)).toBe(true);
  expect(log.filter(({ share, brier }) => share >= 20 && brier === null)).toEqual([]);
  const accuracy = await asCustomer(world, (tx) => forecastAccuracy(tx, world.projectId));
  expect(accuracy).toMatchObject({ forecasts: log.length, never: 2 });
  expect(accuracy.crpsHours).toBeLessThan(24);
  expect(accuracy.pinball.every(({ hours }) => hours < 24)).toBe(true);
});
