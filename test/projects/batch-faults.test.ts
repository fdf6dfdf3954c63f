// @once
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { createBatch, createBatchFromUpload } from '../../src/services/projects/batches.js';
import { cancelProject } from '../../src/services/projects/projects.js';
import { useTestDb } from '../support/db.js';
import { inline, useBatchDesk } from './support/batch-desk.js';
import { makeWorld, store } from './support/intake-world.js';

const ctx = useTestDb();
const { desk, upload, batchRow, errorsOf, tasksOf, eventsOf } = useBatchDesk(ctx);

describe('a request is refused', () => {
  test('for a project of another customer or tenant, before a byte of the body is read', async () => {
    const other = await makeWorld(ctx.database);
    const projectId = await desk.world.project();
    const stranger = { ...desk.world.customer, customerId: (desk.world.customer.customerId ?? 0n) + 1000n };
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
      { ...desk.world.customer, role: 'EXPERT' as const, customerId: null },
    ]) {
      const batch = { ...inline(projectId, []), format: 'CSV' as const, body: unread() };
      await expect(createBatchFromUpload(desk.parts, viewer, batch)).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
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
    const batch = inline(await desk.world.project(), [{ payload: 1 }], wrong);
    await expect(createBatch(desk.parts, desk.world.customer, batch)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      issues: [{ path }],
    });
  });

  test('with everything that is wrong with it, not only the first fault', async () => {
    const wrong = { name: ' ', idempotencyKey: '', deadline: new Date('someday') };
    const batch = inline(await desk.world.project(), [], wrong);
    await expect(createBatch(desk.parts, desk.world.customer, batch)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      issues: [{ path: '/name' }, { path: '/tasks' }, { path: '/idempotencyKey' }, { path: '/deadline' }],
    });
  });

  test('with a deadline that is past, unless it is the repetition of one that was not', async () => {
    const soon = new Date(Date.now() + 3_600_000);
    const batch = inline(await desk.world.project(), [{ payload: 1 }], { deadline: soon });
    const create = (change: object) => createBatch(desk.parts, desk.world.customer, { ...batch, ...change });
    const made = await create({});
    await ctx.advance(7_200);
    expect(await create({})).toEqual(made);
    await expect(create({ idempotencyKey: randomUUID() })).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      issues: [{ path: '/deadline', message: expect.stringContaining('past') }],
    });
    await ctx.advance(-7_200);
  });

  test('whose sender vanishes leaves no batch', async () => {
    const projectId = await desk.world.project();
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
    const [ada, bob] = [await desk.world.expert(randomUUID()), await desk.world.expert(randomUUID())];
    const [a, b] = [desk.parts.ids.encode('Expert', ada), desk.parts.ids.encode('Expert', bob)];
    const foreign = await (await makeWorld(ctx.database)).expert('eve');
    const row = (fields: object) => JSON.stringify({ payload: 'p', ...fields });
    const batchId = await upload(
      await desk.world.project(),
      [
        row({ externalId: 'first' }),
        '{"oops',
        row({ externalId: 'first' }),
        row({ allow: [a, b], redundancy: 2 }),
        row({ allow: [a, b], redundancy: 3 }),
        row({ allow: [a], block: [a] }),
        row({ block: [a, a] }),
        row({ allow: ['nobody'] }),
        row({ block: [desk.parts.ids.encode('Expert', foreign)] }),
        row({ block: [desk.parts.ids.encode('Task', ada)] }),
        row({ redundancy: 101 }),
        row({}),
      ].join('\n'),
    );
    expect(await store(desk.parts, batchId)).toBe('OPEN');
    expect((await errorsOf(batchId)).map((error) => error.replace(/"[\w-]{22}"/, '"<id>"'))).toEqual([
      '2: The row is not valid JSON (at character 7).',
      '3: Another row of this batch has the same id.',
      '5: The row wants 3 answers but leaves only 2 experts to give them.',
      '6: The row wants 1 answer but leaves only 0 experts to give it.',
      '8: The row names an expert that does not exist: "nobody".',
      '9: The row names an expert that does not exist: "<id>".',
      '10: The row names an expert that does not exist: "<id>".',
      '11: The row has a redundancy that is not a whole number from 1 to 100.',
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
    const expertId = await desk.world.expert(handle);
    const content = JSON.stringify({ payload: 'p', allow: [handle] });
    const imported = await upload(await desk.world.project({ origin: 'IMPORT' }), content);
    await store(desk.parts, imported);
    expect(await tasksOf(imported)).toMatchObject([{ allow: [String(expertId)] }]);
    const usual = await upload(await desk.world.project(), content);
    await store(desk.parts, usual);
    expect(await errorsOf(usual)).toEqual([`1: The row names an expert that does not exist: "${handle}".`]);
  });

  test('beyond ten thousand is counted but not recorded', async () => {
    const batchId = await upload(await desk.world.project(), `${'x\n'.repeat(10_700)}{"payload":"ok"}\n`);
    expect(await store(desk.parts, batchId)).toBe('OPEN');
    expect(await batchRow(batchId)).toMatchObject({ error_count: 10_700, task_count: 1 });
    expect(await errorsOf(batchId)).toHaveLength(10_000);
  });

  test('a batch of bad rows only is open and empty', async () => {
    const batchId = await upload(await desk.world.project(), '[]\n');
    expect(await store(desk.parts, batchId)).toBe('OPEN');
    expect(await batchRow(batchId)).toMatchObject({ state: 'OPEN', task_count: 0, error_count: 1 });
  });
});

