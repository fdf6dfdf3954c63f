import { describe, expect, test } from 'vitest';
import { scopeOf } from '../../src/services/access/viewer.js';
import { computeForecast, forecastsOf } from '../../src/services/forecast/forecast.js';
import { pacesOf } from '../../src/services/forecast/pace.js';
import { judgeProjects } from '../../src/services/forecast/risk.js';
import { projectForecastsOf, together } from '../../src/services/forecast/together.js';
import { withScope } from '../../src/services/platform/database.js';
import { claim, makeBatch, makeWorld, submit, viewerOf, type World } from '../live/world.js';
import { useTestDb } from '../support/db.js';

// A batch that waits its turn while others of its project are worked on.
const ctx = useTestDb();

const NOW = new Date('2026-01-01T00:00:00Z');
const inHours = (hours: number) => new Date(NOW.getTime() + hours * 3_600_000);
const batch = (batchId: bigint, of: object = {}) => ({
  tenantId: 1n,
  projectId: 2n,
  batchId,
  remaining: 100,
  observed: 0,
  windowSeconds: 3_600,
  answers: 0,
  elapsedSeconds: 7_200,
  deadline: inHours(6) as Date | null,
  lastAnswerAt: null,
  now: NOW,
  ...of,
});

const answer = async (world: World, count: number, first = 0) => {
  for (let n = first; n < first + count; n++) {
    await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world, n), n });
  }
};

const atRisk = async ({ tenantId }: World) =>
  (
    await ctx.admin.query(
      `select body ->> 'batchId' as batch from stream_events where tenant_id = $1 and stream like 'risk/%' and kind = 'AT_RISK'`,
      [tenantId],
    )
  ).rows.map((row) => BigInt(row.batch));

describe('a batch of which nothing came in', () => {
  test('goes by what comes in of its project, once what is due no later is done', () => {
    const [busy, waiting] = [batch(1n, { observed: 120, answers: 120 }), batch(2n)];
    const paces = pacesOf([busy, waiting]);
    expect([...paces]).toEqual([[2n, { remaining: 200, observed: 120, windowSeconds: 3_600 }]]);
    const [first, second] = [busy, waiting].map((one) =>
      computeForecast(one, undefined, paces.get(one.batchId)),
    );
    expect(second?.forecast.probabilityOnTime).toBeGreaterThan(0.5);
    expect(second?.forecast.expectedDoneAt).toBeInstanceOf(Date);
    const whole = together([first?.forecast, second?.forecast].flatMap((one) => one ?? []));
    expect(whole?.probabilityOnTime).toBe(second?.forecast.probabilityOnTime);
    expect(whole?.expectedDoneAt).toEqual(second?.forecast.expectedDoneAt);
  });

  test('has what is due later, or without a deadline, behind it, and no other project beside it', () => {
    const paces = pacesOf([
      batch(1n, { observed: 50, deadline: inHours(9) }),
      batch(2n),
      batch(3n, { deadline: null }),
      batch(4n, { projectId: 5n }),
    ]);
    const left = [...paces].map(([id, { remaining }]) => [id, remaining]);
    expect(left).toEqual([
      [2n, 100],
      [3n, 300],
    ]);
  });
});

test('a project says dates and chance of one sample also where one of its batches has none', () => {
  const [busy, silent] = [batch(1n, { observed: 120 }), batch(2n, { remaining: 20 })].map(
    (one) => computeForecast(one).forecast,
  );
  const whole = together([busy, silent].flatMap((one) => one ?? []));
  expect(silent?.doneBy).toEqual([]);
  expect(whole?.expectedDoneAt?.getTime()).toBeLessThan(inHours(3).getTime());
  expect(whole?.probabilityOnTime).toBeGreaterThan(0.5);
});

test('no batch is at risk because its turn has not come, nor as it comes', async () => {
  const world = await makeWorld(ctx.admin, { tasks: 8, experts: 12, deadlineSeconds: 7 * 86_400 });
  const second = await makeBatch(ctx.admin, { ...world, tasks: 4 });
  await ctx.advance(120);
  await answer(world, 6);
  await judgeProjects(ctx.database, [world]);
  const told = () =>
    withScope(ctx.database, scopeOf(viewerOf(world, 'CUSTOMER')), async (tx) => ({
      second: (await forecastsOf(tx, [second])).get(second),
      whole: (await projectForecastsOf(tx, [world.projectId])).get(world.projectId),
    }));
  const before = await told();
  expect(before.second?.expectedDoneAt).toBeInstanceOf(Date);
  expect(before.second?.probabilityOnTime).toBeGreaterThan(0.9);
  expect(before.whole?.probabilityOnTime).toBeGreaterThan(0.9);
  // The first is done and seen so, and nobody has begun the second yet.
  await answer(world, 2, 6);
  await judgeProjects(ctx.database, [world]);
  await ctx.advance(30);
  await judgeProjects(ctx.database, [world]);
  expect((await told()).second?.probabilityOnTime).toBeGreaterThan(0.9);
  // Nor where nobody has judged for long.
  await ctx.advance(700);
  expect((await told()).second?.probabilityOnTime).toBeGreaterThan(0.9);
  expect(await atRisk(world)).toEqual([]);
});
