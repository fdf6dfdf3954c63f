import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createBatch,
  createBatchFromUpload,
  type InlineBatch,
  type InlineTask,
} from '../../src/services/projects/batches.js';
import { createS3PayloadStore } from '../../src/services/projects/payload-store-s3.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { verify } from '../../src/services/verify.js';
import { useTestDb } from '../support/db.js';
import { makeParts, makeWorld, store, type World } from './support/intake-world.js';
import { startS3Server } from './support/s3-server.js';

const ctx = useTestDb();
let parts: Awaited<ReturnType<typeof makeParts>>;
let world: World;

beforeAll(async () => {
  parts = await makeParts(ctx.database);
  world = await makeWorld(ctx.database);
});

afterAll(async () => {
  const findings = await verify(ctx.database);
  await parts[Symbol.asyncDispose]();
  expect(findings.filter(({ broken }) => Number(broken) > 0)).toEqual([]);
});

const inline = (
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
  return (await createBatchFromUpload(parts, world.customer, batch)).batchId;
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

describe('a batch', () => {
  test('is answered while STORING, with nothing claimable, and opens when every payload is durable', async () => {
    const projectId = await world.project({ redundancy: 3 });
    const tasks = [
      { payload: { question: 'why?' }, externalId: 'q-1' },
      { payload: '<b>text</b>', contentType: 'text/html', redundancy: 1 },
    ];
    const { batchId } = await createBatch(parts, world.customer, inline(projectId, tasks));
    expect(await batchRow(batchId)).toMatchObject({ state: 'STORING', task_count: 0 });
    expect(await tasksOf(batchId)).toEqual([]);

    expect(await store(parts, batchId)).toBe('OPEN');
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
    const opened = await parts.store.open(world.customer.tenantId, stored[0].payload_key);
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
    const projectId = await world.project({ deadline });
    const first = await createBatch(parts, world.customer, inline(projectId, [{ payload: 1 }]));
    const own = new Date('2030-01-01T00:00:00Z');
    const second = await createBatch(
      parts,
      world.customer,
      inline(projectId, [{ payload: 1 }], { deadline: own }),
    );
    expect((await batchRow(first.batchId)).deadline).toEqual(deadline);
    expect((await batchRow(second.batchId)).deadline).toEqual(own);
  });

  test('can be uploaded as CSV too', async () => {
    const batchId = await upload(await world.project(), 'id,left,right\r\n1,"a, b",c\r\n2,d,e\r\n', 'CSV');
    expect(await store(parts, batchId)).toBe('OPEN');
    expect(await tasksOf(batchId)).toMatchObject([
      { line: 2, external_id: '1' },
      { line: 3, external_id: '2' },
    ]);
  });
});

test('a batch works the same on a bucket', async () => {
  await using server = await startS3Server();
  const onS3 = { ...parts, store: createS3PayloadStore(server.settings) };
  const batch = inline(await world.project(), [{ payload: { a: 1 } }, { payload: 'text' }]);
  const { batchId } = await createBatch(onS3, world.customer, batch);
  server.failNext('PUT', 503);
  expect(await store(onS3, batchId)).toBe('OPEN');
  const [, second] = await tasksOf(batchId);
  const opened = await onS3.store.open(world.customer.tenantId, second.payload_key);
  expect(await text(opened.stream)).toBe('text');
  onS3.store.close();
});

describe('the same request again', () => {
  test('gives the same batch, also many at once, and in another order of keys', async () => {
    const projectId = await world.project();
    const batch = inline(projectId, [{ payload: { a: 1, b: 2 }, externalId: 'x' }]);
    const again = { ...batch, tasks: [{ externalId: 'x', payload: { b: 2, a: 1 } }] };
    const requests = Array.from({ length: 10 }, (_, n) =>
      createBatch(parts, world.customer, n % 2 ? batch : again),
    );
    const made = await Promise.all(requests);
    expect(new Set(made.map(({ batchId }) => batchId)).size).toBe(1);
    const { rows } = await ctx.admin.query(`select count(*)::int from batches where project_id = $1`, [
      projectId,
    ]);
    expect(rows[0].count).toBe(1);
  });

  test('with other content is refused, whatever differs, and the first one stands', async () => {
    const projectId = await world.project();
    const batch = inline(projectId, [{ payload: 'a' }]);
    const { batchId } = await createBatch(parts, world.customer, batch);
    for (const other of [
      { ...batch, tasks: [{ payload: 'b' }] },
      { ...batch, tasks: [{ payload: 'a' }, { payload: 'b' }] },
      { ...batch, name: 'another name' },
      { ...batch, deadline: new Date('2031-01-01T00:00:00Z') },
    ]) {
      await expect(createBatch(parts, world.customer, other)).rejects.toMatchObject({
        code: 'IDEMPOTENCY_CONFLICT',
      });
    }
    const body = Readable.from([Buffer.from('{"payload":"a"}\n')]);
    const uploaded = { ...batch, format: 'JSONL' as const, body };
    await expect(createBatchFromUpload(parts, world.customer, uploaded)).rejects.toMatchObject({
      code: 'IDEMPOTENCY_CONFLICT',
    });
    expect((await createBatch(parts, world.customer, batch)).batchId).toBe(batchId);
  });

  test('is told by the content of an upload, not by how it arrives', async () => {
    const projectId = await world.project();
    const batch = { projectId, name: 'u', deadline: null, idempotencyKey: 'k', format: 'JSONL' as const };
    const content = Buffer.from('{"payload":"a"}\n{"payload":"b"}\n');
    const whole = await createBatchFromUpload(parts, world.customer, {
      ...batch,
      body: Readable.from([content]),
    });
    const bytes = Readable.from([...content].map((byte) => Buffer.from([byte])));
    expect(await createBatchFromUpload(parts, world.customer, { ...batch, body: bytes })).toEqual(whole);
  });

  test('after a cancel is answered like the first, while a new batch is refused', async () => {
    const projectId = await world.project();
    const batch = inline(projectId, [{ payload: 'a' }]);
    const first = await createBatch(parts, world.customer, batch);
    await cancelProject(ctx.database, world.operator, { projectId, policy: 'STOP' });
    expect(await createBatch(parts, world.customer, batch)).toEqual(first);
    await expect(
      createBatch(parts, world.customer, inline(projectId, [{ payload: 'a' }])),
    ).rejects.toMatchObject({ code: 'PROJECT_NOT_RUNNING' });
  });
});

describe('a request is refused', () => {
  test('for a project of another customer or tenant, before a byte of the body is read', async () => {
    const other = await makeWorld(ctx.database);
    const projectId = await world.project();
    const stranger = { ...world.customer, customerId: (world.customer.customerId ?? 0n) + 1000n };
    const unread = () =>
      Readable.from(
        (async function* () {
          yield await Promise.reject(new Error('was read'));
        })(),
      );
    for (const viewer of [
      stranger,
      other.customer,
      other.operator,
      { ...world.customer, role: 'EXPERT' as const, customerId: null },
    ]) {
      const batch = { ...inline(projectId, []), format: 'CSV' as const, body: unread() };
      await expect(createBatchFromUpload(parts, viewer, batch)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    }
  });

  test.each([
    ['no task', { tasks: [] }, '/tasks'],
    ['1,001 tasks', { tasks: new Array(1001).fill({ payload: 1 }) }, '/tasks'],
    ['more than 1 MiB', { tasks: [{ payload: 'x'.repeat(1024 * 1024) }] }, '/tasks'],
    [
      'endless nesting',
      { tasks: [{ payload: JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) }] },
      '/tasks',
    ],
    ['an empty key', { idempotencyKey: '' }, '/idempotencyKey'],
    ['a key with a NUL', { idempotencyKey: 'a\u0000' }, '/idempotencyKey'],
    ['an empty name', { name: '  ' }, '/name'],
    ['a deadline that is no instant', { deadline: new Date('someday') }, '/deadline'],
  ])('with %s', async (_name, wrong, path) => {
    const batch = inline(await world.project(), [{ payload: 1 }], wrong);
    await expect(createBatch(parts, world.customer, batch)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      issues: [{ path }],
    });
  });

  test('whose sender vanishes leaves no batch', async () => {
    const projectId = await world.project();
    async function* vanishing() {
      yield Buffer.from('{"payload":1}\n');
      throw new Error('aborted');
    }
    await expect(upload(projectId, Readable.from(vanishing()))).rejects.toThrow('aborted');
    const { rows } = await ctx.admin.query(`select from batches where project_id = $1`, [projectId]);
    expect(rows).toHaveLength(0);
  });
});

