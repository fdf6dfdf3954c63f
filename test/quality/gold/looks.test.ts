import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBatch, type InlineTask } from '../../../src/services/projects/batches.js';
import { createGolds } from '../../../src/services/projects/gold-intake.js';
import { nameLike } from '../../../src/services/quality/gold/names.js';
import { inline, useBatchDesk } from '../../projects/support/batch-desk.js';
import { store } from '../../projects/support/intake-world.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld } from '../../support/factories.js';
import { makeGolds, nextTick } from '../../support/golds.js';
import { answerNext, outcome } from '../../support/work.js';

// Gold and tasks come in any order: what experts see of them tells neither from the other.

const ctx = useTestDb();
const { desk } = useBatchDesk(ctx);

type Given = Pick<InlineTask, 'externalId' | 'contentType'> & { payload: string };

const give = (projectId: bigint, golds: readonly Given[]) =>
  createGolds(desk.parts, desk.world.operator, {
    projectId,
    golds: golds.map((gold) => ({ ...gold, answer: { preference: 'LEFT' } })),
    source: 'IMPORT',
  });

async function addTasks(projectId: bigint, tasks: readonly Given[]): Promise<void> {
  const { parts, world } = desk;
  const { batchId } = await createBatch(parts, world.customer, inline(projectId, tasks));
  await store(parts, batchId);
}

const goldsOf = async (projectId: bigint) =>
  (
    await ctx.admin.query(
      `select t.external_id as name, t.content_type as type, g.look, g.aside, g.state, g.reason
       from golds g join tasks t on t.tenant_id = g.tenant_id and t.id = g.task_id where g.project_id = $1 order by t.external_id collate "C" nulls first, t.content_type`,
      [projectId],
    )
  ).rows;

const classesOf = async (projectId: bigint) =>
  (await ctx.admin.query('select labels from gold_pools where project_id = $1', [projectId])).rows;

test('gold that came before tasks with names is given names of their form, of no task', async () => {
  const projectId = await desk.world.project();
  const { isBeforeTasks } = await give(
    projectId,
    Array.from({ length: 20 }, (_, n) => ({ payload: `gold ${n}` })),
  );
  expect(isBeforeTasks).toBe(true);
  const names = Array.from({ length: 30 }, (_, n) => `item-${10 + n}`);
  await addTasks(
    projectId,
    names.map((externalId) => ({ payload: `task ${externalId}`, externalId })),
  );
  const golds = await goldsOf(projectId);
  expect(new Set(golds.map(({ name }) => name)).size).toBe(20);
  for (const { name, look, aside } of golds) {
    expect(name).toMatch(/^item-[1-9]\d{1,3}$/);
    expect(names).not.toContain(name);
    expect([look, aside]).toEqual(['NAMED text/plain; charset=utf-8', null]);
  }
  // The same sent again is the same gold, whatever it is named by now.
  expect(await outcome(give(projectId, [{ payload: 'gold 1' }]))).toBe('OK');
});

test('gold unlike all tasks is set aside when they come, staff are told, and it is given once a task is like it', async () => {
  const projectId = await desk.world.project();
  await give(projectId, [
    { payload: 'gold', contentType: 'text/html' },
    { payload: 'a gold of many words, far more than any task has' },
  ]);
  expect(await classesOf(projectId)).toHaveLength(1);
  await addTasks(projectId, [{ payload: 'task' }]);
  expect((await goldsOf(projectId)).map(({ aside }) => aside)).toEqual(['CONTENT_TYPE', 'SIZE']);
  expect(await classesOf(projectId)).toEqual([]);
  const { rows } = await ctx.admin.query(
    `select kind from stream_events where stream = 'quality/staff' and body ->> 'projectId' = $1`,
    [projectId],
  );
  expect(rows).toEqual([{ kind: 'GOLD_SET_ASIDE' }]);
  await addTasks(projectId, [
    { payload: 'html', contentType: 'text/html' },
    { payload: 'a task of about so many words' },
  ]);
  expect((await goldsOf(projectId)).map(({ aside }) => aside)).toEqual([null, null]);
  expect(await classesOf(projectId)).toHaveLength(1);
});

test('gold without a name stays aside where names have nothing to draw, until it is sent again with one', async () => {
  const projectId = await desk.world.project();
  await give(projectId, [{ payload: 'gold' }, { payload: 'more', externalId: 'Oslo' }]);
  await addTasks(projectId, [
    { payload: 'task', externalId: 'Paris' },
    { payload: 'html', externalId: 'Rome' },
  ]);
  const names = async () => (await goldsOf(projectId)).map(({ name, aside }) => [name, aside]);
  expect(await names()).toEqual([
    [null, 'NAME'],
    ['Oslo', null],
  ]);
  await give(projectId, [
    { payload: 'gold', externalId: 'Bonn' },
    { payload: 'more', externalId: 'Kiel' },
  ]);
  expect(await names()).toEqual([
    ['Bonn', null],
    ['Oslo', null],
  ]);
});

