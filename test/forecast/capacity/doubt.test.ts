import { describe, expect, test } from 'vitest';
import type { Context } from '../../../src/context.js';
import { limits } from '../../../src/resolvers/capacity.js';
import { scopeOf } from '../../../src/services/access/viewer.js';
import { type Forecast, forecastOf } from '../../../src/services/forecast/forecast.js';
import { judgeProjects } from '../../../src/services/forecast/risk.js';
import { withScope } from '../../../src/services/platform/database.js';
import { makeWorld, viewerOf, type World } from '../../live/world.js';
import { useTestDb } from '../../support/db.js';
import { clockOf, finishedBefore, foldAll, workedIn, worldWithPast } from '../support/past.js';

// On whom a forecast may rest.
const ctx = useTestDb();
const DAY = 86_400;
const HOUR_MS = 3_600_000;

async function judged(world: World): Promise<Forecast> {
  await judgeProjects(ctx.database, [world]);
  return (await withScope(ctx.database, scopeOf(viewerOf(world, 'CUSTOMER')), (tx) =>
    forecastOf(tx, world.batchId),
  )) as Forecast;
}

const width = ({ doneBy, computedAt }: Forecast) => {
  const at = (place: number) => (doneBy[place]?.getTime() ?? Number.NaN) - computedAt.getTime();
  return at(17) / at(1);
};

describe('a forecast of what nobody can do', () => {
  test('is never and low, whatever has finished, and says why', async () => {
    const world = await worldWithPast(ctx, { tasks: 50, deadlineSeconds: 30 * DAY });
    await finishedBefore(ctx, world, { count: 25 });
    expect(await judged(world)).toMatchObject({
      confidence: 'HIGH',
      probabilityOnTime: expect.closeTo(1, 1),
    });
    await ctx.admin.query(`update experts set status = 'PAUSED' where tenant_id = $1`, [world.tenantId]);
    // Who may do what is read again by then.
    await ctx.advance(20);
    const paused = await judged(world);
    expect(paused).toMatchObject({ confidence: 'LOW', expectedDoneAt: null, finished: 25 });
    expect(paused.probabilityOnTime).toBeLessThan(0.01);
    expect(paused.capacity?.own).toMatchObject({ experts: 0 });
    expect(paused.capacity?.own?.workHours).toBeGreaterThan(10);
    for (const role of ['CUSTOMER', 'OPERATOR']) {
      expect(limits(paused, { viewer: { role } } as Context)[0]).toMatch(
        /^no qualified expert who is active/,
      );
    }
    await ctx.admin.query(`update experts set status = 'ACTIVE' where tenant_id = $1`, [world.tenantId]);
    await ctx.advance(20);
    expect((await judged(world)).confidence).toBe('HIGH');
  });
});

describe('a forecast by finished batches alone', () => {
  /** Experts who have begun today. */
  async function begun(experts: number): Promise<World> {
    const world = await makeWorld(ctx.admin, { experts, tasks: 50, deadlineSeconds: 2 * DAY });
    const now = await clockOf(ctx);
    for (let expert = 0; expert < experts; expert += 1) {
      const from = new Date(now.getTime() - 3 * HOUR_MS);
      await workedIn(ctx, world, { expert, from, to: new Date(from.getTime() + HOUR_MS), answers: 20 });
    }
    await foldAll(ctx);
    await finishedBefore(ctx, world, { count: 25, remaining: 50 });
    await ctx.advance(1_000);
    return world;
  }

  test('is low and wide where one can do it, once it is stored too, and not where three can', async () => {
    const [one, three] = [await judged(await begun(1)), await judged(await begun(3))];
    expect([one.capacity, three.capacity]).toEqual([null, null]);
    expect([one.finished, three.finished]).toEqual([25, 25]);
    expect([one.confidence, three.confidence]).toEqual(['LOW', 'HIGH']);
    expect(width(one)).toBeGreaterThan(1.5 * width(three));
    expect(width(one)).toBeGreaterThan(2);
  });
});

describe('who has been silent for weeks', () => {
  test('is not counted on: one who works and four who do not are few', async () => {
    const silent = [1, 2, 3, 4];
    const world = await worldWithPast(ctx, { experts: 5, tasks: 50, deadlineSeconds: 30 * DAY }, [0]);
    const now = await clockOf(ctx);
    for (const expert of silent) {
      for (let day = 15; day <= 56; day += 3) {
        const from = new Date(now.getTime() - day * 24 * HOUR_MS);
        await workedIn(ctx, world, { expert, from, to: new Date(from.getTime() + 5 * HOUR_MS), answers: 10 });
      }
    }
    while ((await foldAll(ctx)) > 0) {
      // Until nothing is left.
    }
    await finishedBefore(ctx, world, { count: 25 });
    const told = await judged(world);
    expect(told.capacity?.own?.experts).toBe(5);
    expect(told).toMatchObject({ confidence: 'LOW', finished: 25 });
  });
});

test('who has answered is counted of six thousand tasks as well', async () => {
  const world = await worldWithPast(ctx, { experts: 2, tasks: 6_000, deadlineSeconds: 7 * DAY }, [0, 1]);
  // The first has given one answer of two to each: a minute each, a hundred hours of the other's, who works seventy a week.
  await ctx.admin.query(
    `with made as (
       insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
                                lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
       select t.tenant_id, t.id, $2, t.project_id, t.batch_id, t.customer_id, 1, 1, 2, 0, 'ACCEPTED', 1, 3600, c.now - interval '1 minute', c.now + interval '1 second',
              c.now + interval '1 second', c.now, c.now, 1, 'EUR'
       from (select app.clock_now() as now) c, tasks t where t.tenant_id = $1 and t.state = 'OPEN' returning task_id)
     update tasks set wanted = 2, counted = 1 where tenant_id = $1 and id in (select task_id from made)`,
    [world.tenantId, world.experts[0]?.expertId],
  );
  const told = await judged(world);
  expect(told.remainingAnswers).toBe(6_000);
  expect(told.capacity?.own?.workHours).toBeGreaterThan(90);
  expect(told.probabilityOnTime).toBeLessThan(0.25);
});
