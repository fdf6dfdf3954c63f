import { expect, test } from 'vitest';
import { exportAnswers } from '../../../src/services/projects/export.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { noteReader, type Shown } from '../../../src/services/quality/adjudication/readers.js';
import { useTestDb } from '../../support/db.js';
import { at, type Expert, makeBatch, makeViewer, makeWorld, type World } from '../../support/factories.js';
import { expectRulesHold } from '../../support/rules.js';
import { emptyReason, outcome, submit, take } from '../../support/work.js';

// DESIGN 8.14: who has read a task's answers in another role can never claim or adjudicate it.
const t = useTestDb();

/** The same person, as an analyst. */
const reads = ({ viewer }: Expert, shown: Shown) =>
  noteReader(t.database, { ...viewer, role: 'ANALYST' }, shown);

const readersOf = async ({ viewer }: Expert) =>
  (
    await t.admin.query('select project_id, task_id from answer_readers where identity_id = $1', [
      viewer.identityId,
    ])
  ).rows;

async function takeAll(world: World, expert: Expert): Promise<bigint[]> {
  const taken: bigint[] = [];
  while ((await emptyReason(t.database, expert)) === 'GIVEN') {
    const held = await take(t.database, expert);
    taken.push(held.taskId);
    await submit(t.database, expert, held);
  }
  return taken.filter((id) => world.taskIds.includes(id));
}

test('a task that was read, untouched or begun, is never given to the reader, and all else is', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 4, project: { redundancy: 2 } });
  const begun = await take(t.database, world.bob);
  await submit(t.database, world.bob, begun);
  const untouched = world.taskIds.find((id) => id !== begun.taskId);
  const read = [begun.taskId, untouched ?? 0n];
  await reads(world.ada, { taskIds: read });
  await reads(world.ada, { taskIds: read });
  expect(await readersOf(world.ada)).toHaveLength(2);
  await expectRulesHold(t.database);
  expect((await takeAll(world, world.ada)).sort()).toEqual(
    world.taskIds.filter((id) => !read.includes(id)).sort(),
  );
  expect(await takeAll(world, world.bob)).toHaveLength(3);
  await expectRulesHold(t.database);
});

/** A world whose one task is disputed: its adjudication waits, and three have answered. */
async function disputed(read: 'before' | 'after'): Promise<World> {
  const world = await makeWorld(t.database, { experts: 6, tasks: 0, quality: 0.85 });
  const { projectId, operator } = world;
  const policy = { kind: 'AGREE', agree: 2, max: 3 } as const;
  await setRedundancy(t.database, operator, { projectId, policy, isCritical: false });
  const { taskIds } = await makeBatch(t.database, world, { projectId, tasks: 1 });
  const reader = at(world.experts, 4);
  for (const [index, choice] of (['yes', 'no', 'unsure'] as const).entries()) {
    if (index === 2 && read === 'before') {
      await reads(reader, { taskIds });
    }
    const expert = at(world.experts, index);
    await submit(t.database, expert, { ...(await take(t.database, expert)), choice });
  }
  if (read === 'after') {
    await reads(reader, { taskIds });
  }
  return world;
}

test.each(['before', 'after'] as const)(
  'who read a task %s it was disputed does not adjudicate it',
  async (read) => {
    const world = await disputed(read);
    expect(await emptyReason(t.database, at(world.experts, 4))).not.toBe('GIVEN');
    expect(await emptyReason(t.database, at(world.experts, 5))).toBe('GIVEN');
    await expectRulesHold(t.database);
  },
);

test('who takes a project’s answers away is barred from the project by one row', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 3, project: { maxPerExpert: 5 } });
  const other = await makeWorld(t.database);
  const { tenantId, projectId, ada } = world;
  const request = { tenantId, projectId, idempotencyKey: 'none', actorId: ada.viewer.identityId };
  for await (const _answer of exportAnswers(t.database, request)) {
    // Whatever it is.
  }
  expect(await readersOf(ada)).toEqual([{ project_id: String(projectId), task_id: '0' }]);
  expect(await emptyReason(t.database, ada)).toBe('CONFLICT_OF_INTEREST');
  expect(await emptyReason(t.database, world.bob)).toBe('GIVEN');
  expect(await emptyReason(t.database, other.ada)).toBe('GIVEN');
  await expectRulesHold(t.database);
});

test('more than ten tasks at once, and a hundred in all, are the project', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 120 });
  await reads(world.ada, { taskIds: world.taskIds.slice(0, 11) });
  expect(await readersOf(world.ada)).toEqual([{ project_id: String(world.projectId), task_id: '0' }]);
  for (let from = 0; from < 120; from += 10) {
    await reads(world.bob, { taskIds: world.taskIds.slice(from, from + 10) });
  }
  const rows = await readersOf(world.bob);
  expect(rows).toHaveLength(101);
  expect(rows.filter(({ task_id }) => task_id === '0')).toHaveLength(1);
});

test('a lease on what is read is withdrawn, and its slot goes to somebody else', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 1 });
  const held = await take(t.database, world.ada);
  await reads(world.ada, { taskIds: [held.taskId] });
  expect(await outcome(submit(t.database, world.ada, held))).not.toBe('OK');
  expect(await emptyReason(t.database, world.ada)).not.toBe('GIVEN');
  expect((await take(t.database, world.bob)).taskId).toBe(held.taskId);
  await expectRulesHold(t.database);
});

test('what somebody read before they became an expert is kept from them', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 2 });
  const analyst = await makeViewer(t.database, world, { role: 'ANALYST' });
  await noteReader(t.database, analyst, { taskIds: [at(world.taskIds, 0)] });
  await t.admin.query('delete from identity_roles where expert_id = $1', [world.ada.expertId]);
  await t.admin.query(
    `insert into identity_roles (tenant_id, identity_id, role, expert_id) values ($1, $2, 'EXPERT', $3)`,
    [world.tenantId, analyst.identityId, world.ada.expertId],
  );
  const ada = { ...world.ada, viewer: { ...world.ada.viewer, identityId: analyst.identityId } };
  expect(await takeAll(world, ada)).toEqual([at(world.taskIds, 1)]);
});

test('an expert’s own answers bar them from nothing', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 1 });
  await noteReader(t.database, world.ada.viewer, { taskIds: world.taskIds });
  expect(await readersOf(world.ada)).toEqual([]);
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
});
