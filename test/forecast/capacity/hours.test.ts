import { describe, expect, test } from 'vitest';
import { scopeOf } from '../../../src/services/access/viewer.js';
import { type Forecast, forecastOf } from '../../../src/services/forecast/forecast.js';
import { judgeProjects } from '../../../src/services/forecast/risk.js';
import { forecastWith, type WhatIf } from '../../../src/services/forecast/what-if.js';
import { withScope } from '../../../src/services/platform/database.js';
import { makeWorld, viewerOf, type World, type WorldOptions } from '../../live/world.js';
import { useTestDb } from '../../support/db.js';
import { clockOf, foldAll, workedIn, worldWithPast } from '../support/past.js';

const ctx = useTestDb();
const HOUR_MS = 3_600_000;

const fold = (answers?: number) => foldAll(ctx, answers);
const clock = () => clockOf(ctx);
const withPast = (options: WorldOptions, experts?: readonly number[]) => worldWithPast(ctx, options, experts);
const worked = (world: World, of: Parameters<typeof workedIn>[2]) => workedIn(ctx, world, of);

async function hoursOf(world: World): Promise<number> {
  const { rows } = await ctx.admin.query(
    `select coalesce(sum(s), 0)::float8 / 3600 as hours from expert_weeks w, unnest(w.seconds) s where w.tenant_id = $1`,
    [world.tenantId],
  );
  return rows[0].hours;
}

describe('hours of experts', () => {
  test('are folded once, hour by hour, however small the pages', async () => {
    const world = await makeWorld(ctx.admin, { experts: 2, tasks: 1 });
    const now = await clock();
    const from = new Date(now.getTime() - 30 * HOUR_MS);
    await worked(world, { expert: 0, from, to: new Date(from.getTime() + 2.5 * HOUR_MS), answers: 7 });
    await worked(world, { expert: 1, from, to: new Date(from.getTime() + 1 * HOUR_MS), answers: 3 });
    let folded = 0;
    for (let round = 0; round < 20; round += 1) {
      folded += await fold(4);
    }
    expect(folded).toBeGreaterThanOrEqual(10);
    expect(await hoursOf(world)).toBeCloseTo(3.5, 2);
    const { rows } = await ctx.admin.query(
      'select max(s)::int as most from expert_weeks w, unnest(w.seconds) s where w.tenant_id = $1',
      [world.tenantId],
    );
    expect(rows[0].most).toBeLessThanOrEqual(3_600);
  });

  test('go on where they were', async () => {
    const world = await makeWorld(ctx.admin, { experts: 1, tasks: 1 });
    const now = await clock();
    const hour = (from: number) => ({
      expert: 0,
      from: new Date(now.getTime() - from * HOUR_MS),
      to: new Date(now.getTime() - (from - 1) * HOUR_MS),
      answers: 5,
    });
    await worked(world, hour(20));
    await fold();
    expect(await hoursOf(world)).toBeCloseTo(1, 2);
    await worked(world, hour(10));
    await fold();
    await fold();
    expect(await hoursOf(world)).toBeCloseTo(2, 2);
  });
});

