import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { maybeOne, type Queryable } from '../../platform/rows.js';

/** Null where there is no such skill. */
export const setShare = (
  db: Queryable,
  { tenantId, skillId, share }: { tenantId: bigint; skillId: bigint; share: number | null },
) =>
  maybeOne(
    db,
    z.object({ id: z.bigint() }),
    Prisma.sql`
      update skills set exploration_share = ${share}::float8 where tenant_id = ${tenantId} and id = ${skillId} returning id`,
  );
