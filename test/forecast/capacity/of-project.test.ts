import { describe, expect, test } from 'vitest';
import { scopeOf } from '../../../src/services/access/viewer.js';
import { type Forecast, forecastOf } from '../../../src/services/forecast/forecast.js';
import { judgeProjects } from '../../../src/services/forecast/risk.js';
import { projectForecastsOf } from '../../../src/services/forecast/together.js';
import { forecastWith, type WhatIf } from '../../../src/services/forecast/what-if.js';
import { withScope } from '../../../src/services/platform/database.js';
import { makeBatch, viewerOf, type World } from '../../live/world.js';
import { useTestDb } from '../../support/db.js';
import { worldWithPast } from '../support/past.js';

// What a forecast says of each skill of its work, and of all batches of a project.
const ctx = useTestDb();
const DAY = 86_400;

const seen = <T>(world: World, work: Parameters<typeof withScope<T>>[2]) =>
  withScope(ctx.database, scopeOf(viewerOf(world, 'CUSTOMER')), work);

async function judged(world: World, batchIds: readonly bigint[] = [world.batchId]): Promise<Forecast[]> {
  await judgeProjects(ctx.database, [world]);
  return Promise.all(
    batchIds.map(async (batchId) => (await seen(world, (tx) => forecastOf(tx, batchId))) as Forecast),
  );
}

const inProject = async (world: World) =>
  (await seen(world, (tx) => projectForecastsOf(tx, [world.projectId]))).get(world.projectId) as Forecast;

const asked = (world: World, change: Partial<WhatIf>) =>
  forecastWith(ctx.database, viewerOf(world, 'CUSTOMER'), {
    of: { projectId: world.projectId },
    change: { extraExperts: [], dropTasks: 0, deadline: null, ...change },
  });

/** The first expert decides alone, by a skill of its own; so many decisions wait. */
async function withDecisions(world: World, count: number): Promise<void> {
  await ctx.admin.query(
    `with made as (insert into skills (tenant_id, name) values ($1, 'deciding') returning *),
     proven as (
       insert into expert_skills (tenant_id, expert_id, skill_id, status, quality_mean, quality_lower)
       select tenant_id, $2, id, 'ACTIVE', 0.9, 0.8 from made),
     lane as (insert into lanes (tenant_id, skill_id, min_quality) select tenant_id, id, 0 from made returning *)
     update projects p set adjudication_lane_id = lane.id from lane where p.tenant_id = lane.tenant_id`,
    [world.tenantId, world.experts[0]?.expertId],
  );
  await ctx.admin.query(
    `update tasks set kind = 'ADJUDICATION' where tenant_id = $1 and id in (
       select id from tasks where tenant_id = $1 and state = 'OPEN' order by id limit $2)`,
    [world.tenantId, count],
  );
}

const hoursUntil = (seconds: readonly number[] | undefined, place: number) =>
  (seconds?.[place] ?? Number.NaN) / 3_600;

describe('each skill of a batch’s work', () => {
  test('has when it is done, whether it binds or not, and the whole is done when the last of them is', async () => {
    const world = await worldWithPast(ctx, { tasks: 180, deadlineSeconds: 20 * DAY });
    await withDecisions(world, 150);
    const [forecast] = await judged(world);
    const { capacity, doneBy, computedAt } = forecast as Forecast;
    // 30 tasks are for three experts, 150 decisions of half an hour for the one of 70 hours a week.
    const [tasks, decisions] = capacity?.work ?? [];
    expect(capacity?.work).toHaveLength(2);
    expect(capacity?.skills.map(({ skillId }) => skillId)).toEqual([decisions?.skillId]);
    expect(tasks).toMatchObject({ experts: 3, workHours: expect.closeTo(15, -1) });
    expect(decisions).toMatchObject({ experts: 1, workHours: expect.closeTo(75, -1.3) });
    expect(hoursUntil(tasks?.seconds, 9)).toBeLessThan(4 * 24);
    expect(hoursUntil(decisions?.seconds, 9)).toBeGreaterThan(5 * 24);
    for (const [place, at] of doneBy.entries()) {
      const seconds = ((at?.getTime() ?? Number.NaN) - computedAt.getTime()) / 1_000;
      for (const { seconds: own } of capacity?.work ?? []) {
        expect(own[place]).toBeLessThanOrEqual(seconds + 1);
        expect(own[place]).toBeGreaterThanOrEqual(own[place - 1] ?? 0);
      }
    }
  });

  test('is counted apart from what may be dropped: decisions are no tasks', async () => {
    const world = await worldWithPast(ctx, { tasks: 40, deadlineSeconds: 20 * DAY });
    await withDecisions(world, 10);
    await expect(asked(world, { dropTasks: 30 })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      issues: [{ path: '/with/dropTasks', message: 'Give less than the 30 tasks that are open.' }],
    });
    expect((await asked(world, { dropTasks: 29 }))?.remainingAnswers).toBeGreaterThan(0);
  });
});