describe('a forecast by the hours of experts', () => {
  const shown = async (world: World): Promise<Forecast> => {
    await judgeProjects(ctx.database, [world]);
    const found = await withScope(ctx.database, scopeOf(viewerOf(world, 'CUSTOMER')), (tx) =>
      forecastOf(tx, world.batchId),
    );
    return found as Forecast;
  };
  const asked = (world: World, change: Partial<WhatIf>) =>
    forecastWith(ctx.database, viewerOf(world, 'CUSTOMER'), {
      of: { projectId: world.projectId },
      change: { extraExperts: [], dropTasks: 0, deadline: null, ...change },
    });

  test('is stored with what it hangs on, and what would fix it', async () => {
    const world = await withPast({ deadlineSeconds: 2 * 86_400 });
    const forecast = await shown(world);
    // 400 tasks of half an hour each: 200 hours; three experts of 70 hours a week.
    expect(forecast.capacity?.total.experts).toBe(3);
    expect(forecast.capacity?.total.hoursAWeek).toBeGreaterThan(185);
    expect(forecast.capacity?.total.hoursAWeek).toBeLessThan(225);
    expect(forecast.capacity?.total.workHours).toBeGreaterThan(180);
    expect(forecast.probabilityOnTime).toBeLessThan(0.05);
    expect(forecast.capacity?.fixes?.expertHours[0]?.hours).toBeGreaterThan(120);
    expect(forecast.confidence).toBe('LOW');
    const days =
      (Date.parse(forecast.capacity?.fixes?.safeDeadline ?? '') - forecast.computedAt.getTime()) / 86_400_000;
    expect(days).toBeGreaterThan(6);
    expect(days).toBeLessThan(25);
    expect(
      await asked(world, { deadline: new Date(forecast.capacity?.fixes?.safeDeadline ?? '') }),
    ).toMatchObject({
      probabilityOnTime: expect.closeTo(0.9, 1),
    });
  });

  test('knows of the work of others that is due before', async () => {
    const world = await withPast({ deadlineSeconds: 8 * 86_400 });
    const alone = (await shown(world)).probabilityOnTime ?? 0;
    await ctx.admin.query(
      `insert into projects (tenant_id, customer_id, name, task_type_id, skill_id, lane_id, min_quality, price_minor, currency, redundancy,
                             lease_seconds, origin, idempotency_key, request_digest, deadline)
       select tenant_id, customer_id, 'q', task_type_id, skill_id, lane_id, min_quality, price_minor, currency, redundancy, lease_seconds,
              origin, 'other', 'd', deadline - interval '1 day' from projects where tenant_id = $1`,
      [world.tenantId],
    );
    await ctx.admin.query(
      `with made as (
         insert into batches (tenant_id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count, idempotency_key,
                              content_digest, stored_at)
         select b.tenant_id, p.id, b.customer_id, 'b', 'OPEN', b.format, b.raw_key, b.raw_bytes, 300, 300, 'other', 'd', app.clock_now()
         from batches b join projects p on p.tenant_id = b.tenant_id and p.name = 'q' where b.tenant_id = $1 returning *)
       insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted)
       select m.tenant_id, m.project_id, m.id, m.customer_id, n, 'k', 1, 'text/plain', 1 from made m, generate_series(1, 4000) n`,
      [world.tenantId],
    );
    const { rows } = await ctx.admin.query(`select id from projects where tenant_id = $1 and name = 'q'`, [
      world.tenantId,
    ]);
    await judgeProjects(ctx.database, [{ tenantId: world.tenantId, projectId: BigInt(rows[0].id) }]);
    const beside = await shown(world);
    expect(alone).toBeGreaterThan(0.3);
    expect(beside.probabilityOnTime).toBeLessThan(alone - 0.2);
    expect(beside.capacity?.total.othersHours).toBeGreaterThan(100);
  });

  test('says what would become of it with more experts, fewer tasks, another deadline', async () => {
    const world = await withPast({ deadlineSeconds: 4 * 86_400 });
    const chance = async (change: Partial<WhatIf>) =>
      (await asked(world, change))?.probabilityOnTime ?? Number.NaN;
    const now = await chance({});
    expect(now).toBeLessThan(0.3);
    expect(await chance({ extraExperts: [{ count: 10, hoursPerWeek: 40 }] })).toBeGreaterThan(0.9);
    expect(await chance({ extraExperts: [{ count: 10, hoursPerWeek: null }] })).toBeGreaterThan(0.9);
    expect(await chance({ dropTasks: 350 })).toBeGreaterThan(0.9);
    expect(await chance({ deadline: new Date((await clock()).getTime() + 30 * 86_400_000) })).toBeGreaterThan(
      0.9,
    );
    // Nothing of it was done.
    expect((await shown(world)).probabilityOnTime).toBeLessThan(0.3);
  });

  test.each([
    [{ dropTasks: 400 }],
    [{ dropTasks: -1 }],
    [{ extraExperts: [{ count: 0, hoursPerWeek: null }] }],
    [{ extraExperts: [{ count: 1_001, hoursPerWeek: null }] }],
    [{ extraExperts: [{ count: 1, hoursPerWeek: 169 }] }],
    [{ extraExperts: [{ count: 1, hoursPerWeek: 0 }] }],
  ])('refuses %j', async (change) => {
    const world = await makeWorld(ctx.admin, { tasks: 400 });
    await expect(asked(world, change)).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  });

  test('is learned from finished batches or the rate alone where it is not known when anybody works', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 5, deadlineSeconds: 3_600 });
    expect((await shown(world)).capacity).toBeNull();
  });

  test('says low where one or two experts can do it, and never certain', async () => {
    const world = await withPast({ experts: 1, deadlineSeconds: 60 * 86_400 }, [0]);
    const forecast = await shown(world);
    expect(forecast.confidence).toBe('LOW');
    expect(forecast.probabilityOnTime).toBeLessThan(1);
    expect(forecast.capacity?.total.experts).toBe(1);
  });
});
