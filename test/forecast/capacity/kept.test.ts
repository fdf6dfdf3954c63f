import { describe, expect, test } from 'vitest';
import { scopeOf } from '../../../src/services/access/viewer.js';
import { type Forecast, forecastOf } from '../../../src/services/forecast/forecast.js';
import { judgeProjects } from '../../../src/services/forecast/risk.js';
import { projectForecastsOf } from '../../../src/services/forecast/together.js';
import { forecastWith } from '../../../src/services/forecast/what-if.js';
import { withScope } from '../../../src/services/platform/database.js';
import { makeBatch, viewerOf, type World } from '../../live/world.js';
import { useTestDb } from '../../support/db.js';
import { finishedBefore, worldWithPast } from '../support/past.js';

// What a forecast says once it is stored, and read again.
const ctx = useTestDb();
const DAY = 86_400;

const seen = <T>(world: World, work: Parameters<typeof withScope<T>>[2]) =>
  withScope(ctx.database, scopeOf(viewerOf(world, 'CUSTOMER')), work);

async function judged(world: World): Promise<Forecast> {
  await judgeProjects(ctx.database, [world]);
  return (await seen(world, (tx) => forecastOf(tx, world.batchId))) as Forecast;
}

const inProject = async ({ projectId, ...world }: World) =>
  (await seen({ projectId, ...world }, (tx) => projectForecastsOf(tx, [projectId]))).get(
    projectId,
  ) as Forecast;

/** Batches of the project that have ended as exactly as the hours of experts had said. */
const finished = (world: World, count: number) => finishedBefore(ctx, world, { count });

/** The first expert is proven as none other is; so many decisions wait for such. */
async function withDecisions(world: World, count: number): Promise<void> {
  await ctx.admin.query(
    `update expert_skills set quality_mean = 0.96, quality_lower = case when expert_id = $2 then 0.95 else 0.5 end where tenant_id = $1`,
    [world.tenantId, world.experts[0]?.expertId],
  );
  await ctx.admin.query(
    `with lane as (
       insert into lanes (tenant_id, skill_id, min_quality) select tenant_id, skill_id, 0.8 from lanes where tenant_id = $1 returning *)
     update projects p set adjudication_lane_id = lane.id from lane where p.tenant_id = lane.tenant_id`,
    [world.tenantId],
  );
  await ctx.admin.query(
    `update tasks set kind = 'ADJUDICATION' where tenant_id = $1 and id in (
       select id from tasks where tenant_id = $1 and state = 'OPEN' order by id limit $2)`,
    [world.tenantId, count],
  );
}

describe('a forecast that hangs on one or two experts', () => {
  test('is low and wide whatever has finished', async () => {
    const one = await worldWithPast(ctx, { experts: 1, tasks: 100, deadlineSeconds: 6 * DAY }, [0]);
    const three = await worldWithPast(ctx, { tasks: 300, deadlineSeconds: 6 * DAY });
    await finished(one, 25);
    await finished(three, 25);
    const [few, more] = [await judged(one), await judged(three)];
    expect([few.finished, more.finished]).toEqual([25, 25]);
    expect([few.confidence, more.confidence]).toEqual(['LOW', 'HIGH']);
    const width = ({ doneBy, computedAt }: Forecast) => {
      const at = (place: number) => (doneBy[place]?.getTime() ?? Number.NaN) - computedAt.getTime();
      return at(17) / at(1);
    };
    expect(width(few)).toBeGreaterThan(1.2 * width(more));
  });
});

describe('decisions where answers disagree', () => {
  test('wait for whoever is proven enough, and hold up what others could do', async () => {
    const world = await worldWithPast(ctx, { tasks: 300, deadlineSeconds: 6 * DAY });
    const before = await judged(world);
    expect(before.probabilityOnTime).toBeGreaterThan(0.3);
    await withDecisions(world, 200);
    // Who may do what is read again by then.
    await ctx.advance(20);
    const forecast = await judged(world);
    // 200 half hours for the one of 70 hours a week; the other 100 are for all.
    expect(forecast.capacity?.total).toMatchObject({ experts: 1 });
    expect(forecast.capacity?.total.workHours).toBeGreaterThan(90);
    expect(forecast.probabilityOnTime).toBeLessThan(0.1);
    expect(forecast.confidence).toBe('LOW');
  });
});

describe('what an expert has answered', () => {
  test('they do not decide: where all have, it is never done', async () => {
    const world = await worldWithPast(ctx, { tasks: 30, deadlineSeconds: 6 * DAY });
    await ctx.admin.query('update projects set adjudication_lane_id = lane_id where tenant_id = $1', [
      world.tenantId,
    ]);
    const barring = (experts: readonly unknown[]) =>
      ctx.admin.query(
        `update tasks set kind = 'ADJUDICATION', block = $2::bigint[] where tenant_id = $1 and id in (
           select id from tasks where tenant_id = $1 and state = 'OPEN' order by id limit 4)`,
        [world.tenantId, experts],
      );
    const [first, second, third] = world.experts.map(({ expertId }) => String(expertId));
    await barring([first, second]);
    expect((await judged(world)).probabilityOnTime).toBeGreaterThan(0.9);
    await barring([first, second, third]);
    expect((await judged(world)).probabilityOnTime).toBeLessThan(0.05);
  });
});