describe('a bad row', () => {
  test('is reported with its line and reason, and the rows around it become tasks', async () => {
    const [ada, bob] = [await world.expert(randomUUID()), await world.expert(randomUUID())];
    const [a, b] = [parts.ids.encode('Expert', ada), parts.ids.encode('Expert', bob)];
    const foreign = await (await makeWorld(ctx.database)).expert('eve');
    const row = (fields: object) => JSON.stringify({ payload: 'p', ...fields });
    const batchId = await upload(
      await world.project(),
      [
        row({ externalId: 'first' }),
        '{"oops',
        row({ externalId: 'first' }),
        row({ allow: [a, b], redundancy: 2 }),
        row({ allow: [a, b], redundancy: 3 }),
        row({ allow: [a], block: [a] }),
        row({ block: [a, a] }),
        row({ allow: ['nobody'] }),
        row({ block: [parts.ids.encode('Expert', foreign)] }),
        row({ block: [parts.ids.encode('Task', ada)] }),
        row({ redundancy: 1001 }),
        row({}),
      ].join('\n'),
    );
    expect(await store(parts, batchId)).toBe('OPEN');
    expect((await errorsOf(batchId)).map((error) => error.replace(/"[\w-]{22}"/, '"<id>"'))).toEqual([
      '2: The row is not valid JSON (at character 7).',
      '3: Another row of this batch has the same id.',
      '5: The row wants 3 answers but leaves only 2 experts to give them.',
      '6: The row wants 1 answers but leaves only 0 experts to give them.',
      '8: The row names an expert that does not exist: "nobody".',
      '9: The row names an expert that does not exist: "<id>".',
      '10: The row names an expert that does not exist: "<id>".',
      '11: The row has a redundancy that is not a whole number from 1 to 1000.',
    ]);
    expect(await batchRow(batchId)).toMatchObject({
      state: 'OPEN',
      rows_done: 12,
      task_count: 4,
      error_count: 8,
    });
    expect(await tasksOf(batchId)).toMatchObject([
      { line: 1, phase: 0 },
      { line: 4, phase: 2, allow: [String(ada), String(bob)] },
      { line: 7, phase: 1, block: [String(ada)] },
      { line: 12, phase: 0 },
    ]);
  });

  test('may name experts by handle only in imported projects, where nobody can probe for people', async () => {
    const handle = `worker ${randomUUID()}`;
    const expertId = await world.expert(handle);
    const content = JSON.stringify({ payload: 'p', allow: [handle] });
    const imported = await upload(await world.project({ origin: 'IMPORT' }), content);
    await store(parts, imported);
    expect(await tasksOf(imported)).toMatchObject([{ allow: [String(expertId)] }]);
    const usual = await upload(await world.project(), content);
    await store(parts, usual);
    expect(await errorsOf(usual)).toEqual([`1: The row names an expert that does not exist: "${handle}".`]);
  });

  test('beyond ten thousand is counted but not recorded', async () => {
    const batchId = await upload(await world.project(), `${'x\n'.repeat(10_700)}{"payload":"ok"}\n`);
    expect(await store(parts, batchId)).toBe('OPEN');
    expect(await batchRow(batchId)).toMatchObject({ error_count: 10_700, task_count: 1 });
    expect(await errorsOf(batchId)).toHaveLength(10_000);
  });

  test('a batch of bad rows only is open and empty', async () => {
    const batchId = await upload(await world.project(), '[]\n');
    expect(await store(parts, batchId)).toBe('OPEN');
    expect(await batchRow(batchId)).toMatchObject({ state: 'OPEN', task_count: 0, error_count: 1 });
  });
});

