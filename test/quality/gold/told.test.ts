import { expect, test } from 'vitest';
import { createBatch } from '../../../src/services/projects/batches.js';
import { createGolds } from '../../../src/services/projects/gold-intake.js';
import { inline, useBatchDesk } from '../../projects/support/batch-desk.js';
import { store } from '../../projects/support/intake-world.js';
import { useTestDb } from '../../support/db.js';
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

test('gold has a name where all tasks have one, and none where none has', async () => {
  const named = await projectWith([{ payload: 'one', externalId: 'item-1' }]);
  expect(await outcome(give(named, { payload: 'gold' }))).toBe('INPUT_INVALID');
  expect(await outcome(give(named, { payload: 'gold', externalId: 'item-7' }))).toBe('OK');
  const unnamed = await projectWith([{ payload: 'one' }]);
  expect(await outcome(give(unnamed, { payload: 'gold', externalId: 'item-7' }))).toBe('INPUT_INVALID');
  expect(await outcome(give(unnamed, { payload: 'gold' }))).toBe('OK');
  const mixed = await projectWith([{ payload: 'one', externalId: 'item-1' }, { payload: 'two' }]);
  expect(await outcome(give(mixed, { payload: 'gold' }))).toBe('OK');
  expect(await outcome(give(mixed, { payload: 'more', externalId: 'x' }))).toBe('OK');
});

test('the same gold sent ten times at once is one gold, and all are answered alike', async () => {
  const projectId = await projectWith([{ payload: 'one' }]);
  const all = await Promise.all(Array.from({ length: 10 }, () => give(projectId, { payload: 'gold' })));
  expect(new Set(all.map(({ taskIds }) => taskIds[0])).size).toBe(1);
});