describe('batches of one project', () => {
  test('are in time when all are, in the same futures: as likely as what is asked for says', async () => {
    const world = await worldWithPast(ctx, { tasks: 150, deadlineSeconds: 5 * DAY });
    const batchId = await makeBatch(ctx.admin, { ...world, tasks: 80 });
    // (What an answer of the second takes is first seen by the other.)
    await judged(world);
    const first = await judged(world);
    const second = (await seen(world, (tx) => forecastOf(tx, batchId))) as Forecast;
    const all = await inProject(world);
    expect(all.capacity?.together?.batches).toBe(2);
    expect(all.probabilityOnTime).toBeLessThanOrEqual(
      Math.min(first.probabilityOnTime ?? 1, second.probabilityOnTime ?? 1),
    );
    const asked = await forecastWith(ctx.database, viewerOf(world, 'CUSTOMER'), {
      of: { projectId: world.projectId },
      change: { extraExperts: [], dropTasks: 0, deadline: null },
    });
    expect(asked?.probabilityOnTime).toBeCloseTo(all.probabilityOnTime ?? Number.NaN, 1);
  });
});

test('chance, dates and what would fix it are of one forecast', async () => {
  const world = await worldWithPast(ctx, { tasks: 300, deadlineSeconds: 4 * DAY });
  const { probabilityOnTime, doneBy, capacity } = await judged(world);
  expect(probabilityOnTime).toBeLessThan(0.9);
  expect(Date.parse(capacity?.fixes?.safeDeadline ?? '')).toBeGreaterThanOrEqual(
    (doneBy[16] as Date).getTime(),
  );
  expect(Date.parse(capacity?.fixes?.safeDeadline ?? '')).toBeLessThanOrEqual((doneBy[18] as Date).getTime());
  const [own] = capacity?.skills ?? [];
  expect(Math.abs((own?.chance ?? Number.NaN) - (probabilityOnTime ?? Number.NaN))).toBeLessThan(0.15);
});

test('what is opened again is judged by hours at once, and no false alert is raised', async () => {
  const world = await worldWithPast(ctx, { tasks: 5, deadlineSeconds: 30 * DAY });
  const set = (change: string) =>
    ctx.admin.query(`update tasks set ${change} where tenant_id = $1 and batch_id = $2 and line <= 5`, [
      world.tenantId,
      world.batchId,
    ]);
  await set(`state = 'DONE', counted = wanted, done_at = app.clock_now()`);
  expect((await judged(world)).remainingAnswers).toBe(0);
  await ctx.advance(DAY);
  await set(`wanted = 2, state = 'OPEN', done_at = null`);
  const again = await judged(world);
  expect(again.remainingAnswers).toBeGreaterThan(0);
  expect(again.capacity).not.toBeNull();
  const told = await ctx.admin.query(`select from stream_events where tenant_id = $1 and kind = 'AT_RISK'`, [
    world.tenantId,
  ]);
  expect(told.rowCount).toBe(0);
});

test('dropping tasks that all have nearly answered makes a deadline no less likely', async () => {
  const world = await worldWithPast(ctx, { tasks: 60, deadlineSeconds: 6 * DAY });
  await ctx.admin.query(
    `with made as (
       insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
                                lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
       select t.tenant_id, t.id, e.id, t.project_id, t.batch_id, t.customer_id, 1, s, 3, 0, 'ACCEPTED', 1, 3600, c.now - interval '10 minutes', c.now + interval '1 second',
              c.now + interval '1 second', c.now, c.now, 1, 'EUR'
       from (select app.clock_now() as now) c, tasks t, generate_series(1, 2) s
       join lateral (select ($2::bigint[])[1 + (t.line + s) % 3] as id) e on true
       where t.tenant_id = $1 and t.state = 'OPEN' returning task_id)
     update tasks set wanted = 3, counted = 2 where tenant_id = $1 and id in (select task_id from made)`,
    [world.tenantId, world.experts.map(({ expertId }) => expertId)],
  );
  await judged(world);
  const asked = async (dropTasks: number) =>
    (await forecastWith(ctx.database, viewerOf(world, 'OPERATOR'), {
      of: { projectId: world.projectId },
      change: { extraExperts: [], dropTasks, deadline: null },
    })) as Forecast;
  const [whole, less] = [await asked(0), await asked(40)];
  expect(whole.probabilityOnTime).toBeGreaterThan(0.9);
  expect(less.probabilityOnTime).toBeGreaterThanOrEqual((whole.probabilityOnTime ?? 1) - 0.01);
});
