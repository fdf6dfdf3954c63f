import { z } from 'zod';
import { Prisma } from '../../src/generated/prisma/client.js';
import { many, one, type Queryable } from '../../src/services/platform/rows.js';

/** What a test may say about a task; the rest is filled in. */
export interface TaskRow {
  readonly wanted?: number;
  readonly allow?: readonly bigint[];
  readonly block?: readonly bigint[];
}

const Id = z.object({ id: z.bigint() });

/** A batch that is still being stored, as the upload leaves it. */
export async function insertBatch(
  tx: Queryable,
  batch: { tenantId: bigint; projectId: bigint; customerId: bigint; key: string },
): Promise<bigint> {
  const { id } = await one(
    tx,
    Id,
    Prisma.sql`
      insert into batches (tenant_id, project_id, customer_id, name, format, raw_key, raw_bytes, idempotency_key, content_digest)
      values (${batch.tenantId}, ${batch.projectId}, ${batch.customerId}, ${batch.key}, 'JSONL', ${`raw/${batch.key}`}, 0,
              ${batch.key}, 'none')
      returning id`,
  );
  return id;
}

/** Opens tasks as the storing job does, once their payloads are durable. Lines go on from `firstLine`. */
export async function enqueue(
  tx: Queryable,
  {
    tenantId,
    batchId,
    rows,
    firstLine = 1,
  }: { tenantId: bigint; batchId: bigint; rows: readonly TaskRow[]; firstLine?: number },
): Promise<bigint[]> {
  const given = rows.map((row, index) => ({
    line: firstLine + index,
    externalId: null,
    payloadKey: `payloads/${batchId}/${firstLine + index}`,
    payloadBytes: 2,
    contentType: 'application/json',
    wanted: row.wanted ?? null,
    allow: row.allow?.map(Number) ?? null,
    block: row.block?.map(Number) ?? null,
  }));
  const refused = await many(
    tx,
    z.object({ line: z.bigint(), reason: z.string() }),
    Prisma.sql`select line, reason from app.enqueue_tasks(${tenantId}, ${batchId}, ${JSON.stringify(given)}::jsonb)`,
  );
  if (refused.length > 0) {
    throw new Error(`Line ${refused[0]?.line}: ${refused[0]?.reason}`);
  }
  const tasks = await many(
    tx,
    Id,
    Prisma.sql`
      select id from tasks where tenant_id = ${tenantId} and batch_id = ${batchId} and line >= ${firstLine}
      order by line`,
  );
  return tasks.map((task) => task.id);
}
