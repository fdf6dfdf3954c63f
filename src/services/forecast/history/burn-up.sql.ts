import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';

const PointRow = z.object({ batchId: z.bigint(), at: z.date(), answers: z.coerce.number() });

/** How many answers of a batch were in at a moment. */
export type BurnUpPoint = z.infer<typeof PointRow>;

/**
 * How far batches were as each was first seen past a twentieth of its answers, and when it ended where it has: at most
 * twenty points of a batch, oldest first.
 */
export const burnUpsOf = (db: Queryable, batchIds: readonly bigint[]): Promise<BurnUpPoint[]> =>
  many(
    db,
    PointRow,
    Prisma.sql`
      select batch_id as "batchId", at, answers from forecast_marks where batch_id = any(${batchIds}::bigint[])
      union all
      select batch_id, ended_at, answers from forecasts
      where batch_id = any(${batchIds}::bigint[]) and ended_at is not null
      order by "batchId", at`,
  );
