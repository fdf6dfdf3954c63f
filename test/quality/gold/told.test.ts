import { expect, test } from 'vitest';
import { createBatch } from '../../../src/services/projects/batches.js';
import { createGolds } from '../../../src/services/projects/gold-intake.js';
import { inline, useBatchDesk } from '../../projects/support/batch-desk.js';
import { store } from '../../projects/support/intake-world.js';
import { useTestDb } from '../../support/db.js';
import { holding, untilBlocked } from '../../support/interleave.js';
import { outcome } from '../../support/work.js';

// Gold that experts could tell from other work is refused when it is made.

const ctx = useTestDb();
const { desk } = useBatchDesk(ctx);

/** A project with these tasks, its names given or not. */
async function projectWith(tasks: readonly { payload: string; externalId?: string }[]): Promise<bigint> {
  const { parts, world } = desk;
  const projectId = await world.project();
  const { batchId } = await createBatch(parts, world.customer, inline(projectId, tasks));
  await store(parts, batchId);
  return projectId;
}

const give = (projectId: bigint, gold: { payload: string; externalId?: string }) =>
  createGolds(desk.parts, desk.world.operator, {
    projectId,
    golds: [{ ...gold, answer: { preference: 'LEFT' } }],
    source: 'HAND',
  });

test('a payload that the project has as a task is no gold: whoever had it would know it', async () => {
  const projectId = await projectWith([{ payload: 'one' }, { payload: 'two' }]);
  expect(await outcome(give(projectId, { payload: 'two' }))).toBe('INPUT_INVALID');
  expect(await outcome(give(projectId, { payload: 'three' }))).toBe('OK');
  const other = await projectWith([{ payload: 'one' }]);
  expect(await outcome(give(other, { payload: 'two' }))).toBe('OK');
});

test('gold whose payload is given as a task afterwards is shown to nobody more, and the others go on', async () => {
  const { parts, world } = desk;
  const projectId = await projectWith([{ payload: 'one' }]);
  await give(projectId, { payload: 'two' });
  await give(projectId, { payload: 'three' });
  const { batchId } = await createBatch(parts, world.customer, inline(projectId, [{ payload: 'two' }]));
  await store(parts, batchId);
  const { rows } = await ctx.admin.query(
    'select state, reason from golds where project_id = $1 order by task_id',
    [projectId],
  );
  expect(rows).toEqual([
    { state: 'RETIRED', reason: 'GIVEN_AS_TASK' },
    { state: 'ACTIVE', reason: null },
  ]);
  expect(await outcome(give(projectId, { payload: 'two' }))).toBe('INPUT_INVALID');
});

test('gold and tasks of the same payloads at once never leave gold that is also a task', async () => {
  const { parts, world } = desk;
  const projectId = await projectWith([{ payload: 'one' }]);
  const payloads = Array.from({ length: 12 }, (_, n) => `both-${n}`);
  const batches = await Promise.all(
    payloads.map((payload) => createBatch(parts, world.customer, inline(projectId, [{ payload }]))),
  );
  await Promise.all([
    ...batches.map(({ batchId }) => store(parts, batchId)),
    ...payloads.map((payload) => outcome(give(projectId, { payload }))),
  ]);
  const { rows } = await ctx.admin.query(
    `select count(*) filter (where t.kind = 'WORK')::int as tasks, count(*) filter (where g.state = 'ACTIVE')::int as golds
     from tasks t left join golds g on g.task_id = t.id where t.project_id = $1 and t.payload_key in (
       select o.payload_key from tasks o where o.project_id = $1 and o.kind = 'WORK')`,
    [projectId],
  );
  expect(rows).toEqual([{ tasks: 13, golds: 0 }]);
});

test('tasks that come while gold of their payload is being made wait for it, and retire it', async () => {
  const { parts, world } = desk;
  const projectId = await projectWith([{ payload: 'one' }]);
  const { batchId } = await createBatch(parts, world.customer, inline(projectId, [{ payload: 'two' }]));
  // The gold has looked for tasks of its payload, finds none, and waits to write its key.
  const lock = { text: 'lock table gold_keys in share mode', values: [] };
  const [made, stored] = await holding(ctx.url, lock, async () => {
    const gold = give(projectId, { payload: 'two' });
    await untilBlocked(ctx.admin, 1);
    const tasks = store(parts, batchId);
    await Promise.race([tasks, untilBlocked(ctx.admin, 2)]);
    return [gold, tasks];
  });
  await Promise.all([made, stored]);
  const { rows } = await ctx.admin.query('select state, reason from golds where project_id = $1', [
    projectId,
  ]);
  expect(rows).toEqual([{ state: 'RETIRED', reason: 'GIVEN_AS_TASK' }]);
});

test('gold has a name where all tasks have one, and none where none has', async () => {
  const named = await projectWith([{ payload: 'one', externalId: 'item-1' }]);
  expect(await outcome(give(named, { payload: 'gold' }))).toBe('INPUT_INVALID');
  expect(await outcome(give(named, { payload: 'gold', externalId: 'item-7' }))).toBe('OK');
  const unnamed = await projectWith([{ payload: 'one' }]);
  expect(await outcome(give(unnamed, { payload: 'gold', externalId: 'item-7' }))).toBe('INPUT_INVALID');
  expect(await outcome(give(unnamed, { payload: 'gold' }))).toBe('OK');
  const mixed = await projectWith([{ payload: 'one', externalId: 'item-1' }, { payload: 'two' }]);
  expect(await outcome(give(mixed, { payload: 'gold' }))).toBe('OK');
  expect(await outcome(give(mixed, { payload: 'more', externalId: 'item-7' }))).toBe('OK');
});

test('the same gold sent ten times at once is one gold, and all are answered alike', async () => {
  const projectId = await projectWith([{ payload: 'one' }]);
  const all = await Promise.all(Array.from({ length: 10 }, () => give(projectId, { payload: 'gold' })));
  expect(new Set(all.map(({ taskIds }) => taskIds[0])).size).toBe(1);
});
