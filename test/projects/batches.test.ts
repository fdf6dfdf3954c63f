import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { createBatch, createBatchFromUpload } from '../../src/services/projects/batches.js';
import { createS3PayloadStore } from '../../src/services/projects/payload-store-s3.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { useTestDb } from '../support/db.js';
import { inline, useBatchDesk } from './support/batch-desk.js';
import { store } from './support/intake-world.js';
import { startS3Server } from './support/s3-server.js';

const ctx = useTestDb();
const { desk, upload, batchRow, tasksOf, eventsOf } = useBatchDesk(ctx);

describe('a batch', () => {
  test('is answered while STORING, with nothing claimable, and opens when every payload is durable', async () => {
    const projectId = await desk.world.project({ redundancy: 3 });
    const tasks = [
      { payload: { question: 'why?' }, externalId: 'q-1' },
      { payload: '<b>text</b>', contentType: 'text/html', redundancy: 1 },
    ];
    const { batchId } = await createBatch(desk.parts, desk.world.customer, inline(projectId, tasks));
    expect(await batchRow(batchId)).toMatchObject({ state: 'STORING', task_count: 0 });
    expect(await tasksOf(batchId)).toEqual([]);

    expect(await store(desk.parts, batchId)).toBe('OPEN');
    expect(await batchRow(batchId)).toMatchObject({
      state: 'OPEN',
      rows_done: 2,
      task_count: 2,
      error_count: 0,
    });
    const stored = await tasksOf(batchId);
    expect(stored).toMatchObject([
      { line: 1, external_id: 'q-1', content_type: 'application/json', wanted: 3, phase: 0, need: 3 },
      { line: 2, external_id: null, content_type: 'text/html', wanted: 1, phase: 0, need: 1 },
    ]);
    const opened = await desk.parts.store.open(desk.world.customer.tenantId, stored[0].payload_key);
    expect(await text(opened.stream)).toBe('{"question":"why?"}');
    expect(await eventsOf(batchId)).toEqual([
      {
        kind: 'OPEN',
        body: {
          batchId: Number(batchId),
          projectId: Number(projectId),
          failure: null,
          taskCount: 2,
          errorCount: 0,
        },
      },
    ]);
  });

  test('has the deadline of its project unless it has one of its own', async () => {
    const deadline = new Date('2031-01-01T00:00:00Z');
    const projectId = await desk.world.project({ deadline });
    const first = await createBatch(desk.parts, desk.world.customer, inline(projectId, [{ payload: 1 }]));
    const own = new Date('2030-01-01T00:00:00Z');
    const second = await createBatch(
      desk.parts,
      desk.world.customer,
      inline(projectId, [{ payload: 1 }], { deadline: own }),
    );
    expect((await batchRow(first.batchId)).deadline).toEqual(deadline);
    expect((await batchRow(second.batchId)).deadline).toEqual(own);
  });

  test('can be uploaded as CSV too', async () => {
    const batchId = await upload(
      await desk.world.project(),
      'id,left,right\r\n1,"a, b",c\r\n2,d,e\r\n',
      'CSV',
    );
    expect(await store(desk.parts, batchId)).toBe('OPEN');
    expect(await tasksOf(batchId)).toMatchObject([
      { line: 2, external_id: '1' },
      { line: 3, external_id: '2' },
    ]);
  });
});

test('a batch works the same on a bucket', async () => {
  await using server = await startS3Server();
  const onS3 = { ...desk.parts, store: createS3PayloadStore(server.settings) };
  const batch = inline(await desk.world.project(), [{ payload: { a: 1 } }, { payload: 'text' }]);
  const { batchId } = await createBatch(onS3, desk.world.customer, batch);
  server.failNext('PUT', 503);
  expect(await store(onS3, batchId)).toBe('OPEN');
  const [, second] = await tasksOf(batchId);
  const opened = await onS3.store.open(desk.world.customer.tenantId, second.payload_key);
  expect(await text(opened.stream)).toBe('text');
  onS3.store.close();
});

describe('the same request again', () => {
  test('gives the same batch, also many at once, and in another order of keys', async () => {
    const projectId = await desk.world.project();
    const batch = inline(projectId, [{ payload: { a: 1, b: 2 }, externalId: 'x' }]);
    const again = { ...batch, tasks: [{ externalId: 'x', payload: { b: 2, a: 1 } }] };
    const requests = Array.from({ length: 10 }, (_, n) =>
      createBatch(desk.parts, desk.world.customer, n % 2 ? batch : again),
    );
    const made = await Promise.all(requests);
    expect(new Set(made.map(({ batchId }) => batchId)).size).toBe(1);
    const { rows } = await ctx.admin.query(`select count(*)::int from batches where project_id = $1`, [
      projectId,
    ]);
    expect(rows[0].count).toBe(1);
  });

  test('with other content is refused, whatever differs, and the first one stands', async () => {
    const projectId = await desk.world.project();
    const batch = inline(projectId, [{ payload: 'a' }]);
    const { batchId } = await createBatch(desk.parts, desk.world.customer, batch);
    for (const other of [
      { ...batch, tasks: [{ payload: 'b' }] },
      { ...batch, tasks: [{ payload: 'a' }, { payload: 'b' }] },
      { ...batch, name: 'another name' },
      { ...batch, deadline: new Date('2031-01-01T00:00:00Z') },
    ]) {
      await expect(createBatch(desk.parts, desk.world.customer, other)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
      });
    }
    const body = Readable.from([Buffer.from('{"payload":"a"}\n')]);
    const uploaded = { ...batch, format: 'JSONL' as const, body };
    await expect(createBatchFromUpload(desk.parts, desk.world.customer, uploaded)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
    expect((await createBatch(desk.parts, desk.world.customer, batch)).batchId).toBe(batchId);
  });

  test('is told by the content of an upload, not by how it arrives', async () => {
    const projectId = await desk.world.project();
    const batch = { projectId, name: 'u', deadline: null, idempotencyKey: 'k', format: 'JSONL' as const };
    const content = Buffer.from('{"payload":"a"}\n{"payload":"b"}\n');
    const whole = await createBatchFromUpload(desk.parts, desk.world.customer, {
      ...batch,
      body: Readable.from([content]),
    });
    const bytes = Readable.from([...content].map((byte) => Buffer.from([byte])));
    expect(await createBatchFromUpload(desk.parts, desk.world.customer, { ...batch, body: bytes })).toEqual(
      whole,
    );
  });

  test('after a cancel is answered like the first, while a new batch is refused', async () => {
    const projectId = await desk.world.project();
    const batch = inline(projectId, [{ payload: 'a' }]);
    const first = await createBatch(desk.parts, desk.world.customer, batch);
    await cancelProject(ctx.database, desk.world.operator, { projectId, policy: 'STOP' });
    expect(await createBatch(desk.parts, desk.world.customer, batch)).toEqual(first);
    await expect(
      createBatch(desk.parts, desk.world.customer, inline(projectId, [{ payload: 'a' }])),
    ).rejects.toMatchObject({ code: 'PROJECT_NOT_RUNNING' });
  });
});
