import { afterEach, describe, expect, test } from 'vitest';
import { createRisk } from '../../src/jobs/risk.js';
import { scopeOf } from '../../src/services/access/viewer.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { forecastOf, forecastsOf } from '../../src/services/forecast/forecast.js';
import { judgeProjects } from '../../src/services/forecast/risk.js';
import { projectForecastsOf } from '../../src/services/forecast/together.js';
import { withScope } from '../../src/services/platform/database.js';
import { heard, listeningLog, silentLog } from '../live/waiting.js';
import { claim, makeBatch, makeWorld, submit, viewerOf, type World } from '../live/world.js';
import { useTestDb } from '../support/db.js';

const ctx = useTestDb();
const jobs: { stop(): Promise<void> }[] = [];
afterEach(async () => {
  await Promise.all(jobs.splice(0).map((job) => job.stop()));
});

const judge = (world: World) => judgeProjects(ctx.database, [world]);
const asCustomer = <T>(world: World, work: Parameters<typeof withScope<T>>[2]) =>
  withScope(ctx.database, scopeOf(viewerOf(world, 'CUSTOMER')), work);

async function risks(world: World): Promise<string[]> {
  const { rows } = await ctx.admin.query(
    `select kind from stream_events where tenant_id = $1 and stream like 'risk/%' order by id`,
    [world.tenantId],
  );
  return rows.map((row) => row.kind);
}

async function answer(world: World, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world, n), n });
  }
}

describe('the forecast of a batch', () => {
  test('is computed for the customer where none is stored, and read where one is', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 20, experts: 10, deadlineSeconds: 86_400 });
    await ctx.advance(1_800);
    await answer(world, 10);
    const computed = await asCustomer(world, (tx) => forecastOf(tx, world.batchId));
    expect(computed).toMatchObject({ confidence: 'LOW', remainingAnswers: 10 });
    expect(computed?.answersPerHour).toBeCloseTo(20, 1);
    expect(computed?.probabilityOnTime).toBeGreaterThan(0.99);
    await judge(world);
    const stored = await asCustomer(world, (tx) => forecastOf(tx, world.batchId));
    expect(stored).toMatchObject({ remainingAnswers: 10, deadline: computed?.deadline });
    await ctx.advance(10);
    const again = await asCustomer(world, (tx) => forecastOf(tx, world.batchId));
    expect(again).toEqual(stored);
    // Whatever its age in normal work, it is told as it was; nobody has judged for ten minutes: the present rate.
    await ctx.advance(120);
    expect(await asCustomer(world, (tx) => forecastOf(tx, world.batchId))).toEqual(stored);
    await ctx.advance(480);
    const fresh = await asCustomer(world, (tx) => forecastOf(tx, world.batchId));
    expect(fresh?.computedAt.getTime()).toBeGreaterThan(stored?.computedAt.getTime() ?? 0);
  });

  test('is not another customer’s to see, nor an expert’s', async () => {
    const [world, other] = [
      await makeWorld(ctx.admin, { tasks: 3 }),
      await makeWorld(ctx.admin, { tasks: 3 }),
    ];
    await judge(world);
    expect(await asCustomer(other, (tx) => forecastOf(tx, world.batchId))).toBeNull();
    const expert = scopeOf(viewerOf(world, 'EXPERT'));
    expect(await withScope(ctx.database, expert, (tx) => forecastOf(tx, world.batchId))).toBeNull();
  });

  test('of a project adds up its batches', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 4, experts: 2 });
    const second = await makeBatch(ctx.admin, { ...world, tasks: 6 });
    await answer(world, 2);
    const { project, batches } = await asCustomer(world, async (tx) => ({
      project: (await projectForecastsOf(tx, [world.projectId])).get(world.projectId),
      batches: await forecastsOf(tx, [world.batchId, second]),
    }));
    expect(project?.remainingAnswers).toBe(8);
    // Nobody has begun the second batch, and still it has an end, and so has the project, at the rate at which answers come.
    expect(batches.get(second)?.expectedDoneAt).toBeInstanceOf(Date);
    expect(project?.expectedDoneAt).toEqual(batches.get(second)?.expectedDoneAt);
    expect([...batches.values()].map((one) => one.remainingAnswers).toSorted()).toEqual([2, 6]);
  });
});

describe('risk', () => {
  test('is told once when it begins and once when it ends', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 30, experts: 30, deadlineSeconds: 600 });
    await ctx.advance(300);
    await judge(world);
    await judge(world);
    expect(await risks(world)).toEqual(['AT_RISK']);
    await answer(world, 29);
    await judge(world);
    expect(await risks(world)).toEqual(['AT_RISK', 'ON_TRACK']);
  });

  test('of a cancelled project is over', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 5, deadlineSeconds: 1 });
    await ctx.advance(2);
    await judge(world);
    await ctx.admin.query(`select app.cancel_project($1, null, $2, null, 'STOP')`, [
      world.tenantId,
      world.projectId,
    ]);
    await judge(world);
    expect(await risks(world)).toEqual(['AT_RISK', 'ON_TRACK']);
    expect(await asCustomer(world, (tx) => forecastOf(tx, world.batchId))).toBeNull();
  });

  test('is judged by one node at a time', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 5, deadlineSeconds: 1 });
    await ctx.advance(2);
    const outcomes = await Promise.all([1, 2, 3, 4].map(() => judge(world)));
    expect(outcomes).toContain('done');
    expect(await risks(world)).toEqual(['AT_RISK']);
  });

  test('is found by the job without anybody saying anything', async () => {
    const world = await makeWorld(ctx.admin, { tasks: 5, deadlineSeconds: 1 });
    await ctx.advance(2);
    const bus = createLocalBus();
    const judged = heard<void>(
      (l) => bus.onPoke(() => l(undefined)),
      () => true,
    );
    const job = createRisk({ db: ctx.database, bus, log: silentLog });
    job.start();
    jobs.push(job);
    await judged;
    await expect.poll(() => risks(world)).toEqual(['AT_RISK']);
  });

  test('of a project that cannot be judged stops no other project', async () => {
    const [broken, sound] = [
      await makeWorld(ctx.admin, { tasks: 5 }),
      await makeWorld(ctx.admin, { tasks: 5 }),
    ];
    await ctx.admin.query(
      `create function public.refuse() returns trigger language plpgsql as $$ begin raise 'refused'; end $$`,
    );
    await ctx.admin.query(
      `create trigger refuse before insert or update on forecasts for each row when (new.project_id = ${broken.projectId})
       execute function public.refuse()`,
    );
    const { log, said } = listeningLog();
    const job = createRisk({ db: ctx.database, bus: createLocalBus(), log });
    job.start();
    jobs.push(job);
    const storedOf = async ({ projectId }: World) =>
      (await ctx.admin.query('select from forecasts where project_id = $1', [projectId])).rowCount;
    await expect.poll(() => storedOf(sound)).toBe(1);
    expect((await said('risk.not_judged')).projects).toContain(`${broken.tenantId}/${broken.projectId}`);
    await job.stop();
    await ctx.admin.query('drop trigger refuse on forecasts');
    expect(await storedOf(broken)).toBe(0);
    await judge(broken);
    expect(await storedOf(broken)).toBe(1);
  });
});
