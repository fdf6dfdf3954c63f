import { describe, expect, test } from 'vitest';
import { scopeOf } from '../../../src/services/access/viewer.js';
import type { ExpertSupply } from '../../../src/services/forecast/capacity/presence.js';
import { presenceOf } from '../../../src/services/forecast/capacity/presence.js';
import { forecastOf } from '../../../src/services/forecast/forecast.js';
import { judgeProjects } from '../../../src/services/forecast/risk.js';
import { forecastWith } from '../../../src/services/forecast/what-if.js';
import { withScope } from '../../../src/services/platform/database.js';
import { randomOf } from '../../../src/services/platform/random.js';
import { viewerOf, type World } from '../../live/world.js';
import { useTestDb } from '../../support/db.js';
import { hoursOf } from '../support/even-hours.js';
import { worldWithPast } from '../support/past.js';

// Who is at a job is not at the desk.
const ctx = useTestDb();
const DAY = 86_400;
const WEEK = 168;

/** Jobs of one day each, on the days from now on, of the first customer; whoever goes has left a quarter of the day before. */
async function jobs(
  world: World,
  { expert, days, state }: { expert: number; days: number; state: 'ACCEPTED' | 'WITHDRAWN' },
): Promise<void> {
  const expertId = world.experts[expert]?.expertId;
  await ctx.admin.query(
    `insert into workers (tenant_id, expert_id, shift_days, shift_start, shift_end, home_latitude, home_longitude, travels)
     values ($1, $2, '{1,2,3,4,5,6,7}', '00:00', '00:00', 42.5, 1.5, true) on conflict do nothing`,
    [world.tenantId, expertId],
  );
  await ctx.admin.query(
    `with job as (
       insert into jobs (tenant_id, customer_id, kind, type, skill_ids, min_quality, latitude, longitude, not_before, due_by, duration_seconds,
                         priority, check_in_code, idempotency_key, request_digest)
       select $1, $2, 'SCHEDULED', 'Survey', '{}', 0, 42.5, 1.5, app.clock_now() + n * interval '1 day', app.clock_now() + n * interval '1 day',
              64800, 5, '123456', gen_random_uuid()::text, 'd'
       from generate_series(0, $4::int - 1) n returning *)
     insert into offers (tenant_id, job_id, expert_id, epoch, kind, state, occupies, offered_at, expires_at, accepted_at, accepted_day, ended_at,
                         busy, slot, eta_seconds, eta_road_seconds, eta_low_seconds, eta_high_seconds, eta_confidence, actor_id, reason)
     select tenant_id, id, $3, 1, 'MANUAL', $5, false, app.clock_now(), app.clock_now(), app.clock_now(), current_date,
            case when $5 <> 'ACCEPTED' then app.clock_now() end, tstzrange(not_before, not_before + interval '1 day'), 1, 21600, 21600, 21600, 21600,
            'MANUAL', 1, 'sent' from job`,
    [world.tenantId, world.customerId, expertId, days, state],
  );
}

const judged = async (world: World) => {
  await judgeProjects(ctx.database, [world]);
  return withScope(ctx.database, scopeOf(viewerOf(world, 'OPERATOR')), (tx) => forecastOf(tx, world.batchId));
};

describe('accepted jobs', () => {
  test('are taken from the hours of the expert who accepted them, with the way there, and from nobody else’s', async () => {
    const world = await worldWithPast(ctx, { tasks: 200, deadlineSeconds: 4 * DAY });
    const before = await judged(world);
    expect(before?.capacity?.total.hoursAWeek).toBeGreaterThan(185);
    await jobs(world, { expert: 0, days: 7, state: 'ACCEPTED' });
    await jobs(world, { expert: 1, days: 7, state: 'WITHDRAWN' });
    // Jobs are read again by then.
    await ctx.advance(61);
    const beside = await judged(world);
    // Of three who work 70 hours a week two are left for seven days: a day of a job takes the whole of one's.
    expect(beside?.capacity?.total.hoursAWeek).toBeGreaterThan(115);
    expect(beside?.capacity?.total.hoursAWeek).toBeLessThan(150);
    expect(beside?.capacity?.total.experts).toBe(3);
    expect(beside?.probabilityOnTime).toBeLessThan((before?.probabilityOnTime ?? 0) - 0.2);
    // Whoever asks what would be is told of the same hours.
    const asked = await forecastWith(ctx.database, viewerOf(world, 'CUSTOMER'), {
      of: { batchId: world.batchId },
      change: { extraExperts: [], dropTasks: 0, deadline: null },
    });
    expect(asked?.capacity?.total.hoursAWeek).toBeCloseTo(
      beside?.capacity?.total.hoursAWeek ?? Number.NaN,
      0,
    );
  });

  test('are left out hour by hour, across weeks, and the hours after them are as they were', () => {
    const even = hoursOf([0], 42);
    const moments = Float64Array.from({ length: 3 * WEEK }, (_, n) => n + 1);
    const drawn = (elsewhere: ExpertSupply['elsewhere']) => {
      const into = new Float64Array(moments.length);
      const presence = presenceOf([{ ...even, elsewhere, isPromised: true }], { moments, since: 0 });
      presence.draw(0, { random: randomOf(1, 'jobs'), common: undefined }, into);
      return into;
    };
    const [free, busy] = [
      drawn(undefined),
      drawn([
        { from: -3, to: 2 },
        { from: 10.5, to: 12 },
        { from: WEEK - 4, to: WEEK + 4 },
      ]),
    ];
    const lost = (at: number) => (free[at - 1] ?? 0) - (busy[at - 1] ?? 0);
    // A quarter of each hour is worked.
    expect([1, 2, 10, 11, 12, 100, WEEK, WEEK + 4, WEEK + 5, 3 * WEEK].map(lost)).toEqual(
      [0.25, 0.5, 0.5, 0.625, 0.875, 0.875, 1.875, 2.875, 2.875, 2.875].map((hours) =>
        expect.closeTo(hours, 6),
      ),
    );
  });
});
