import { expect, test } from 'vitest';
import { z } from 'zod';
import { Prisma } from '../../../src/generated/prisma/client.js';
import {
  type Barred,
  barredOf,
  type OpenTasks,
} from '../../../src/services/forecast/capacity/answered.sql.js';
import { withSystem } from '../../../src/services/platform/database.js';
import { one, type Queryable } from '../../../src/services/platform/rows.js';
import { makeWorld, type World } from '../../live/world.js';
import { useTestDb } from '../../support/db.js';

// How much is read to see who has answered what, however much is open.
const ctx = useTestDb();
const TASKS = 26_000;

/** A third of the tasks has an answer of the first expert; the second may not see every other one of so many adjudications. */
async function begun(adjudications: number): Promise<World> {
  const world = await makeWorld(ctx.admin, { experts: 2, tasks: TASKS });
  const [first, second] = world.experts.map(({ expertId }) => expertId);
  await ctx.admin.query(
    `update tasks set kind = 'ADJUDICATION', block = case when line % 2 = 0 then array[$2::bigint] end where tenant_id = $1 and line <= $3`,
    [world.tenantId, second, adjudications],
  );
  await ctx.admin.query(
    `insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
                              lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
     select t.tenant_id, t.id, $2, t.project_id, t.batch_id, t.customer_id, 1, 1, 2, 0, 'ACCEPTED', 1, 3600, c.now - interval '1 minute', c.now + interval '1 second',
            c.now + interval '1 second', c.now, c.now, 1, 'EUR'
     from (select app.clock_now() as now) c, tasks t where t.tenant_id = $1 and t.kind = 'WORK' and t.line % 3 = 0`,
    [world.tenantId, first],
  );
  await ctx.admin.query('analyze tasks, assignments');
  return world;
}

const readOf = async (tx: Queryable): Promise<number> =>
  (
    await one(
      tx,
      z.object({ rows: z.coerce.number() }),
      Prisma.sql`select seq_tup_read + idx_tup_fetch as rows from pg_stat_xact_user_tables where relname = 'tasks'`,
    )
  ).rows;

/** Who is barred, and how many rows of tasks were read for that. */
const looked = (world: World, open: Omit<OpenTasks, 'batchId'>): Promise<{ barred: Barred; rows: number }> =>
  withSystem(ctx.database, async (tx) => {
    const before = await readOf(tx);
    const found = await barredOf(tx, world.tenantId, [{ batchId: world.batchId, ...open }]);
    return { barred: found.get(world.batchId) as Barred, rows: (await readOf(tx)) - before };
  });

test('of a batch of very many tasks no more is read than of one of some thousand, and as much is seen', async () => {
  const world = await begun(6_000);
  const [first, second] = world.experts.map(({ expertId }) => expertId);
  const { barred, rows } = await looked(world, { tasks: TASKS - 6_000, adjudications: 6_000 });
  // Five thousand lines, and as many adjudications.
  expect(rows).toBeLessThan(12_000);
  expect((barred.work.get(first as bigint) ?? 0) / ((TASKS - 6_000) / 3)).toBeCloseTo(1, 0.8);
  expect(barred.work.get(second as bigint)).toBeUndefined();
  expect((barred.adjudication.get(second as bigint) ?? 0) / 3_000).toBeCloseTo(1, 1);
  // Of what is nearly done all is known exactly.
  await ctx.admin.query(
    `update tasks set state = 'DONE', counted = wanted, done_at = app.clock_now() where tenant_id = $1 and line > 6100`,
    [world.tenantId],
  );
  await ctx.admin.query(`update tasks set state = 'CANCELLED' where tenant_id = $1 and line <= 5900`, [
    world.tenantId,
  ]);
  // Whatever was thought of how many are open.
  const last = await looked(world, { tasks: 100, adjudications: 100 });
  expect(last.rows).toBeLessThan(1_000);
  expect(last.barred.work.get(first as bigint)).toBe(33);
  expect(last.barred.adjudication.get(second as bigint)).toBe(50);
});