describe('an upload that cannot be read fails its batch, and says why', () => {
  const objectPath = async (batchId: bigint) => {
    const { rows } = await ctx.admin.query(`select raw_key from batches where id = $1`, [batchId]);
    const key: string = rows[0].raw_key;
    return join(parts.directory, String(world.customer.tenantId), key.slice(0, 2), key);
  };

  test('damaged in the storage, found before its first task is work', async () => {
    const content = `${JSON.stringify({ payload: randomUUID() })}\n`.repeat(5000);
    const batchId = await upload(await world.project(), content);
    await writeFile(await objectPath(batchId), content.replace(/.$/, ' '));
    await writeFile(await objectPath(batchId), `${content.slice(0, -3)}X}\n`);
    expect(await store(parts, batchId)).toBe('FAILED');
    expect(await batchRow(batchId)).toMatchObject({
      state: 'FAILED',
      task_count: 0,
      failure: expect.stringMatching(/damaged/),
    });
    expect(await eventsOf(batchId)).toMatchObject([{ kind: 'FAILED' }]);
  });

  test('missing from the storage', async () => {
    const batchId = await upload(await world.project(), `{"payload":"${randomUUID()}"}`);
    await ctx.admin.query(`update batches set raw_key = $2 where id = $1`, [batchId, '0'.repeat(64)]);
    expect(await store(parts, batchId)).toBe('FAILED');
    expect(await batchRow(batchId)).toMatchObject({ failure: expect.stringMatching(/missing/) });
  });

  test.each([
    ['', 'JSONL', 'The upload has no rows.'],
    ['', 'CSV', 'The upload has no header.'],
    ['a,a\n1,2\n', 'CSV', 'The header has the column "a" twice.'],
  ] as const)('%j as %s', async (content, format, failure) => {
    const batchId = await upload(await world.project(), content, format);
    expect(await store(parts, batchId)).toBe('FAILED');
    expect(await batchRow(batchId)).toMatchObject({ state: 'FAILED', failure });
  });

  test('a cancelled project ends a batch that is being stored, and no task of it is claimable', async () => {
    const projectId = await world.project();
    const batchId = await upload(projectId, '{"payload":"a"}\n'.repeat(1200));
    expect(await store(parts, batchId, 500)).toBe('MORE');
    await cancelProject(ctx.database, world.operator, { projectId, policy: 'FINISH' });
    expect(await store(parts, batchId)).toBe('CANCELLED');
    expect(await batchRow(batchId)).toMatchObject({ state: 'CANCELLED', task_count: 500 });
    const { rows } = await ctx.admin.query(`select from ready where project_id = $1`, [projectId]);
    expect(rows).toHaveLength(0);
  });
});
