import { z } from 'zod';
import { Prisma } from '../../generated/prisma/client.js';
import { many, maybeOne, one, type Queryable, run } from '../platform/rows.js';

/** A batch as it is stored at first. */
export interface NewBatchRow {
  readonly tenantId: bigint;
  readonly projectId: bigint;
  readonly name: string;
  /** Null: the project's. */
  readonly deadline: Date | null;
  readonly format: 'JSONL' | 'CSV';
  readonly rawKey: string;
  readonly rawBytes: number;
  readonly idempotencyKey: string;
  readonly contentDigest: string;
}

const BatchProject = z.object({
  customerId: z.bigint(),
  isRunning: z.boolean(),
  keyIsUsed: z.boolean(),
  isLate: z.boolean(),
  redundancy: z.int(),
  isAdaptive: z.boolean(),
  origin: z.string(),
});

/** A project as a new batch asks about it. */
export type BatchProject = z.infer<typeof BatchProject>;

/** Whose project it is, whether it runs, whether the key was used in it, and whether the batch's own deadline is past; null where there is none. */
export const findProject = (
  db: Queryable,
  p: { tenantId: bigint; projectId: bigint; idempotencyKey: string; deadline: Date | null },
) =>
  maybeOne(
    db,
    BatchProject,
    Prisma.sql`
      select customer_id as "customerId", state = 'RUNNING' as "isRunning", redundancy::int as redundancy,
             redundancy_policy is not null as "isAdaptive", origin,
             exists (select from batches b where b.tenant_id = p.tenant_id and b.project_id = p.id
                       and b.idempotency_key = ${p.idempotencyKey}) as "keyIsUsed",
             coalesce(${p.deadline}::timestamptz < app.clock_now(), false) as "isLate"
      from projects p
      where p.tenant_id = ${p.tenantId} and p.id = ${p.projectId}`,
  );

/** Null where the project's idempotency key is taken, or where the project runs no longer. */
export const insertBatch = (db: Queryable, b: NewBatchRow) =>
  maybeOne(
    db,
    z.object({ id: z.bigint() }),
    Prisma.sql`
      insert into batches (tenant_id, project_id, customer_id, name, deadline, format, raw_key, raw_bytes,
        idempotency_key, content_digest)
      select p.tenant_id, p.id, p.customer_id, ${b.name}, coalesce(${b.deadline}::timestamptz, p.deadline),
        ${b.format}, ${b.rawKey}, ${b.rawBytes}::bigint, ${b.idempotencyKey}, ${b.contentDigest}
      from projects p where p.tenant_id = ${b.tenantId} and p.id = ${b.projectId} and p.state = 'RUNNING'
      on conflict (tenant_id, project_id, idempotency_key) do nothing
      returning id`,
  );

export const findByKey = (
  db: Queryable,
  key: { tenantId: bigint; projectId: bigint; idempotencyKey: string },
) =>
  maybeOne(
    db,
    z.object({ id: z.bigint(), contentDigest: z.string() }),
    Prisma.sql`
      select id, content_digest as "contentDigest" from batches
      where tenant_id = ${key.tenantId} and project_id = ${key.projectId}
        and idempotency_key = ${key.idempotencyKey}`,
  );

/** Coerced, because the look for the next batch runs on a session of pg itself, where int8 is text. */
const StoringBatch = z.object({
  projectId: z.coerce.bigint(),
  tenantId: z.coerce.bigint(),
  id: z.coerce.bigint(),
  customerId: z.coerce.bigint(),
  format: z.enum(['JSONL', 'CSV']),
  rawKey: z.string(),
  rowsDone: z.coerce.bigint(),
  errorCount: z.coerce.bigint(),
  redundancy: z.int(),
  isAdaptive: z.boolean(),
  origin: z.string(),
});

/** What storing needs to know of a batch and its project. */
export type StoringBatch = z.infer<typeof StoringBatch>;

const storingBatches = Prisma.sql`
  select b.tenant_id as "tenantId", b.id, b.project_id as "projectId", b.customer_id as "customerId", b.format, b.raw_key as "rawKey",
         b.rows_done as "rowsDone", b.error_count as "errorCount", p.redundancy::int as "redundancy",
         p.redundancy_policy is not null as "isAdaptive", p.origin
  from batches b
  join projects p on p.tenant_id = b.tenant_id and p.id = b.project_id
  where b.state = 'STORING'`;

/** The next batch to store after `afterId`, in a circle, among the small or the large uploads. */
export const nextStoringBatch = (
  db: Queryable,
  { afterId, minBytes, maxBytes }: { afterId: bigint; minBytes: number; maxBytes: number },
) =>
  maybeOne(
    db,
    StoringBatch,
    Prisma.sql`
      ${storingBatches} and b.raw_bytes between ${minBytes}::bigint and ${maxBytes}::bigint
      order by b.id <= ${afterId}, b.id
      limit 1`,
  );

/** A batch that is being stored; null when it has ended. */
export const findStoringBatch = (db: Queryable, b: { tenantId: bigint; batchId: bigint }) =>
  maybeOne(
    db,
    StoringBatch,
    Prisma.sql`${storingBatches} and b.tenant_id = ${b.tenantId} and b.id = ${b.batchId}`,
  );

