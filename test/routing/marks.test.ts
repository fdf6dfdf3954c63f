import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connect } from '../../src/runtime/connect.js';
import { useTestDb } from '../support/db.js';
import { at, type Expert, makeBatch, makeExperts, makeWorld, type World } from '../support/factories.js';
import { numberOf } from '../support/look.js';
import { expectRulesHold } from '../support/rules.js';
import { claimRequest, connectApp, serve, workThrough } from '../support/serving.js';
import { claim, take } from '../support/work.js';

// Low-water marks spare a claim the walk over dead rows. They are hints: wrong ones cost time, never a task.
const t = useTestDb();
let app: pg.Client;
beforeAll(async () => {
  app = await connectApp(t);
});
afterAll(() => app.end());

const refresh = (whole = false) => t.admin.query('select app.refresh_lanes($1)', [whole]);

async function marksOf({ tenantId }: World): Promise<{ untouched: number; begun: number }> {
  const { rows } = await t.admin.query(
    'select low_untouched::int as untouched, low_begun::int as begun from lanes where tenant_id = $1',
    [tenantId],
  );
  return rows[0];
}

const outcomeOf = async (world: World) =>
  at((await serve(app, world.tenantId, { claims: [claimRequest(world.ada)] })).claims, 0).outcome;

test('a mark goes to the first row that waits, and a second look does not move it further', async () => {
  const world = await makeWorld(t.database, { experts: 5, tasks: 20, project: { weight: 10 } });
  await workThrough(app, { tenantId: world.tenantId, experts: world.experts, count: 10 });
  await refresh();
  expect(await marksOf(world)).toEqual({ untouched: 1_000, begun: 0 });
  await refresh();
  await refresh();
  expect(await marksOf(world)).toEqual({ untouched: 1_000, begun: 0 });
});

test('a slot that was being given back while the mark moved is seen at the next look', async () => {
  const world = await makeWorld(t.database, { experts: 6, tasks: 6, project: { weight: 10, redundancy: 2 } });
  const held = await take(t.database, world.ada);
  const giving = await connect(t.appUrl, 'touchstone test');
  try {
    await giving.query('begin');
    await giving.query('select app.release($1, $2, null, $3, $4)', [
      world.tenantId,
      world.ada.expertId,
      held.id,
      held.epoch,
    ]);
    await t.admin.query('update lanes set low_begun = 100000, seen_begun = 0 where tenant_id = $1', [
      world.tenantId,
    ]);
    await giving.query('commit');
  } finally {
    await giving.end();
  }
  await refresh();
  expect((await marksOf(world)).begun).toBe(0);
});

test('marks that are wrong for whatever reason cost a claim its quick look and nothing else', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  await t.admin.query(
    'update lanes set low_untouched = 1000000, seen_untouched = 1000000, low_begun = 1000000 where tenant_id = $1',
    [world.tenantId],
  );
  expect(await outcomeOf(world)).toBe('LOOK');
  await refresh();
  expect(await outcomeOf(world)).toBe('LOOK');
  await refresh(true);
  expect(await outcomeOf(world)).toBe('LEASED');
  await expectRulesHold(t.database);
});

test('the exact look does not read the marks', async () => {
  const world = await makeWorld(t.database, { tasks: 1 });
  await t.admin.query('update lanes set low_untouched = 1000000, low_begun = 1000000 where tenant_id = $1', [
    world.tenantId,
  ]);
  expect('held' in (await claim(t.database, world.ada))).toBe(true);
});

test('tasks that are being opened while the marks are looked at are found by the first claim after', async () => {
  const world = await makeWorld(t.database, { experts: 3, tasks: 10 });
  await workThrough(app, { tenantId: world.tenantId, experts: world.experts, count: 10 });
  const { rows } = await t.admin.query('select max(id) as id from batches where tenant_id = $1', [
    world.tenantId,
  ]);
  const opening = await connect(t.appUrl, 'touchstone test');
  try {
    await opening.query('begin');
    await opening.query('select app.enter_service($1, null)', [world.tenantId]);
    await t.admin.query('update flows set last_tag = 500 where tenant_id = $1', [world.tenantId]);
    const row = { line: 99, payloadKey: 'key', payloadBytes: 1, contentType: 'text/plain' };
    await opening.query('select * from app.enqueue_tasks($1, $2, $3)', [
      world.tenantId,
      rows[0].id,
      JSON.stringify([row]),
    ]);
    await t.admin.query('set lock_timeout = 1');
    await expect(
      t.admin.query('update lanes set low_untouched = 900, seen_untouched = 900 where tenant_id = $1', [
        world.tenantId,
      ]),
    ).rejects.toThrow(/lock timeout/);
    await refresh();
    await opening.query('commit');
  } finally {
    await t.admin.query('reset lock_timeout');
    await opening.end();
  }
  expect(await outcomeOf(world)).toBe('LEASED');
});

