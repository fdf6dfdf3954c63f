import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, type Queryable } from '../../platform/rows.js';

/** A worker by tenant and number. */
export interface WorkerKey {
  readonly tenantId: bigint;
  readonly expertId: bigint;
  /** Both, as what is remembered of them is found by: made once, for it is needed with every fix. */
  readonly key: string;
}

/** Names somebody. */
export const workerKey = (tenantId: bigint, expertId: bigint): WorkerKey => ({
  tenantId,
  expertId,
  key: `${tenantId}/${expertId}`,
});

const Row = z.object({ index: z.int(), onShift: z.boolean() });

/** Which of these are workers on their shift just now, as indices from 0; who is no worker is left out. */
export const onShift = (db: Queryable, workers: readonly WorkerKey[]): Promise<z.infer<typeof Row>[]> =>
  many(
    db,
    Row,
    Prisma.sql`
      select a.index::int - 1 as "index", app.is_on_shift(a.tenant_id, a.expert_id, app.clock_now()) as "onShift"
      from unnest(${workers.map(({ tenantId }) => String(tenantId))}::bigint[],
                  ${workers.map(({ expertId }) => String(expertId))}::bigint[]) with ordinality as a(tenant_id, expert_id, index)
      join workers w on w.tenant_id = a.tenant_id and w.expert_id = a.expert_id and w.active`,
  );
