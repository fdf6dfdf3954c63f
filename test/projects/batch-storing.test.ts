// @once @apart @long: kills and memory of the process are what is looked at; what is stored runs on both in intake and rules
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createBatchStoring } from '../../src/jobs/batch-storing.js';
import { openDatabase } from '../../src/services/platform/database.js';
import { createBatchFromUpload } from '../../src/services/projects/batches.js';
import { keyOf } from '../../src/services/projects/payload-store.js';
import { verify } from '../../src/services/verify.js';
import { useTestDb } from '../support/db.js';
import { makeParts, makeWorld, store, type World } from './support/intake-world.js';

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

/** Rows of which every eleventh is bad; `distinct` payloads among them. */
function* lines(count: number, distinct: number) {
  for (let n = 1; n <= count; n += 1) {
    yield Buffer.from(
      n % 11 === 0 ? `{"bad":\n` : `{"payload":"payload ${n % distinct}","externalId":"${n}"}\n`,
    );
  }
}

const uploaded = (count: number, distinct = count) => uploadedBytes(lines(count, distinct));

async function uploadedBytes(chunks: Iterable<Buffer>): Promise<bigint> {
  const batch = {
    projectId: await world.project(),
    name: 'big',
    deadline: null,
    idempotencyKey: randomUUID(),
  };
  const body = Readable.from(chunks);
  return (await createBatchFromUpload(parts, world.customer, { ...batch, format: 'JSONL', body })).batchId;
}

const batchRow = async (batchId: bigint) => {
  const { rows } = await ctx.admin.query(
    `select state, rows_done::int, task_count::int, error_count::int from batches where id = $1`,
    [batchId],
  );
  return rows[0];
};

/** Every row of the upload is exactly one task that is queued, or exactly one reported fault. */
async function expectExactlyOnce(batchId: bigint, count: number) {
  const bad = Math.floor(count / 11);
  expect(await batchRow(batchId)).toEqual({
    state: 'OPEN',
    rows_done: count,
    task_count: count - bad,
    error_count: bad,
  });
  const { rows } = await ctx.admin.query(
    `select count(*)::int as rows, count(distinct line)::int as lines, min(line)::int as first, max(line)::int as last,
            count(*) filter (where kind = 'task' and line % 11 = 0)::int as wrong
     from (select line, 'task' as kind from tasks t
           where batch_id = $1 and exists (select from ready r where r.tenant_id = t.tenant_id and r.task_id = t.id)
           union all select line, 'fault' from batch_errors where batch_id = $1) dealt_with`,
    [batchId],
  );
  expect(rows[0]).toEqual({ rows: count, lines: count, first: 1, last: count, wrong: 0 });
  const events = await ctx.admin.query(`select kind from stream_events where stream = $1`, [
    `batch/${batchId}`,
  ]);
  expect(events.rows).toEqual([{ kind: 'OPEN' }]);
}

test('a node killed again and again while storing costs nothing: the next one goes on where it was', async () => {
  const count = 6000;
  const batchId = await uploaded(count);
  const script = fileURLToPath(new URL('./support/store-child.ts', import.meta.url));
  let seen = 0;
  for (let kills = 0; kills < 3; kills += 1) {
    const argv = ['--import', 'tsx', script, ctx.url, parts.directory, String(batchId)];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit'] });
    const exited = once(child, 'exit');
    while ((await batchRow(batchId)).rows_done <= seen && child.exitCode === null) {
      // Asking is the waiting: each question is a round trip to the database.
    }
    child.kill('SIGKILL');
    expect((await exited)[1]).toBe('SIGKILL');
    const { state, rows_done } = await batchRow(batchId);
    expect(state).toBe('STORING');
    expect(rows_done).toBeGreaterThan(seen);
    seen = rows_done;
  }
  expect(await store(parts, batchId)).toBe('OPEN');
  await expectExactlyOnce(batchId, count);
});

test('two nodes at one batch take every row exactly once, and the one that comes second gives way', async () => {
  const second = openDatabase({ url: ctx.url });
  try {
    for (let round = 0; round < 5; round += 1) {
      const batchId = await uploaded(1200, 3);
      const nodes = [parts, { ...parts, db: second }, parts];
      const outcomes = await Promise.all(nodes.map((node) => store(node, batchId)));
      expect(outcomes.filter((outcome) => outcome === 'OPEN')).not.toHaveLength(0);
      expect(outcomes.filter((outcome) => outcome === 'LOST')).not.toHaveLength(0);
      await expectExactlyOnce(batchId, 1200);
    }
  } finally {
    await second.close();
  }
});

