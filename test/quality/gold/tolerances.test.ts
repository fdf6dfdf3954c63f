import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGolds } from '../../../src/services/projects/gold-intake.js';
import { makeParts } from '../../projects/support/intake-world.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld, type World } from '../../support/factories.js';
import { outcome } from '../../support/work.js';

// How far off a number may be on gold: as it is given, else as the task type has it.
const t = useTestDb();
let parts: Awaited<ReturnType<typeof makeParts>>;
let world: World;

beforeAll(async () => {
  parts = await makeParts(t.database);
  const criteria = [
    { name: 'length', min: 0, max: 100, scale: 'interval', tolerance: 3 },
    { name: 'width', min: 0, max: 10, scale: 'interval' },
    { name: 'grade', min: 1, max: 5 },
  ];
  world = await makeWorld(t.database, { tasks: 0, definition: { kind: 'RUBRIC', criteria } });
});

afterAll(() => parts[Symbol.asyncDispose]());

const give = (payload: string, tolerances?: { dimension: string; tolerance: number }[]) =>
  createGolds(parts, world.operator, {
    projectId: world.projectId,
    golds: [{ payload, answer: { scores: { length: 50, width: 4, grade: 2 } }, tolerances }],
    source: 'HAND',
  });

const keysOf = async (taskId: bigint | undefined) =>
  (
    await t.admin.query('select dimension, tolerance from gold_keys where task_id = $1 order by dimension', [
      taskId,
    ])
  ).rows.map(({ dimension, tolerance }) => `${dimension} ${tolerance}`);

test('a number of gold is right within the tolerance given with it, else within its dimension’s', async () => {
  const { taskIds } = await give('given', [{ dimension: 'length', tolerance: 0.5 }]);
  // Of the width half a step.
  expect(await keysOf(taskIds[0])).toEqual(['grade 0', 'length 0.5', 'width 0.5']);
  const other = await give('not given');
  expect(await keysOf(other.taskIds[0])).toEqual(['grade 0', 'length 3', 'width 0.5']);
});

test('the same gold again is the same, and with another tolerance it is refused', async () => {
  const first = await give('again', [{ dimension: 'length', tolerance: 1 }]);
  expect(await give('again', [{ dimension: 'length', tolerance: 1 }])).toEqual(first);
  expect(await give('again')).toEqual(first);
  expect(await outcome(give('again', [{ dimension: 'length', tolerance: 2 }]))).toBe('INPUT_INVALID');
});

test.each([
  { dimension: 'grade', tolerance: 1 },
  { dimension: 'depth', tolerance: 1 },
  { dimension: 'length', tolerance: -1 },
])('a tolerance of $tolerance for $dimension is refused', async (tolerance) => {
  expect(await outcome(give('refused', [tolerance]))).toBe('INPUT_INVALID');
});
