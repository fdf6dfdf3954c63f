import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable, run } from '../../platform/rows.js';

const Row = z.object({
  from: z.string(),
  to: z.string(),
  mean: z.number(),
  worst: z.number(),
  isBarrier: z.boolean(),
});

/** What is remembered of one pair of cells; see road-memory.ts. */
export type PairRow = z.infer<typeof Row> & { readonly tenantId: bigint };

/** What is remembered of these pairs; of some it may be nothing. */
export const pairsOf = (
  db: Queryable,
  tenantId: bigint,
  pairs: readonly { readonly from: string; readonly to: string }[],
): Promise<z.infer<typeof Row>[]> =>
  many(
    db,
    Row,
    Prisma.sql`
      select p.from_cell as "from", p.to_cell as "to", p.seconds_a_metre as "mean", p.worst_seconds_a_metre as "worst",
             p.is_barrier as "isBarrier"
      from unnest(${pairs.map(({ from }) => from)}::text[], ${pairs.map(({ to }) => to)}::text[]) as a(from_cell, to_cell)
      join cell_pairs p on p.tenant_id = ${tenantId} and p.from_cell = a.from_cell and p.to_cell = a.to_cell`,
  );

/** Keeps what was learnt. The latest word of any node stands: all of them are means of the same router's answers. */
export const keepPairs = (db: Queryable, rows: readonly PairRow[]): Promise<void> =>
  run(
    db,
    Prisma.sql`
      insert into cell_pairs (tenant_id, from_cell, to_cell, seconds_a_metre, worst_seconds_a_metre, is_barrier)
      select * from unnest(${rows.map(({ tenantId }) => String(tenantId))}::bigint[], ${rows.map(({ from }) => from)}::text[],
        ${rows.map(({ to }) => to)}::text[], ${rows.map(({ mean }) => mean)}::float8[], ${rows.map(({ worst }) => worst)}::float8[],
        ${rows.map(({ isBarrier }) => isBarrier)}::boolean[]) as r(tenant_id, from_cell, to_cell, mean, worst, barrier)
      order by 1, 2, 3
      on conflict (tenant_id, from_cell, to_cell) do update set seconds_a_metre = excluded.seconds_a_metre,
        worst_seconds_a_metre = greatest(excluded.worst_seconds_a_metre, cell_pairs.worst_seconds_a_metre * 0.99),
        is_barrier = excluded.is_barrier, seen_at = app.clock_now()`,
  );
