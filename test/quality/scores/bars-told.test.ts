import { expect, test } from 'vitest';
import { connect } from '../../../src/runtime/connect.js';
import { tellBars } from '../../../src/services/quality/scores/newcomers.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld, type World } from '../../support/factories.js';
import { untilBlocked } from '../../support/interleave.js';

// That all work of a skill asks for more than an expert is taken for is told once each time, by whatever changed.
const t = useTestDb();

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

const wordsOf = async ({ tenantId }: World): Promise<string[]> =>
  (
    await rows(
      `select kind from stream_events where tenant_id = $1 and stream like 'quality/expert/%' order by id`,
      [tenantId],
    )
  ).map(({ kind }) => kind);

const BAR = 'update skills set least_bar = $2 where tenant_id = $1';
const LOWER = 'update expert_skills set quality_lower = $2 where tenant_id = $1';

async function tellAll(limit = 500): Promise<number> {
  let steps = 1;
  while (await tellBars(t.database, limit)) {
    steps++;
  }
  return steps;
}

async function worldAt(lower: number, experts = 1): Promise<World> {
  const world = await makeWorld(t.database, { tasks: 0, experts });
  await rows(LOWER, [world.tenantId, lower]);
  return world;
}

test('results and a bar that change at once end with the word that is right', async () => {
  const world = await worldAt(0.6);
  await rows(BAR, [world.tenantId, 0.7]);
  await tellAll();
  expect(await wordsOf(world)).toEqual(['BELOW_BAR']);
  const results = await connect(t.url, 'touchstone test');
  const work = await connect(t.url, 'touchstone test');
  await results.query('begin');
  await results.query(LOWER, [world.tenantId, 0.75]);
  const raised = work.query(BAR, [world.tenantId, 0.8]);
  await untilBlocked(t.admin, 1);
  await results.query('commit');
  await raised;
  await tellAll();
  expect(await wordsOf(world)).toEqual(['BELOW_BAR', 'BAR_REACHED', 'BELOW_BAR']);
  // And the other way round: who reaches the old bar only is told nothing.
  await work.query('begin');
  await work.query(BAR, [world.tenantId, 0.9]);
  const reached = results.query(LOWER, [world.tenantId, 0.85]);
  await untilBlocked(t.admin, 1);
  await work.query('commit');
  await reached;
  await tellAll();
  expect(await wordsOf(world)).toEqual(['BELOW_BAR', 'BAR_REACHED', 'BELOW_BAR']);
  await Promise.all([results.end(), work.end()]);
});

test('nothing is told twice: not after a pause, nor of a bar that went and came back before it was told', async () => {
  const world = await worldAt(0.6);
  await rows(BAR, [world.tenantId, 0.7]);
  await tellAll();
  const become = (status: string) =>
    rows('update expert_skills set status = $2 where tenant_id = $1', [world.tenantId, status]);
  await become('PAUSED');
  await become('ACTIVE');
  await rows(BAR, [world.tenantId, null]);
  await rows(BAR, [world.tenantId, 0.75]);
  await tellAll();
  expect(await wordsOf(world)).toEqual(['BELOW_BAR']);
  await become('PAUSED');
  await rows(BAR, [world.tenantId, 0.5]);
  await tellAll();
  expect(await wordsOf(world)).toEqual(['BELOW_BAR']);
  await become('ACTIVE');
  expect(await wordsOf(world)).toEqual(['BELOW_BAR', 'BAR_REACHED']);
});

test('many are told in steps, each of so many, by any number of nodes, once', async () => {
  const world = await worldAt(0.6, 12);
  const [{ below }] = await rows(
    `select count(*)::int as below from expert_skills where tenant_id = $1 and status <> 'PAUSED'`,
    [world.tenantId],
  );
  await rows(BAR, [world.tenantId, 0.7]);
  await tellBars(t.database, 5);
  expect(await wordsOf(world)).toHaveLength(5);
  await Promise.all([tellAll(5), tellAll(5), tellAll(5)]);
  await tellAll(5);
  expect(await wordsOf(world)).toHaveLength(below);
});

test('who is held by somebody else just then is told the next time', async () => {
  const world = await worldAt(0.6);
  const claim = await connect(t.url, 'touchstone test');
  await claim.query('begin');
  await claim.query('update expert_skills set asked_at = now() where tenant_id = $1', [world.tenantId]);
  await rows(BAR, [world.tenantId, 0.7]);
  expect(await tellBars(t.database, 5)).toBe(false);
  expect(await wordsOf(world)).toEqual([]);
  await claim.query('commit');
  await claim.end();
  await tellAll();
  expect(await wordsOf(world)).toEqual(['BELOW_BAR']);
});
