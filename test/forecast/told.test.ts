import { describe, expect, test } from 'vitest';
import type { Forecast } from '../../src/services/forecast/forecast.js';
import { judgeProjects } from '../../src/services/forecast/risk.js';
import { together } from '../../src/services/forecast/together.js';
import { isNews, toldOf } from '../../src/services/forecast/told.js';
import { claim, makeWorld, submit, type World } from '../live/world.js';
import { useTestDb } from '../support/db.js';

// When subscribers are told of a forecast anew.
const ctx = useTestDb();

const NOW = new Date('2026-01-01T00:00:00Z');
const inMinutes = (minutes: number) => new Date(NOW.getTime() + minutes * 60_000);
const forecast = (of: Partial<Forecast> = {}): Forecast => ({
  confidence: 'LOW',
  finished: 0,
  remainingAnswers: 50,
  answersPerHour: 20,
  observed: 20,
  windowSeconds: 3_600,
  expectedDoneAt: inMinutes(200),
  doneBy: Array.from({ length: 19 }, () => inMinutes(200)),
  deadline: inMinutes(300),
  probabilityOnTime: 0.9,
  capacity: null,
  computedAt: NOW,
  ...of,
});
const isTold = (of: Partial<Forecast>) => isNews({ told: toldOf(forecast()), now: NOW }, forecast(of));

describe('news of a forecast', () => {
  test('is what has moved since it was told, by however little at a time', () => {
    expect(isTold({})).toBe(false);
    expect(isTold({ probabilityOnTime: 0.895, expectedDoneAt: inMinutes(205) })).toBe(false);
    expect(isTold({ probabilityOnTime: 0.889 })).toBe(true);
    expect(isTold({ expectedDoneAt: inMinutes(215) })).toBe(true);
  });

  test('is another deadline, and that nothing can be said any more', () => {
    expect(isTold({ deadline: inMinutes(301) })).toBe(true);
    expect(isTold({ deadline: null })).toBe(true);
    expect(isTold({ expectedDoneAt: null })).toBe(true);
    expect(isTold({ remainingAnswers: 49 })).toBe(true);
  });
});

const times = async ({ tenantId }: World) =>
  (await ctx.admin.query(`select from stream_events where tenant_id = $1 and kind = 'COMPUTED'`, [tenantId]))
    .rowCount;

test('what was judged since is no matter to what subscribers were told', async () => {
  const world = await makeWorld(ctx.admin, { tasks: 20, experts: 6, deadlineSeconds: 86_400 });
  await ctx.advance(1_800);
  for (let n = 0; n < 5; n += 1) {
    await submit(ctx.database.appPool, world, { held: await claim(ctx.database.appPool, world, n), n });
  }
  const judge = () => judgeProjects(ctx.database, [world]);
  await judge();
  await judge();
  expect(await times(world)).toBe(1);
  // As if it had fallen by little each time: what is stored is what was judged last.
  const set = (what: string) =>
    ctx.admin.query(`update forecasts set ${what} where tenant_id = $1`, [world.tenantId]);
  await set(`probability_on_time = .5`);
  await judge();
  expect(await times(world)).toBe(1);
  await set(`told = jsonb_set(told, '{probability}', '0.5')`);
  await judge();
  await judge();
  expect(await times(world)).toBe(2);
});

test('two answers of a moment are not hundreds of an hour, where several batches are taken together', () => {
  const silent = {
    observed: 0,
    answersPerHour: 0,
    expectedDoneAt: null,
    doneBy: [],
    probabilityOnTime: null,
  };
  const whole = (of: Partial<Forecast>) => together([forecast(of), forecast(silent)]);
  const widthOf = ({ doneBy = [] }: Partial<Forecast> = {}) =>
    ((doneBy[17]?.getTime() ?? 0) - NOW.getTime()) / ((doneBy[1]?.getTime() ?? 0) - NOW.getTime());
  const [glance, look] = [{ observed: 2, windowSeconds: 20 }, { observed: 360 }].map((of) =>
    widthOf(whole({ ...of, answersPerHour: 360 }) ?? {}),
  );
  expect(glance).toBeGreaterThan(1.3 * (look ?? Number.NaN));
});