test('dead rows at the head cost a claim nothing once the mark has passed them, an old snapshot or not', async () => {
  const world = await makeWorld(t.database, { tasks: 0 });
  const snapshot = await connect(t.url, 'touchstone test');
  try {
    await makeBatch(t.database, world, { projectId: world.projectId, tasks: 4_000 });
    await snapshot.query('begin isolation level repeatable read');
    await snapshot.query('select count(*) from ready');
    await t.admin.query('delete from ready where tenant_id = $1 and tag < 300000', [world.tenantId]);
    await t.admin.query(
      `update tasks set state = 'CANCELLED' where tenant_id = $1 and id not in (select task_id from ready)`,
      [world.tenantId],
    );
    expect(await buffersOfLook(world)).toBeGreaterThan(60);
    await refresh();
    expect(await buffersOfLook(world)).toBeLessThan(30);
  } finally {
    await snapshot.query('rollback');
    await snapshot.end();
  }
});

/** Shared buffers that the quick look at the world's lane touches, at the mark as it stands. */
async function buffersOfLook({ tenantId }: World): Promise<number> {
  const lanes = await t.admin.query('select id, low_begun, low_untouched from lanes where tenant_id = $1', [
    tenantId,
  ]);
  const { id, low_begun, low_untouched } = lanes.rows[0];
  const look =
    'explain (analyze, buffers, format json) select (select count(*) from app.begun_rows($1, $2, $3, 16)), (select count(*) from app.untouched_rows($1, $2, $4, 4))';
  await t.admin.query(look, [tenantId, id, low_begun, low_untouched]);
  const { rows } = await t.admin.query(look, [tenantId, id, low_begun, low_untouched]);
  return rows[0]['QUERY PLAN'][0].Plan['Shared Hit Blocks'];
}

test('nor do they cost a whole claim anything, one alone or one among several', async () => {
  const world = await makeWorld(t.database, { tasks: 0, experts: 6 });
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 4_000 });
  const alone = [world.ada];
  const clean = { alone: await buffersOf(world, alone), six: await buffersOf(world, world.experts) };
  const snapshot = await connect(t.url, 'touchstone test');
  try {
    await snapshot.query('begin isolation level repeatable read');
    await snapshot.query('select count(*) from ready');
    await t.admin.query('delete from ready where tenant_id = $1 and tag < 300000', [world.tenantId]);
    await t.admin.query(
      `update tasks set state = 'CANCELLED' where tenant_id = $1 and id not in (select task_id from ready)`,
      [world.tenantId],
    );
    expect(await buffersOf(world, alone)).toBeGreaterThan(clean.alone + 40);
    await refresh();
    expect(await buffersOf(world, alone)).toBeLessThan(clean.alone + 20);
    expect(await buffersOf(world, world.experts)).toBeLessThan(clean.six + 40);
  } finally {
    await snapshot.query('rollback');
    await snapshot.end();
  }
});

/** Shared buffers that claims of these experts touch, as requests have them: row-level security stands between look and index. */
async function buffersOf({ tenantId }: World, experts: readonly Expert[]): Promise<number> {
  const call = 'explain (analyze, buffers, format json) select app.serve($1, $2, $3)';
  const values = [tenantId, '[]', JSON.stringify(experts.map((expert) => claimRequest(expert)))];
  const touched: number[] = [];
  for (let n = 0; n < 4; n++) {
    await app.query('begin');
    const { rows } = await app.query(call, values);
    await app.query('rollback');
    touched.push(rows[0]['QUERY PLAN'][0].Plan['Shared Hit Blocks']);
  }
  // The first ones read the catalogue too, for their plans.
  return Math.min(...touched);
}

test('an expert with a long history at the head pays for a bounded look, not for the history', async () => {
  const world = await makeWorld(t.database, { experts: 1, tasks: 500, project: { redundancy: 2 } });
  await workThrough(app, { tenantId: world.tenantId, experts: [world.ada], count: 300 });
  const others = await makeExperts(t.database, world, { count: 1, skillId: world.skillId });
  const begun = 'select count(*) from ready where tenant_id = $1 and phase = 1';
  expect(await numberOf(t.admin, begun, [world.tenantId])).toBe(300);
  expect(await outcomeOf(world)).toBe('LEASED');
  expect((await take(t.database, at(others, 0))).taskId).toBe(at(world.taskIds, 0));
  await expectRulesHold(t.database);
});