test('slices of a batch add up to the whole', async () => {
  const batchId = await uploaded(2600, 3);
  const outcomes = [];
  do {
    outcomes.push(await store(parts, batchId, 1000));
  } while (outcomes.at(-1) === 'MORE');
  expect(outcomes).toEqual(['MORE', 'MORE', 'OPEN']);
  await expectExactlyOnce(batchId, 2600);
});

test('a hundred thousand rows pass through in memory that stays flat', async () => {
  const count = 100_000;
  const batchId = await uploaded(count, 20);
  global.gc?.();
  const before = process.memoryUsage.rss();
  let peak = 0;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss() - before);
  }, 100);
  try {
    expect(await store(parts, batchId)).toBe('OPEN');
  } finally {
    clearInterval(timer);
  }
  await expectExactlyOnce(batchId, count);
  expect(peak).toBeLessThan(256 * 1024 * 1024);
});

test('a stop waits for the chunk at hand, not for the batch, and the next start goes on', async () => {
  const batchId = await uploaded(40_000, 10);
  const job = createBatchStoring({ ...parts, log: pino({ level: 'silent' }) });
  job.start();
  await vi.waitFor(async () => expect((await batchRow(batchId)).rows_done).toBeGreaterThan(0), {
    timeout: 60_000,
  });
  await job.stop();
  const { state, rows_done } = await batchRow(batchId);
  expect(state).toBe('STORING');
  expect(rows_done).toBeLessThan(40_000);
  job.start();
  await vi.waitFor(async () => expect((await batchRow(batchId)).state).toBe('OPEN'), { timeout: 60_000 });
  await job.stop();
  await expectExactlyOnce(batchId, 40_000);
});

/** A payload whose directory nothing else of the next test needs: the others share 256 directories often enough. */
function payloadApart(): string {
  const contents = [lines(40_000, 10), lines(30, 30)].map((upload) => Buffer.concat([...upload]));
  contents.push(...Array.from({ length: 30 }, (_, n) => Buffer.from(`payload ${n}`)));
  const taken = new Set(contents.map(directoryOf));
  for (;;) {
    const payload = randomUUID();
    const directory = directoryOf(Buffer.from(payload));
    if (!taken.has(directory) && directory !== directoryOf(Buffer.from(JSON.stringify({ payload })))) {
      return payload;
    }
  }
}

function directoryOf(content: Buffer): string {
  return keyOf(content).slice(0, 2);
}

test('the job stores on one of two nodes, small uploads apart from large ones, and survives a batch that fails', async () => {
  const second = openDatabase({ url: ctx.url });
  const logged: unknown[] = [];
  const log = pino({ level: 'info' }, { write: (line) => logged.push(JSON.parse(line)) });
  // The first batch fails at every try: a file stands where the directory of its payload belongs.
  const payload = payloadApart();
  const { tenantId } = world.customer;
  const obstacle = join(parts.directory, String(tenantId), directoryOf(Buffer.from(payload)));
  await rm(obstacle, { recursive: true, force: true });
  const failing = await uploadedBytes([Buffer.from(JSON.stringify({ payload }))]);
  await writeFile(obstacle, '');
  const [large, small] = [await uploaded(40_000, 10), await uploaded(30)];
  const jobs = [parts, { ...parts, db: second }].map((node) => createBatchStoring({ ...node, log }));
  try {
    for (const job of jobs) {
      job.start();
    }
    await vi.waitFor(async () => expect((await batchRow(small)).state).toBe('OPEN'), { timeout: 60_000 });
    expect((await batchRow(large)).state).toBe('STORING');
    await vi.waitFor(async () => expect((await batchRow(large)).state).toBe('OPEN'), { timeout: 60_000 });
    await expectExactlyOnce(small, 30);
    await expectExactlyOnce(large, 40_000);
    expect((await batchRow(failing)).state).toBe('STORING');
    await rm(obstacle);
    await vi.waitFor(async () => expect((await batchRow(failing)).state).toBe('OPEN'), { timeout: 60_000 });
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'batch.storing_failed', batchId: String(failing) }),
    );
  } finally {
    await Promise.all(jobs.map((job) => job.stop()));
    await second.close();
  }
});