/** How a batch stands. */
export const findBatchState = (db: Queryable, b: { tenantId: bigint; batchId: bigint }) =>
  one(
    db,
    z.object({ state: z.string(), failure: z.string().nullable() }),
    Prisma.sql`select state, failure from batches where tenant_id = ${b.tenantId} and id = ${b.batchId}`,
  );

/** The lock of one chunk's transaction: null unless the batch is exactly where the caller believes it to be. */
export const lockStoringBatch = (db: Queryable, b: { tenantId: bigint; batchId: bigint; rowsDone: bigint }) =>
  maybeOne(
    db,
    StoringBatch,
    Prisma.sql`
      ${storingBatches} and b.tenant_id = ${b.tenantId} and b.id = ${b.batchId} and b.rows_done = ${b.rowsDone}
      for no key update of b`,
  );

const Refusal = z.object({ line: z.bigint(), reason: z.string() });

/** Opens tasks of a batch: see app.enqueue_tasks. Returns the lines that did not become tasks. */
export const enqueueTasks = (db: Queryable, b: { tenantId: bigint; batchId: bigint }, rows: string) =>
  many(
    db,
    Refusal,
    Prisma.sql`
      select line, reason from app.enqueue_tasks(${b.tenantId}, ${b.batchId}, ${rows}::jsonb)`,
  );

/** Makes tasks that were just opened critical, and the project ready for their disputes: see app.mark_critical. */
export const markCritical = (
  db: Queryable,
  b: { tenantId: bigint; batchId: bigint },
  lines: readonly number[],
) =>
  run(
    db,
    Prisma.sql`
      select 1 as ok from app.mark_critical(${b.tenantId}, ${b.batchId}, ${[...lines]}::bigint[])`,
  );

/** Where disputes of a batch's project are decided: before the project is locked for its tasks. */
export const prepareDisputes = (db: Queryable, b: { tenantId: bigint; batchId: bigint }) =>
  run(
    db,
    Prisma.sql`
      select app.stronger_lane(b.tenant_id, b.project_id) as id from batches b
      where b.tenant_id = ${b.tenantId} and b.id = ${b.batchId}`,
  );

/** Records rows that could not become tasks: `[{line, reason}]`. */
export const insertErrors = (db: Queryable, b: { tenantId: bigint; batchId: bigint }, errors: string) =>
  run(
    db,
    Prisma.sql`
      insert into batch_errors (tenant_id, batch_id, line, customer_id, reason)
      select b.tenant_id, b.id, e.line, b.customer_id, e.reason
      from batches b, jsonb_to_recordset(${errors}::jsonb) as e(line bigint, reason text)
      where b.tenant_id = ${b.tenantId} and b.id = ${b.batchId}`,
  );

/** Moves the cursor of a batch that the caller has locked. */
export const advance = (
  db: Queryable,
  b: { tenantId: bigint; batchId: bigint; tasks: number; errors: number },
) =>
  run(
    db,
    Prisma.sql`
      update batches
      set rows_done = rows_done + ${b.tasks} + ${b.errors},
          task_count = task_count + ${b.tasks},
          error_count = error_count + ${b.errors}
      where tenant_id = ${b.tenantId} and id = ${b.batchId}`,
  );

/** Ends storing, and says so on the batch's stream, in one statement. Nothing happens to a batch that has ended. */
export const endStoring = (
  db: Queryable,
  b: { tenantId: bigint; batchId: bigint; state: 'OPEN' | 'FAILED' | 'CANCELLED'; failure: string | null },
) =>
  run(
    db,
    Prisma.sql`
      with ended as (
        update batches
        set state = ${b.state}, failure = ${b.failure}::text,
            stored_at = case when ${b.state} = 'OPEN' then app.clock_now() end
        where tenant_id = ${b.tenantId} and id = ${b.batchId} and state = 'STORING'
        returning tenant_id, id, project_id, customer_id, state, failure, task_count, error_count
      )
      select 1 as ok from ended e
      cross join lateral app.append_event(e.tenant_id, 'batch/' || e.id, e.state, jsonb_build_object(
        'batchId', e.id, 'projectId', e.project_id, 'failure', e.failure,
        'taskCount', e.task_count, 'errorCount', e.error_count), e.customer_id, null)`,
  );

/** Which of these experts the tenant has, by id and by handle. */
export const findExperts = (
  db: Queryable,
  e: { tenantId: bigint; ids: readonly bigint[]; handles: readonly string[] },
) =>
  many(
    db,
    z.object({ id: z.bigint(), handle: z.string() }),
    Prisma.sql`
      select id, handle from experts
      where tenant_id = ${e.tenantId}
        and (id = any (${[...e.ids]}::bigint[]) or handle = any (${[...e.handles]}::text[]))`,
  );

/** Something to say on a session that must not fall silent. */
export const keepTalking = (db: Queryable) => run(db, Prisma.sql`select 1 as ok`);
