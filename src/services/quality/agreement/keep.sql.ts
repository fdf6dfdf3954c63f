import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { many, one, type Queryable } from '../../platform/rows.js';

/** See app.fold_agreement: how many changes were folded; null where another node is at it. */
export const foldDue = async (db: Queryable, limit: number): Promise<number | null> =>
  (
    await one(
      db,
      z.object({ folded: z.int().nullable() }),
      Prisma.sql`select app.fold_agreement(${limit}::integer) as folded`,
    )
  ).folded;

/** See app.refold_agreement, of every tenant. */
export const refoldAll = (db: Queryable) =>
  many(
    db,
    z.object({ tenantId: z.bigint() }),
    Prisma.sql`select t.id as "tenantId", app.refold_agreement(t.id)::text as done from tenants t order by t.id`,
  );
