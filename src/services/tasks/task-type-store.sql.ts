import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { one, type Queryable, run } from '../platform/rows.js';

export interface NewTaskTypeRow {
  readonly tenantId: bigint;
  readonly customerId: bigint | null;
  readonly name: string;
  readonly kind: string;
  readonly definition: string;
  readonly answerSchema: string;
  readonly dimensions: string;
  readonly instructions: string;
}

/** Inserts under the next version of the name. The lock makes two versions of one name take turns. */
export const insertTaskType = async (db: Queryable, t: NewTaskTypeRow) => {
  const lock = `task type ${t.tenantId} ${t.customerId ?? ''} ${t.name}`;
  await run(db, Prisma.sql`select 1 as ok from pg_advisory_xact_lock(hashtextextended(${lock}, 0))`);
  return one(
    db,
    z.object({ id: z.bigint(), version: z.int() }),
    Prisma.sql`
      insert into task_types (tenant_id, customer_id, name, version, kind, definition, answer_schema, dimensions, instructions)
      select ${t.tenantId}::bigint, ${t.customerId}::bigint, ${t.name}::text,
             coalesce((select max(o.version) from task_types o where o.tenant_id = ${t.tenantId} and o.name = ${t.name}
                       and o.customer_id is not distinct from ${t.customerId}::bigint), 0) + 1,
             ${t.kind}::text, ${t.definition}::text, ${t.answerSchema}::text, ${t.dimensions}::text, ${t.instructions}::text
      returning id, version`,
  );
};