test('a name of gold that a task comes to have is drawn anew, and of gold that somebody was shown ends it', async () => {
  const projectId = await desk.world.project();
  await give(projectId, [
    { payload: 'gold', externalId: 'q-501' },
    { payload: 'more', externalId: 'q-502' },
    { payload: 'last', externalId: 'q-503' },
  ]);
  await addTasks(projectId, [{ payload: 'task', externalId: 'q-500' }]);
  await ctx.admin.query(
    `update golds g set exposures = 1 from tasks t where t.tenant_id = g.tenant_id and t.id = g.task_id and t.external_id = 'q-502'
       and g.project_id = $1`,
    [projectId],
  );
  await addTasks(projectId, [
    { payload: 'its', externalId: 'q-501' },
    { payload: 'two', externalId: 'q-502' },
  ]);
  await ctx.admin.query('update golds set exposures = 0 where project_id = $1', [projectId]);
  const golds = await goldsOf(projectId);
  expect(golds.find(({ name }) => name === 'q-502')).toMatchObject({
    state: 'RETIRED',
    reason: 'NAME_GIVEN_AS_TASK',
  });
  expect(golds.find(({ name }) => name === 'q-503')).toMatchObject({ state: 'ACTIVE', aside: null });
  const drawn = golds.filter(({ name }) => name !== 'q-502' && name !== 'q-503');
  expect(drawn).toMatchObject([{ name: expect.stringMatching(/^q-\d{3,6}$/), state: 'ACTIVE' }]);
  expect(drawn).not.toMatchObject([{ name: 'q-501' }]);
  expect(await outcome(give(projectId, [{ payload: 'new', externalId: 'q-500' }]))).toBe('INPUT_INVALID');
});

test('gold of a media type that no task has is refused', async () => {
  const projectId = await desk.world.project();
  await addTasks(projectId, [{ payload: 'task', contentType: 'text/html' }]);
  expect(await outcome(give(projectId, [{ payload: 'gold' }]))).toBe('INPUT_INVALID');
  expect(await outcome(give(projectId, [{ payload: 'gold', contentType: 'text/html' }]))).toBe('OK');
});

test('a gold that may have been seen looks as it did for ever', async () => {
  const world = await makeWorld(ctx.database, { tasks: 1 });
  const [gold] = await makeGolds(ctx.database, world, { keys: ['yes'] });
  const rename = (name: string) =>
    ctx.admin.query('update tasks set external_id = $2 where id = $1', [gold, name]);
  await rename('one');
  await ctx.admin.query('update golds set exposures = 1 where task_id = $1', [gold]);
  await expect(rename('two')).rejects.toThrow('may have been seen');
  await ctx.admin.query('update golds set exposures = 0 where task_id = $1', [gold]);
});

// Here chance draws 0 always: whoever has a rate at all is given gold while there is some for them.
test('a claim gives gold only in place of a task that looks like it', async () => {
  const world = await makeWorld(ctx.database, { tasks: 3 });
  const alike = await makeGolds(ctx.database, world, { keys: ['yes'] });
  const named = await makeGolds(ctx.database, world, { keys: ['no'], look: { externalId: 'q-1' } });
  await makeGolds(ctx.database, world, { keys: ['unsure'], look: { contentType: 'text/html' } });
  const aside = await makeGolds(ctx.database, world, { keys: ['yes'] });
  await ctx.admin.query(`update golds set aside = 'SIZE' where task_id = $1`, [aside[0]]);
  const given = async () => (await answerNext(ctx.database, world.ada)).taskId;
  expect(await given()).toBe(alike[0]);
  expect(await given()).toBe(world.taskIds[1]);
  // The next that waits has a name, as one of the golds.
  await ctx.admin.query('alter table tasks disable trigger tasks_keep_look');
  await ctx.admin.query(`update tasks set external_id = 'q-2' where id = $1`, [world.taskIds[2]]);
  await ctx.admin.query('alter table tasks enable trigger tasks_keep_look');
  expect(await given()).toBe(named[0]);
  await nextTick(ctx, world);
  expect([await given(), await given()]).toEqual([world.taskIds[0], world.taskIds[2]]);
});

test('names are drawn in the form of the sample, and never begin a number with a new zero', () => {
  const sample = fc.oneof(
    fc.uuid(),
    fc.stringMatching(/^[a-z]{1,4}[-_ ]\d{1,6}$/),
    fc.stringMatching(/^\d{1,8}$/),
    fc.string(),
  );
  fc.assert(
    fc.property(
      sample,
      fc.integer({ min: 0, max: 3 }),
      fc.infiniteStream(fc.nat()),
      (name, longer, numbers) => {
        const like = nameLike(name, (below) => Number(numbers.next().value) % below, longer);
        const form = (text: string) => text.replaceAll(/\d+/g, '#');
        if (!/\d/.test(name)) {
          expect(like).toBe(null);
        } else if (!/^(?=.*[a-f])[0-9a-f-]{8,}$/i.test(name)) {
          expect(form(like ?? '')).toBe(form(name));
          expect(like).toHaveLength(name.length + longer);
          expect((like ?? '').match(/(?<!\d)0/g)?.length ?? 0).toBeLessThanOrEqual(
            name.match(/(?<!\d)0/g)?.length ?? 0,
          );
        } else {
          expect(like?.replaceAll(/[0-9a-f]/gi, 'x')).toBe(name.replaceAll(/[0-9a-f]/gi, 'x'));
        }
      },
    ),
  );
});
