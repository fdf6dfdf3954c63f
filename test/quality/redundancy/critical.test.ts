import { afterAll, beforeAll, expect, test } from 'vitest';
import { createBatch, type InlineTask } from '../../../src/services/projects/batches.js';
import { type RedundancyChange, setRedundancy } from '../../../src/services/projects/redundancy.js';
import { forCritical, type RedundancyPolicy } from '../../../src/services/quality/redundancy/policy.js';
import { makeParts, store } from '../../projects/support/intake-world.js';
import { between, oneOf, randomOf } from '../../soak/random.js';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld, unique, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { submit, take } from '../../support/work.js';

// A task may be critical by itself: three to five answers, whatever the project's policy says.
const t = useTestDb();
let parts: Awaited<ReturnType<typeof makeParts>>;

beforeAll(async () => {
  parts = await makeParts(t.database);
});

afterAll(() => parts[Symbol.asyncDispose]());

async function upload(world: World, tasks: readonly Omit<InlineTask, 'payload'>[]): Promise<bigint> {
  const { batchId } = await createBatch(parts, world.operator, {
    ...{ projectId: world.projectId, name: 'critical', deadline: null, idempotencyKey: unique('key') },
    tasks: tasks.map((task, n) => ({ ...task, payload: { n } })),
  });
  await store(parts, batchId);
  return batchId;
}

const tasksOf = async (batchId: bigint) =>
  (
    await t.admin.query(
      'select critical, wanted, counted, state from tasks where batch_id = $1 order by id',
      [batchId],
    )
  ).rows;

const worldUnder = async (policy: RedundancyChange['policy'] | null, quality = 0.85) => {
  const world = await makeWorld(t.database, { experts: 7, tasks: 0, quality });
  if (policy !== null) {
    const { projectId, operator } = world;
    await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  }
  return world;
};

test('a critical task is opened with three to five answers, others as the policy says', async () => {
  const world = await worldUnder({ kind: 'AGREE', agree: 2, max: 3 });
  const rows = [
    {},
    { critical: true },
    { critical: true, redundancy: 9 },
    { critical: false, redundancy: 1 },
  ];
  expect(await tasksOf(await upload(world, rows))).toMatchObject([
    { critical: false, wanted: 2 },
    { critical: true, wanted: 3 },
    { critical: true, wanted: 5 },
    { critical: false, wanted: 1 },
  ]);
});

test('a critical task is decided as in a critical project: two that agree are not enough', async () => {
  const world = await worldUnder({ kind: 'AGREE', agree: 2, max: 3 });
  const batchId = await upload(world, [{ critical: true }]);
  for (const [index, choice] of (['yes', 'yes', 'no', 'no'] as const).entries()) {
    const expert = at(world.experts, index);
    await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
  }
  expect(await tasksOf(batchId)).toMatchObject([{ state: 'OPEN', wanted: 5, counted: 4 }]);
  const last = at(world.experts, 4);
  await submit(t.database, last, { ...(await take(t.database, last)), choice: 'yes' });
  expect(await tasksOf(batchId)).toMatchObject([{ state: 'DONE', wanted: 5, counted: 5 }]);
  await expectRulesHold(t.database);
});

test('a critical task of a project without a policy gets three, and a dispute is adjudicated', async () => {
  const world = await worldUnder(null);
  const batchId = await upload(world, [{ critical: true }]);
  for (const [index, choice] of (['yes', 'no', 'unsure'] as const).entries()) {
    const expert = at(world.experts, index);
    await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
  }
  expect(await tasksOf(batchId)).toMatchObject([
    { critical: true, state: 'DONE', counted: 3 },
    { wanted: 1 },
  ]);
  await take(t.database, at(world.experts, 5));
  await expectRulesHold(t.database);
});

test('under a policy a task reserved for few begins with all of them', async () => {
  const world = await worldUnder({ kind: 'FIXED', answers: 3 });
  const allow = [at(world.experts, 0), at(world.experts, 1)].map(({ expertId }) =>
    parts.ids.encode('Expert', expertId),
  );
  expect(await tasksOf(await upload(world, [{ allow }]))).toMatchObject([{ wanted: 2, state: 'OPEN' }]);
  expect(await tasksOf(await upload(world, [{ allow, redundancy: 3 }]))).toEqual([]);
  expect(await tasksOf(await upload(world, [{ allow, critical: true }]))).toEqual([]);
});

test('the policy of a critical task in the database is that of the service', async () => {
  const random = randomOf(3);
  const some = (): RedundancyPolicy => {
    const low = between(random, 2, 7);
    const max = low + between(random, 0, 4);
    return oneOf<RedundancyPolicy>(random, [
      { kind: 'FIXED', answers: between(random, 1, 9) },
      { kind: 'AGREE', agree: low, max },
      { kind: 'POSTERIOR', posterior: 0.9, min: low, max, price: null },
    ]);
  };
  for (let round = 0; round < 40; round++) {
    const policy = some();
    const { rows } = await t.admin.query('select app.critical_policy($1, 1) as policy', [policy]);
    expect(at(rows, 0).policy).toEqual(forCritical(policy));
  }
  const { rows } = await t.admin.query('select app.critical_policy(null, 9) as policy');
  expect(at(rows, 0).policy).toEqual({ kind: 'FIXED', answers: 5 });
});
