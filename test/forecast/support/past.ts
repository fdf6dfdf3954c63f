import { foldHours } from '../../../src/services/forecast/capacity/hours.js';
import { makeWorld, type World, type WorldOptions } from '../../live/world.js';
import type { useTestDb } from '../../support/db.js';

type TestDb = ReturnType<typeof useTestDb>;

const HOUR_MS = 3_600_000;

export const foldAll = ({ database }: TestDb, answers = 2_000): Promise<number> =>
  foldHours(database, { batches: 500, answers });

export const clockOf = async ({ admin }: TestDb): Promise<Date> =>
  (await admin.query('select app.clock_now()::timestamptz(3) as now')).rows[0].now;

/** Answers of a batch that is done: an expert from one time to another, so many of equal length. */
export async function workedIn(
  { admin }: TestDb,
  world: World,
  { expert, from, to, answers }: { expert: number; from: Date; to: Date; answers: number },
) {
  await admin.query(
    `with made as (
       insert into tasks (tenant_id, project_id, batch_id, customer_id, line, payload_key, payload_bytes, content_type, wanted, counted, state, done_at)
       select $1, $2, $3, $4, coalesce((select max(line) from tasks where tenant_id = $1 and batch_id = $3), 0) + n, 'k', 1, 'text/plain', 1, 1, 'DONE', $6
       from generate_series(1, $8::int) n returning tenant_id, id, project_id, batch_id, customer_id, line)
     insert into assignments (tenant_id, task_id, expert_id, project_id, batch_id, customer_id, lane_id, slot, wanted, tag, state, epoch,
                              lease_seconds, leased_at, lease_until, hold_until, submitted_at, ended_at, price_minor, currency)
     select m.tenant_id, m.id, $5, m.project_id, m.batch_id, m.customer_id, 1, 1, 1, 0, 'ACCEPTED', 1, 28800, s.begun, s.ended + interval '1 second',
            s.ended + interval '1 second', s.ended, s.ended, 1, 'EUR'
     from (select m.*, row_number() over (order by m.line) - 1 as n from made m) m
     cross join lateral (select $6::timestamptz + ($7::timestamptz - $6::timestamptz) * m.n / $8::int as begun,
                                $6::timestamptz + ($7::timestamptz - $6::timestamptz) * (m.n + 1) / $8::int as ended) s`,
    [
      world.tenantId,
      world.projectId,
      world.batchId,
      world.customerId,
      world.experts[expert]?.expertId,
      from,
      to,
      answers,
    ],
  );
}

/** Each expert ten hours a day, from eight weeks ago to yesterday; tasks are open. */
export async function worldWithPast(
  ctx: TestDb,
  options: WorldOptions,
  experts: readonly number[] = [0, 1, 2],
): Promise<World> {
  const world = await makeWorld(ctx.admin, { experts: 3, tasks: 400, leaseSeconds: 3_600, ...options });
  const now = await clockOf(ctx);
  await ctx.admin.query(
    `update experts set created_at = $2::timestamptz - interval '60 days' where tenant_id = $1`,
    [world.tenantId, now],
  );
  for (const expert of experts) {
    for (let day = 1; day <= 56; day += 1) {
      const from = new Date(now.getTime() - day * 24 * HOUR_MS);
      await workedIn(ctx, world, { expert, from, to: new Date(from.getTime() + 10 * HOUR_MS), answers: 20 });
    }
  }
  while ((await foldAll(ctx)) > 0) {
    // Until nothing is left.
  }
  return world;
}

/** Batches of the project that have ended, and how they went from each share of their answers on. */
export interface Went {
  readonly count: number;
  /** As they were then: answers that were left, and seconds since they had begun. */
  readonly remaining?: number;
  readonly elapsedSeconds?: number;
  /** What was left took so long; and what the hours of experts had said of it: null where they were not known. */
  readonly seconds?: number;
  readonly capacitySeconds?: number | null;
}

/** Keeps such batches, of 20 answers where nothing else is said, that took exactly as long as the hours of experts had said. */
export const finishedBefore = (
  { admin }: TestDb,
  world: World,
  { count, remaining = 10, elapsedSeconds = 1_000, seconds = 86_400, ...went }: Went,
) =>
  admin.query(
    `with made as (
       insert into batches (tenant_id, project_id, customer_id, name, state, format, raw_key, raw_bytes, rows_done, task_count, idempotency_key,
                            content_digest, stored_at)
       select b.tenant_id, b.project_id, b.customer_id, 'past', 'OPEN', b.format, b.raw_key, b.raw_bytes, 1, 1, 'past ' || n, 'd',
              app.clock_now() - interval '99 days'
       from batches b, generate_series(1, $3::int) n where b.tenant_id = $1 and b.id = $2 returning *),
     marks as (
       insert into forecast_marks (tenant_id, batch_id, share, customer_id, at, elapsed_seconds, answers, remaining, capacity_seconds)
       select tenant_id, id, s, customer_id, app.clock_now() - interval '4 days' - make_interval(secs => $4), $5, 10, $6, $7
       from made, generate_series(5, 95, 5) s)
     insert into forecasts (tenant_id, batch_id, project_id, customer_id, computed_at, remaining, answers, answers_per_hour, at_risk, finished,
                            ended_at)
     select tenant_id, id, project_id, customer_id, app.clock_now(), 0, 20, 0, false, 0, app.clock_now() - interval '4 days' from made`,
    [
      world.tenantId,
      world.batchId,
      count,
      seconds,
      elapsedSeconds,
      remaining,
      went.capacitySeconds === undefined ? seconds : went.capacitySeconds,
    ],
  );
