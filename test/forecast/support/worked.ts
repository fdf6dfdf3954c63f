import { scopeOf } from '../../../src/services/access/viewer.js';
import { judgeProjects } from '../../../src/services/forecast/risk.js';
import { withScope } from '../../../src/services/platform/database.js';
import { claim, makeBatch, makeWorld, submit, viewerOf, type World } from '../../live/world.js';
import type { useTestDb } from '../../support/db.js';

export const TASKS = 20;

/** Batches that are worked on and forecast as they go, and what is kept of that. */
export function workOf(ctx: ReturnType<typeof useTestDb>) {
  const judge = (world: World) => judgeProjects(ctx.database, [world]);
  const asCustomer = <T>(world: World, work: Parameters<typeof withScope<T>>[2]) =>
    withScope(ctx.database, scopeOf(viewerOf(world, 'CUSTOMER')), work);
  const rowsOf = async (text: string, values: readonly unknown[]) =>
    (await ctx.admin.query(text, [...values])).rows;

  /** Answers that many tasks, one after the other, each so many seconds after the one before; forecasts after each. */
  async function work(world: World, count: number, seconds: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      const expert = n % world.experts.length;
      const held = await claim(ctx.database.appPool, world, expert);
      await ctx.advance(seconds);
      await submit(ctx.database.appPool, world, { held, n: expert });
      await judge(world);
    }
  }

  /** A project with that many batches that have ended, 20 tasks each: half a minute for each of ten, then three times as long. */
  async function withHistory(batches: number, options: { deadlineSeconds?: number } = {}): Promise<World> {
    const world = await makeWorld(ctx.admin, { tasks: TASKS, experts: 3, leaseSeconds: 3_600, ...options });
    for (let n = 0; n < batches; n += 1) {
      if (n > 0) {
        await makeBatch(ctx.admin, { ...world, tasks: TASKS });
      }
      await work(world, 10, 30);
      await work(world, 10, 90);
    }
    return world;
  }

  const logOf = (world: World) =>
    rowsOf(
      `select l.share, l.finished, l.seconds, l.deadline, l.probability, l.at_risk, l.made_at, l.ended_at, l.crps_seconds, l.pinball_seconds,
              l.brier, l.held, l.after_median
       from forecast_log l where l.tenant_id = $1 order by l.id`,
      [world.tenantId],
    );
  return { asCustomer, judge, logOf, rowsOf, withHistory, work };
}
