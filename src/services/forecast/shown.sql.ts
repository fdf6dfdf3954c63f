import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, type Queryable } from '../platform/rows.js';

const Id = z.coerce.bigint();
const ShownRow = z.object({ projectId: Id, batchId: Id });

/** Beside those of which something is open, so many of the latest of a project. */
const LATEST = 100;

/** Batches that the forecasts of some projects are about, by age: of which something is open, and the latest; of those that the scope may see. */
export const shownBatches = (
  db: Queryable,
  projectIds: readonly bigint[],
): Promise<z.infer<typeof ShownRow>[]> =>
  many(
    db,
    ShownRow,
    Prisma.sql`
      select b.project_id as "projectId", b.id as "batchId"
      from unnest(${[...projectIds]}::bigint[]) as w(id)
      cross join lateral (
        select o.batch_id as id from open_batches o where o.tenant_id = (select app.tenant_id()) and o.project_id = w.id
        union
        (select n.id from batches n
         where n.tenant_id = (select app.tenant_id()) and n.project_id = w.id and n.state = 'OPEN' order by n.id desc limit ${LATEST})) x
      join batches b on b.tenant_id = (select app.tenant_id()) and b.id = x.id
      where b.state = 'OPEN'
      order by b.id`,
  );
