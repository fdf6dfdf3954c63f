import { describe, expect, test } from 'vitest';
import { weekOf } from '../../../src/services/forecast/capacity/newcomers.js';
import { outlook } from '../../../src/services/forecast/capacity/outlook.js';
import { type Forecast, fixesOf } from '../../../src/services/forecast/forecast.js';
import { forecastWith, type WhatIf } from '../../../src/services/forecast/what-if.js';
import { makeWorld, viewerOf, type World } from '../../live/world.js';
import { useTestDb } from '../../support/db.js';
import { hoursOf } from '../support/even-hours.js';
import { clockOf, finishedBefore, foldAll, workedIn, worldWithPast } from '../support/past.js';

// What would become of it with experts more.
const ctx = useTestDb();
const DAY = 86_400;
const HOUR_MS = 3_600_000;

const asked = async (world: World, change: Partial<WhatIf> = {}): Promise<Forecast> =>
  (await forecastWith(ctx.database, viewerOf(world, 'OPERATOR'), {
    of: { batchId: world.batchId },
    change: { extraExperts: [], dropTasks: 0, deadline: null, ...change },
  })) as Forecast;
const chance = async (world: World, change: Partial<WhatIf> = {}) =>
  (await asked(world, change)).probabilityOnTime ?? Number.NaN;

/** So many hours until a deadline in so many days, by as many as it takes. */
function evenly(hours: number, days: number): WhatIf['extraExperts'] {
  const count = Math.max(3, Math.ceil(hours / days / 20));
  return [{ count, hoursPerWeek: (hours / days / count) * 7 }];
}

describe('where finished batches were slow and the hours of experts were not known then', () => {
  const DAYS = 10;
  const slow = async () => {
    const world = await worldWithPast(ctx, { tasks: 400, deadlineSeconds: DAYS * DAY });
    await finishedBefore(ctx, world, {
      ...{ count: 6, remaining: 400, elapsedSeconds: 1_000, seconds: 21 * DAY },
      capacitySeconds: null,
    });
    await ctx.advance(1_000);
    return world;
  };

  test('experts more count in all that may come of it', async () => {
    const world = await slow();
    const without = await asked(world);
    expect(without.finished).toBe(6);
    expect(without.probabilityOnTime).toBeLessThan(0.55);
    expect(await chance(world, { extraExperts: [{ count: 100, hoursPerWeek: 40 }] })).toBeGreaterThan(0.9);
    // One with an hour a week makes nothing worse.
    const little = await chance(world, { extraExperts: [{ count: 1, hoursPerWeek: 1 }] });
    expect(Math.abs(little - (without.probabilityOnTime ?? 1))).toBeLessThan(0.08);
  });

  test('what is asked for makes the deadline: hours, or tasks less', async () => {
    const world = await slow();
    const fixes = (await asked(world)).capacity?.fixes;
    const hours = fixes?.expertHours[0]?.hours ?? 0;
    expect(await chance(world, { extraExperts: evenly(hours, DAYS) })).toBeGreaterThan(0.85);
    expect(await chance(world, { extraExperts: evenly(hours / 3, DAYS) })).toBeLessThan(0.85);
    const dropTasks = fixes?.dropTasks ?? 0;
    expect(dropTasks).toBeGreaterThan(100);
    expect(await chance(world, { dropTasks })).toBeGreaterThan(0.85);
    expect(await chance(world, { dropTasks: Math.floor(dropTasks / 2) })).toBeLessThan(0.85);
  });
});