describe('a project with several open batches', () => {
  test('is told of the work of all of them, and of what would have all in time', async () => {
    const world = await worldWithPast(ctx, { tasks: 320, deadlineSeconds: 8 * DAY });
    const batchIds = [world.batchId, await makeBatch(ctx.admin, { ...world, tasks: 320 })];
    await judged(world);
    const [one, other] = await judged(world, batchIds);
    const all = await inProject(world);
    const hoursOf = (of: Forecast | undefined) => of?.capacity?.own?.workHours ?? Number.NaN;
    expect(hoursOf(all)).toBeCloseTo(hoursOf(one) + hoursOf(other), 6);
    expect(all.capacity?.total.workHours).toBeCloseTo(hoursOf(all), 6);
    // Of a batch what is due before is others' work, of the project it is its own.
    expect(other?.capacity?.total.othersHours).toBeCloseTo(hoursOf(one), 0);
    expect(all.capacity?.total.othersHours).toBeCloseTo(0, 0);
    expect(all.probabilityOnTime).toBeLessThan(0.2);
    const fixes = all.capacity?.fixes;
    const dropTasks = fixes?.dropTasks ?? 0;
    expect(dropTasks).toBeGreaterThan(0);
    expect((await asked(world, { dropTasks }))?.probabilityOnTime).toBeGreaterThan(0.8);
    expect((await asked(world, { dropTasks: Math.round(dropTasks / 3) }))?.probabilityOnTime).toBeLessThan(
      0.8,
    );
    const hours = fixes?.expertHours[0]?.hours ?? 0;
    const more = [{ count: 4, hoursPerWeek: (hours * 7) / 8 / 4 }];
    expect((await asked(world, { extraExperts: more }))?.probabilityOnTime).toBeGreaterThan(0.8);
    const deadline = new Date(fixes?.safeDeadline ?? Number.NaN);
    expect((await asked(world, { deadline }))?.probabilityOnTime).toBeGreaterThan(0.8);
    // Its one skill is done when the last of its batches is.
    const [skill] = all.capacity?.work ?? [];
    expect(skill?.seconds).toEqual(all.capacity?.together?.seconds.map(Math.round));
  });

  test('is told of all its work where one of them has only decisions left', async () => {
    const world = await worldWithPast(ctx, { tasks: 60, deadlineSeconds: 8 * DAY });
    await withDecisions(world, 60);
    const batchIds = [world.batchId, await makeBatch(ctx.admin, { ...world, tasks: 320 })];
    await judged(world);
    const [one, other] = await judged(world, batchIds);
    // Half an hour each, all of them for one of seventy hours a week.
    const decisions = one?.capacity?.work ?? [];
    expect(decisions).toEqual([
      expect.objectContaining({ experts: 1, workHours: expect.closeTo(30, -1), othersHours: 0 }),
    ]);
    expect(one?.capacity?.own).toMatchObject({ skillId: decisions[0]?.skillId, experts: 1 });
    expect(one?.capacity?.fixes?.dropTasks ?? null).toBeNull();
    expect(hoursUntil(decisions[0]?.seconds, 9)).toBeGreaterThan(48);
    const all = await inProject(world);
    expect(all.capacity?.together?.batches).toBe(2);
    expect(all.doneBy).toHaveLength(19);
    const skillIds = [...decisions, ...(other?.capacity?.work ?? [])].map(({ skillId }) => skillId);
    expect(all.capacity?.work?.map(({ skillId }) => skillId)).toEqual(expect.arrayContaining([skillIds[1]]));
    expect(all.capacity?.total.workHours).toBeGreaterThan(100);
    expect(all.capacity?.fixes?.safeDeadline).toEqual(expect.any(String));
  });

  test('is asked for nothing for one without a deadline, which misses none though it is never done', async () => {
    const world = await worldWithPast(ctx, { tasks: 600 });
    await ctx.admin.query(
      `update batches set deadline = app.clock_now() + interval '8 days' where tenant_id = $1 and id = $2`,
      [world.tenantId, world.batchId],
    );
    const undated = await makeBatch(ctx.admin, { ...world, tasks: 320 });
    // Of each as many answers as there are experts, and two more.
    await ctx.admin.query('update tasks set wanted = 5 where tenant_id = $1 and batch_id = $2', [
      world.tenantId,
      undated,
    ]);
    const [one, never] = await judged(world, [world.batchId, undated]);
    expect(never).toMatchObject({ deadline: null, expectedDoneAt: null });
    const [own, all] = [one?.capacity?.fixes, (await inProject(world)).capacity?.together?.fixes];
    const hoursIn = (fixes: typeof own) => fixes?.expertHours[0]?.hours ?? Number.NaN;
    expect(hoursIn(own)).toBeGreaterThan(10);
    expect(hoursIn(all)).toBeCloseTo(hoursIn(own), 6);
    expect(all?.dropTasks).toBeGreaterThan(0);
  });
});
