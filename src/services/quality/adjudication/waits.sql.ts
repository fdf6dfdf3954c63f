import { z } from 'zod';
import { Prisma } from '../../../generated/prisma/client.js';
import { one, type Queryable } from '../../platform/rows.js';

/** Looks at adjudications that wait: see app.watch_adjudications. */
export const watched = (db: Queryable, limit: number) =>
  one(
    db,
    z.object({ projects: z.int() }),
    Prisma.sql`select app.watch_adjudications(${limit}::int) as projects`,
  );