describe('where nobody has worked for a week yet', () => {
  test('newcomers count alone where nothing is known of those who are there', async () => {
    const world = await makeWorld(ctx.admin, { experts: 3, tasks: 400, deadlineSeconds: 7 * DAY });
    await foldAll(ctx);
    await ctx.advance(7_200);
    expect(await chance(world)).toBeLessThan(0.05);
    expect(await chance(world, { extraExperts: [{ count: 20, hoursPerWeek: 40 }] })).toBeGreaterThan(0.9);
    expect(await chance(world, { extraExperts: [{ count: 1, hoursPerWeek: 1 }] })).toBeLessThan(0.2);
  });

  test('and beside the present rate where something came in', async () => {
    const world = await makeWorld(ctx.admin, { experts: 3, tasks: 400, deadlineSeconds: 6 * DAY });
    await ctx.advance(3_600);
    const now = await clockOf(ctx);
    const from = new Date(now.getTime() - HOUR_MS / 2);
    await workedIn(ctx, world, { expert: 0, from, to: now, answers: 5 });
    await foldAll(ctx);
    const without = await asked(world);
    expect(without.capacity).toBeNull();
    expect(without.probabilityOnTime).toBeGreaterThan(0.2);
    expect(without.probabilityOnTime).toBeLessThan(0.8);
    // The date that would be safe is known all the same.
    const safe = fixesOf(without);
    expect(safe).toMatchObject({ expertHours: [], dropTasks: null });
    expect(Date.parse(safe?.safeDeadline ?? '')).toBeGreaterThan(without.deadline?.getTime() ?? 0);
    const later = { deadline: new Date(Date.parse(safe?.safeDeadline ?? '') + DAY * 1_000) };
    expect(fixesOf(await asked(world, later))).toBeNull();
    const with1 = await chance(world, { extraExperts: [{ count: 1, hoursPerWeek: 1 }] });
    expect(with1).toBeGreaterThan((without.probabilityOnTime ?? 1) - 0.05);
    const many = await asked(world, { extraExperts: [{ count: 30, hoursPerWeek: 40 }] });
    expect(many).toMatchObject({ confidence: 'LOW', capacity: null });
    expect(many.probabilityOnTime).toBeGreaterThan(0.9);
  });
});

describe('newcomers', () => {
  test('work when those work who can do the same, whatever others do', async () => {
    const world = await worldWithPast(ctx, { experts: 12, tasks: 100, deadlineSeconds: DAY / 2.4 });
    // Nine who can do something else, by night.
    await ctx.admin.query(
      `with other as (insert into skills (tenant_id, name) values ($1, 'else') returning id)
       update expert_skills s set skill_id = other.id from other where s.tenant_id = $1 and s.expert_id = any ($2::bigint[])`,
      [world.tenantId, world.experts.slice(3).map(({ expertId }) => expertId)],
    );
    const now = await clockOf(ctx);
    await ctx.admin.query(
      `insert into expert_weeks (tenant_id, expert_id, week, seconds, updated_at)
       select $1, x, w, array(select case when (h - $4::int + 168) % 24 between 10 and 23 then 3600 else 0 end from generate_series(0, 167) h),
              app.clock_now()
       from unnest($2::bigint[]) x, generate_series($3::int - 8, $3::int) w`,
      [
        world.tenantId,
        world.experts.slice(3).map(({ expertId }) => expertId),
        Math.floor(now.getTime() / 1_000 / 3_600 / 168),
        Math.floor(now.getTime() / HOUR_MS) % 24,
      ],
    );
    expect(await chance(world)).toBeLessThan(0.1);
    expect(await chance(world, { extraExperts: [{ count: 14, hoursPerWeek: 40 }] })).toBeGreaterThan(0.9);
  });

  test('work no more than a whole hour in an hour, and all that they promise', () => {
    const nights = Array.from({ length: 168 }, (_, hour) => (hour % 24 < 2 ? 1_000 : 1));
    for (const hours of [0.5, 10, 14, 40, 120, 168]) {
      const week = weekOf(hours * 3_600, nights);
      expect(Math.max(...week)).toBeLessThanOrEqual(3_600);
      expect(week.reduce((sum, one) => sum + one, 0)).toBeCloseTo(hours * 3_600, 3);
    }
    expect(weekOf(10 * 3_600, nights)[0]).toBeGreaterThan(2_500);
    expect(weekOf(40 * 3_600, nights)[5]).toBeCloseTo((26 * 3_600) / 154, -1);
  });

  test('lose no fraction of a second', () => {
    const WORK = {
      ...{ id: 1n, projectId: 1n, workClass: 0, seconds: 3_600, spread: 0.1, items: 9, handlingSeconds: 60 },
      ...{ leaseSeconds: 600, deadlineSeconds: 7 * DAY },
    };
    const promised = (hours: number) => ({ ...hoursOf([0], hours), isPromised: true });
    const [one] = outlook({
      now: new Date('2026-03-02T00:00:00Z'),
      experts: Array.from({ length: 100 }, () => promised(0.04)),
      works: [WORK],
    });
    // Of a hundred with some two minutes a week each.
    expect(one?.total.hoursAWeek).toBeCloseTo(4, 1);
  });
});