describe('an upload that cannot be read fails its batch, and says why', () => {
  const objectPath = async (batchId: bigint) => {
    const { rows } = await ctx.admin.query(`select raw_key from batches where id = $1`, [batchId]);
    const key: string = rows[0].raw_key;
    return join(desk.parts.directory, String(desk.world.customer.tenantId), key.slice(0, 2), key);
  };

  test('damaged in the storage, found before its first task is work', async () => {
    const content = `${JSON.stringify({ payload: randomUUID() })}\n`.repeat(5000);
    const batchId = await upload(await desk.world.project(), content);
    await writeFile(await objectPath(batchId), content.replace(/.$/, ' '));
    await writeFile(await objectPath(batchId), `${content.slice(0, -3)}X}\n`);
    expect(await store(desk.parts, batchId)).toBe('FAILED');
    expect(await batchRow(batchId)).toMatchObject({
      state: 'FAILED',
      task_count: 0,
      failure: expect.stringMatching(/damaged/),
    });
    expect(await eventsOf(batchId)).toMatchObject([{ kind: 'FAILED' }]);
  });

  test('missing from the storage', async () => {
    const batchId = await upload(await desk.world.project(), `{"payload":"${randomUUID()}"}`);
    await ctx.admin.query(`update batches set raw_key = $2 where id = $1`, [batchId, '0'.repeat(64)]);
    expect(await store(desk.parts, batchId)).toBe('FAILED');
    expect(await batchRow(batchId)).toMatchObject({ failure: expect.stringMatching(/missing/) });
  });

  test.each([
    ['', 'JSONL', 'The upload has no rows.'],
    ['', 'CSV', 'The upload has no header.'],
    ['a,a\n1,2\n', 'CSV', 'The header has the column "a" twice.'],
  ] as const)('%j as %s', async (content, format, failure) => {
    const batchId = await upload(await desk.world.project(), content, format);
    expect(await store(desk.parts, batchId)).toBe('FAILED');
    expect(await batchRow(batchId)).toMatchObject({ state: 'FAILED', failure });
  });

  test('a cancelled project ends a batch that is being stored, and no task of it is claimable', async () => {
    const projectId = await desk.world.project();
    const batchId = await upload(projectId, '{"payload":"a"}\n'.repeat(1200));
    expect(await store(desk.parts, batchId, 500)).toBe('MORE');
    await cancelProject(ctx.database, desk.world.operator, { projectId, policy: 'FINISH' });
    expect(await store(desk.parts, batchId)).toBe('CANCELLED');
    expect(await batchRow(batchId)).toMatchObject({ state: 'CANCELLED', task_count: 500 });
    const { rows } = await ctx.admin.query(`select from ready where project_id = $1`, [projectId]);
    expect(rows).toHaveLength(0);
  });
});
