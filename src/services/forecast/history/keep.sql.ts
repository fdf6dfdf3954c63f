import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable, run } from '../../platform/rows.js';
import { type Judged, jsonOf } from '../forecast.sql.js';

const Id = z.coerce.bigint();

/** A forecast that is to be held to account. */
export type Logged = Judged & { readonly share: number };

const batchColumns = Prisma.sql`"tenantId" bigint, "batchId" bigint`;

const MarkedRow = z.object({ batchId: Id });

/** Keeps how far batches are, each at the twentieth that it has passed. Returns those that had not been seen past it. */
export const markProgress = (
  db: Queryable,
  judged: readonly Logged[],
): Promise<z.infer<typeof MarkedRow>[]> =>
  many(
    db,
    MarkedRow,
    Prisma.sql`
      insert into forecast_marks (tenant_id, batch_id, share, customer_id, at, elapsed_seconds, answers, remaining, capacity_seconds, capacity_spread)
      select j."tenantId", j."batchId", j.share, j."customerId", j.now, j."elapsedSeconds", j.answers, j.remaining,
             (j.capacity ->> 'medianSeconds')::float8, (j.capacity ->> 'medianSpread')::float8
      from jsonb_to_recordset(${jsonOf(judged)}::jsonb) as j(${batchColumns}, share smallint, "customerId" bigint, now timestamptz,
        "elapsedSeconds" float8, answers bigint, remaining bigint, capacity jsonb)
      on conflict do nothing returning batch_id as "batchId"`,
  );

/** Logs forecasts. */
export const logForecasts = (db: Queryable, logged: readonly Logged[]): Promise<void> =>
  run(
    db,
    Prisma.sql`
      insert into forecast_log (tenant_id, batch_id, project_id, customer_id, made_at, share, finished, seconds, deadline, probability, at_risk)
      select j."tenantId", j."batchId", j."projectId", j."customerId", j.now, j.share, j.finished, j.seconds, j.deadline,
             j."probabilityOnTime", j."atRisk"
      from jsonb_to_recordset(${jsonOf(logged)}::jsonb) as j(${batchColumns}, "projectId" bigint, "customerId" bigint, now timestamptz,
        share smallint, finished smallint, seconds float8[], deadline timestamptz, "probabilityOnTime" float8, "atRisk" boolean)`,
  );

const UnscoredRow = z.object({
  tenantId: Id,
  id: Id,
  batchId: Id,
  madeAt: z.date(),
  seconds: z.array(z.number()),
  deadline: z.date().nullable(),
  probability: z.number().nullable(),
});
export type Unscored = z.infer<typeof UnscoredRow>;

/** A batch by its name. */
export type BatchName = Pick<Judged, 'tenantId' | 'batchId'>;

/** The forecasts of some batches that nobody has scored. */
export const unscoredOf = (db: Queryable, batches: readonly BatchName[]): Promise<Unscored[]> =>
  many(
    db,
    UnscoredRow,
    Prisma.sql`
      select l.tenant_id as "tenantId", l.id, l.batch_id as "batchId", l.made_at as "madeAt", l.seconds, l.deadline, l.probability
      from ${named(batches)}
      join forecast_log l on l.tenant_id = n.tenant_id and l.batch_id = n.batch_id
      where l.ended_at is null`,
  );

/** What became of a forecast. */
export interface Outcome {
  readonly tenantId: bigint;
  readonly id: bigint;
  readonly endedAt: Date;
  /** Null, as the next, of one that said never. */
  readonly crpsSeconds: number | null;
  readonly pinballSeconds: readonly number[] | null;
  readonly brier: number | null;
  readonly held: boolean;
  readonly afterMedian: boolean;
}

/** Keeps what became of forecasts. */
export const scoreForecasts = (db: Queryable, outcomes: readonly Outcome[]): Promise<void> =>
  run(
    db,
    Prisma.sql`
      update forecast_log l set ended_at = o."endedAt", crps_seconds = o."crpsSeconds", pinball_seconds = o."pinballSeconds",
             brier = o.brier, held = o.held, after_median = o."afterMedian"
      from jsonb_to_recordset(${jsonOf(outcomes)}::jsonb) as o("tenantId" bigint, id bigint, "endedAt" timestamptz, "crpsSeconds" float8,
        "pinballSeconds" float8[], brier float8, held boolean, "afterMedian" boolean)
      where l.tenant_id = o."tenantId" and l.id = o.id`,
  );

/** Takes back what became of the forecasts of batches whose end did not last. */
export const unscore = (db: Queryable, batches: readonly BatchName[]): Promise<void> =>
  run(
    db,
    Prisma.sql`
      update forecast_log l set ended_at = null, crps_seconds = null, pinball_seconds = null, brier = null, held = null, after_median = null
      from ${named(batches)}
      where l.tenant_id = n.tenant_id and l.batch_id = n.batch_id and l.ended_at is not null`,
  );

function named(batches: readonly BatchName[]): Prisma.Sql {
  const [tenants, ids] = [batches.map(({ tenantId }) => tenantId), batches.map(({ batchId }) => batchId)];
  return Prisma.sql`unnest(${tenants}::bigint[], ${ids}::bigint[]) as n(tenant_id, batch_id)`;
}
