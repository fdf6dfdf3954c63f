import { expect, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import { risksOfProject } from '../../src/services/forecast/risk.js';
import { projectForecastsOf } from '../../src/services/forecast/together.js';
import { withScope } from '../../src/services/platform/database.js';
import { makeWorld, viewerOf, type World } from '../live/world.js';
import { useTestDb } from '../support/db.js';

// How much of a project is read for its forecast, whatever it has had.
const ctx = useTestDb();

interface Many {
  readonly batches: number;
  /** One answer is left of each. */
  readonly isOpen: boolean;
  readonly atRisk?: number;
}

/** So many batches with a forecast, the first so many at risk; all that are open are done in an hour. */
const many = (world: World, { batches, isOpen, atRisk = 0 }: Many) =>
  ctx.admin.query(
    `with made as (
       insert into batches (tenant_id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count, idempotency_key,
                            content_digest, stored_at)
       select $1, $2, $3, 'many', 'OPEN', 'JSONL', 'raw', 1, 1, 1, gen_random_uuid()::text, 'd', app.clock_now()
       from generate_series(1, $4::int) returning *),
     placed as (select m.*, row_number() over (order by m.id) as n from made m),
     open as (
       insert into open_batches (tenant_id, project_id, batch_id, customer_id, moves)
       select tenant_id, project_id, id, customer_id, 1 from made where $5::boolean)
     insert into forecasts (tenant_id, batch_id, project_id, customer_id, computed_at, remaining, answers_per_hour, expected_done_at, deadline,
                            probability_on_time, at_risk, seconds, capacity)
     select tenant_id, id, project_id, customer_id, app.clock_now(), case when $5 then 1 else 0 end, 2, app.clock_now(),
            app.clock_now() + n * interval '1 second', .5, n <= $6::int, array_fill(3600::float8, array[19]),
            jsonb_build_object('total', f.figures, 'skills', '[]'::jsonb, 'availableHours', 1, 'fixes', null, 'medianSeconds', 1, 'together',
              jsonb_build_object('batches', $4::int, 'seconds', array_fill(7200, array[19]), 'chance', .25))
     from placed cross join (select jsonb_build_object('experts', 1, 'hoursAWeek', 1, 'hoursByDeadline', 1, 'workHours', 1, 'othersHours', 1) as figures) f`,
    [world.tenantId, world.projectId, world.customerId, batches, isOpen, atRisk],
  );

const forecastOf = (world: World) =>
  withScope(ctx.database, scopeOf(viewerOf(world, 'CUSTOMER')), async (tx) =>
    (await projectForecastsOf(tx, [world.projectId])).get(world.projectId),
  );

test('the risk of a project is that of what is open or at risk, and of its latest batches', async () => {
  const world = await makeWorld(ctx.admin);
  await many(world, { batches: 130, isOpen: false, atRisk: 3 });
  await many(world, { batches: 20, isOpen: true });
  const risks = await risksOfProject(ctx.database, viewerOf(world, 'CUSTOMER'), world.projectId);
  // A hundred are the latest, of which twenty are open; three more are at risk.
  expect(risks).toHaveLength(103);
  expect(risks.filter(({ atRisk }) => atRisk)).toHaveLength(3);
});

test('what more than a thousand open batches come to is told of all of them', async () => {
  const world = await makeWorld(ctx.admin);
  await many(world, { batches: 1_130, isOpen: true });
  const forecast = await forecastOf(world);
  expect(forecast).toMatchObject({ remainingAnswers: 1_130, answersPerHour: 2_260, probabilityOnTime: 0.25 });
  expect((forecast?.expectedDoneAt?.getTime() ?? 0) - (forecast?.computedAt.getTime() ?? 0)).toBe(7_200_000);
  expect((forecast?.deadline?.getTime() ?? 0) - (forecast?.computedAt.getTime() ?? 0)).toBe(1_130_000);
});

test('and where nobody’s hours are known, by whoever works on any of them', async () => {
  const world = await makeWorld(ctx.admin);
  await many(world, { batches: 1_130, isOpen: true });
  // Of one nothing can be said, for nobody works on it.
  await ctx.admin.query(
    'insert into open_batches (tenant_id, project_id, batch_id, customer_id, moves) values ($1, $2, $3, $4, 1)',
    [world.tenantId, world.projectId, world.batchId, world.customerId],
  );
  // Of one ten answers came in of late. Those that are not shown are large, and one of them is hardly in time.
  await ctx.admin.query(
    `update forecasts f set capacity = null, window_seconds = 3600,
            deadline = app.clock_now() + interval '90 days', observed = case when n = 1 then 10 else 0 end,
            remaining = case when n between 1000 and 1030 then 100 else 1 end, probability_on_time = case n when 1010 then .01 else .5 end
     from (select batch_id, row_number() over (order by batch_id) as n from forecasts where tenant_id = $1) o
     where f.tenant_id = $1 and f.batch_id = o.batch_id`,
    [world.tenantId],
  );
  const forecast = await forecastOf(world);
  expect(forecast).toMatchObject({ remainingAnswers: 4_199, probabilityOnTime: 0.01 });
  // At ten an hour, whatever else is made of that; those that are shown take a hundred and ten hours.
  const hours =
    ((forecast?.expectedDoneAt?.getTime() ?? 0) - (forecast?.computedAt.getTime() ?? 0)) / 3_600_000;
  expect(hours).toBeGreaterThan(400);
});
