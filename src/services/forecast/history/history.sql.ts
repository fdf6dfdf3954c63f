import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';

// Counts stay far below 2^53; pg says int8 as text, Prisma as bigint.
const Count = z.coerce.number().pipe(z.int().min(0));
const Id = z.coerce.bigint();

/** A batch, and the share of its answers at which others are to be compared with it. */
export interface Compared {
  readonly tenantId: bigint;
  readonly batchId: bigint;
  readonly share: number;
}

/** Batches that are learned from, at most: what is older weighs next to nothing. */
const LEARNED_MAX = 60;
/** Of a customer's batches of other projects so many are looked through for the same task type: the latest. */
const LOOKED_THROUGH = 300;

const FinishedRow = z.object({
  batchId: Id,
  elapsedSeconds: z.number(),
  answers: Count,
  remainingAnswers: Count,
  remainingSeconds: z.number(),
  /** What the hours of experts said of that, then. */
  capacitySeconds: z.number().nullable(),
  capacitySpread: z.number().nullable(),
});

/**
 * For each batch the finished ones that it is compared with, as they were when they passed the same share of their answers: of its
 * own project, and of its customer's other projects of the same task type. None that went on after its end. Oldest end first, other projects before its own.
 */
export const finishedLike = (
  db: Queryable,
  compared: readonly Compared[],
): Promise<z.infer<typeof FinishedRow>[]> =>
  many(
    db,
    FinishedRow,
    Prisma.sql`
      with asked as materialized (
        select a.tenant_id, a.batch_id, a.share, b.project_id, b.customer_id, p.task_type_id
        from ${asRows(compared)}
        join batches b on b.tenant_id = a.tenant_id and b.id = a.batch_id
        join projects p on p.tenant_id = b.tenant_id and p.id = b.project_id
      )
      select a.batch_id as "batchId", m.elapsed_seconds as "elapsedSeconds", m.answers, m.remaining as "remainingAnswers",
             extract(epoch from e.ended_at - m.at)::float8 as "remainingSeconds",
             m.capacity_seconds as "capacitySeconds", m.capacity_spread as "capacitySpread"
      from asked a
      cross join lateral (
        select l.* from (
          (select f.batch_id, f.ended_at, true as is_own from forecasts f
           where f.tenant_id = a.tenant_id and f.project_id = a.project_id and f.ended_at is not null and f.reopened_at is null
           order by f.ended_at desc limit ${LEARNED_MAX})
          union all
          (select o.batch_id, o.ended_at, false from (
             select f.* from forecasts f
             where f.tenant_id = a.tenant_id and f.customer_id = a.customer_id and f.ended_at is not null and f.reopened_at is null
             order by f.ended_at desc limit ${LOOKED_THROUGH}) o
           join projects p on p.tenant_id = o.tenant_id and p.id = o.project_id
           where o.project_id <> a.project_id and p.task_type_id = a.task_type_id
           order by o.ended_at desc limit ${LEARNED_MAX})
        ) l order by l.is_own desc, l.ended_at desc limit ${LEARNED_MAX}
      ) e
      cross join lateral (
        select k.* from forecast_marks k
        where k.tenant_id = a.tenant_id and k.batch_id = e.batch_id and k.share >= a.share order by k.share limit 1
      ) m
      where e.ended_at > m.at
      order by a.batch_id, e.is_own, e.ended_at`,
  );

const HeldRow = z.object({ batchId: Id, held: z.array(z.boolean()) });

/** Forecasts of one batch from half-way on: one a twentieth, and some where its risk changed. */
const LOGGED_AFTER_HALF = 20;

/**
 * For each batch whether the forecasts of its project's finished ones have held, in the order of their ends: of each the first
 * from half-way on. One that passed half-way between two looks counts too, none counts twice, and none that went on after its end.
 */
export const heldOf = (db: Queryable, compared: readonly Compared[]): Promise<z.infer<typeof HeldRow>[]> =>
  many(
    db,
    HeldRow,
    Prisma.sql`
      select a.batch_id as "batchId", array_agg(h.held order by h.ended_at) as held
      from ${asRows(compared)}
      join batches b on b.tenant_id = a.tenant_id and b.id = a.batch_id
      cross join lateral (
        select f.held, f.ended_at from (
          select distinct on (l.batch_id) l.batch_id, l.held, l.ended_at, l.finished from (
            select * from forecast_log
            where tenant_id = a.tenant_id and project_id = b.project_id and ended_at is not null and share >= 50
            order by ended_at desc limit ${LEARNED_MAX * LOGGED_AFTER_HALF}
          ) l
          order by l.batch_id, l.made_at, l.id
        ) f
        where f.finished > 0
          and not exists (
            select from forecasts r where r.tenant_id = a.tenant_id and r.batch_id = f.batch_id and r.reopened_at is not null)
        order by f.ended_at desc limit ${LEARNED_MAX}
      ) h
      group by a.batch_id`,
  );

function asRows(compared: readonly Compared[]): Prisma.Sql {
  const [tenants, batches, shares] = [
    compared.map(({ tenantId }) => tenantId),
    compared.map(({ batchId }) => batchId),
    compared.map(({ share }) => share),
  ];
  return Prisma.sql`unnest(${tenants}::bigint[], ${batches}::bigint[], ${shares}::smallint[]) as a(tenant_id, batch_id, share)`;
}
