import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, expect } from 'vitest';
import {
  createBatchFromUpload,
  type InlineBatch,
  type InlineTask,
} from '../../../src/services/projects/batches.js';
import { verify } from '../../../src/services/verify.js';
import type { TestDb } from '../../support/db.js';
import { makeParts, makeWorld, type World } from './intake-world.js';

/** A batch of some tasks, as a customer would send it. */
export const inline = (
  projectId: bigint,
  tasks: readonly InlineTask[],
  more: Partial<InlineBatch> = {},
): InlineBatch => ({
  projectId,
  name: 'a batch',
  deadline: null,
  idempotencyKey: randomUUID(),
  tasks,
  ...more,
});

/** A world with its parts for the calling file; every rule must hold when the file ends. */
export function useBatchDesk(ctx: TestDb) {
  const desk = {} as { parts: Awaited<ReturnType<typeof makeParts>>; world: World };
  beforeAll(async () => {
    desk.parts = await makeParts(ctx.database);
    desk.world = await makeWorld(ctx.database);
  });
  afterAll(async () => {
    const findings = await verify(ctx.database);
    await desk.parts[Symbol.asyncDispose]();
    expect(findings.filter(({ broken }) => Number(broken) > 0)).toEqual([]);
  });
  const upload = async (projectId: bigint, body: string | Readable, format: 'JSONL' | 'CSV' = 'JSONL') => {
    const source = typeof body === 'string' ? Readable.from([Buffer.from(body)]) : body;
    const batch = {
      projectId,
      name: 'an upload',
      deadline: null,
      idempotencyKey: randomUUID(),
      format,
      body: source,
    };
    return (await createBatchFromUpload(desk.parts, desk.world.customer, batch)).batchId;
  };

  const batchRow = async (batchId: bigint) => {
    const { rows } = await ctx.admin.query(
      `select state, failure, rows_done::int, task_count::int, error_count::int, deadline from batches where id = $1`,
      [batchId],
    );
    return rows[0];
  };
  const errorsOf = async (batchId: bigint) => {
    const { rows } = await ctx.admin.query(
      `select line::int, reason from batch_errors where batch_id = $1 order by line`,
      [batchId],
    );
    return rows.map(({ line, reason }) => `${line}: ${reason}`);
  };
  const tasksOf = async (batchId: bigint) => {
    const { rows } = await ctx.admin.query(
      `select t.line::int, t.external_id, t.payload_key, t.payload_bytes::int, t.content_type, t.wanted, t.allow, t.block,
              r.phase, r.need
       from tasks t left join ready r on r.tenant_id = t.tenant_id and r.task_id = t.id
       where t.batch_id = $1 order by t.line`,
      [batchId],
    );
    return rows;
  };
  const eventsOf = async (batchId: bigint) => {
    const { rows } = await ctx.admin.query(`select kind, body from stream_events where stream = $1`, [
      `batch/${batchId}`,
    ]);
    return rows;
  };
  return { desk, upload, batchRow, errorsOf, tasksOf, eventsOf };
}
