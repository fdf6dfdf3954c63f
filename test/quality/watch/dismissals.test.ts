import { expect, test } from 'vitest';
import { watchGolds } from '../../../src/services/quality/gold/health.js';
import { decideFinding } from '../../../src/services/quality/watching/findings.js';
import { watchExperts } from '../../../src/services/quality/watching/watch-experts.js';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld, type World } from '../../support/factories.js';
import { makeGolds } from '../../support/golds.js';
import { numberOf } from '../../support/look.js';
import { brokenRules } from '../../support/rules.js';
import { emptyReason } from '../../support/work.js';
import { type GoldAnswer, plantGoldAnswers } from '../support/golden.js';
import { foldScores, settle } from '../support/graded.js';

// Decision 0053: a finding that means nothing takes back what followed from it.
const t = useTestDb();

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

const findingOf = async ({ tenantId }: World, kind: string): Promise<bigint> =>
  BigInt(
    at(await rows('select id from gold_findings where tenant_id = $1 and kind = $2', [tenantId, kind]), 0).id,
  );

const dismiss = (world: World, findingId: bigint) =>
  decideFinding(t.database, world.operator, {
    findingId,
    reason: 'The key is right.',
    made: { decision: 'DISMISSED' },
  });

const goldOf = async ({ tenantId }: World) =>
  at(await rows('select state, reason from golds where tenant_id = $1 order by task_id', [tenantId]), 0);

const seen = (world: World) =>
  numberOf(t.admin, 'select coalesce(sum(seen), 0) from quality_scores where tenant_id = $1', [
    world.tenantId,
  ]);

const voided = (world: World) =>
  numberOf(t.admin, 'select count(*) from voided_gradings where tenant_id = $1', [world.tenantId]);

/** (The planted answers have no receipts and payouts: what is about those is left out.) */
const scoresBroken = async () =>
  (await brokenRules(t.database)).filter((rule) => /^rule 11|permanent/.test(rule));

/** Ten strong experts who all say no where the key says yes. */
async function suspected(): Promise<World> {
  const world = await makeWorld(t.database, { experts: 10, tasks: 0 });
  const answers = world.experts.map(
    (_, expert): GoldAnswer => ({ expert, gold: 0, label: 'no', seconds: 30 }),
  );
  await plantGoldAnswers(t, world, { golds: 1, answers });
  await watchGolds(t.database, 100);
  expect(await goldOf(world)).toEqual({ state: 'SUSPENDED', reason: 'UNHEALTHY' });
  await foldScores(t);
  expect(await seen(world)).toBe(0);
  return world;
}

test('a gold that was suspended for nothing is given again, its results count again, and it is not suspended for that again', async () => {
  const world = await suspected();
  const findingId = await findingOf(world, 'UNHEALTHY');
  const undone = { goldResumed: true, resultsRestored: 10, pausesLifted: 0, remains: null };
  expect(await dismiss(world, findingId)).toEqual(undone);
  expect(await goldOf(world)).toEqual({ state: 'ACTIVE', reason: null });
  await foldScores(t);
  expect(await seen(world)).toBe(10);
  await watchGolds(t.database, 100);
  expect(await goldOf(world)).toEqual({ state: 'ACTIVE', reason: null });
  expect(
    await numberOf(
      t.admin,
      'select count(*) from gold_pools where tenant_id = $1 and cardinality(labels) > 0',
      [world.tenantId],
    ),
  ).toBe(1);
  expect(await dismiss(world, findingId)).toEqual({ ...undone, goldResumed: false, resultsRestored: 0 });
  expect(await scoresBroken()).toEqual([]);
});

test('where a corrected gold was given since, the suspended one stays so, and all else is taken back', async () => {
  const world = await suspected();
  await makeGolds(t.database, world, { keys: ['no'] });
  await t.admin.query(
    `update golds set payload_key = (select g.payload_key from golds g where g.tenant_id = $1 and g.state = 'SUSPENDED')
     where tenant_id = $1 and state = 'ACTIVE'`,
    [world.tenantId],
  );
  expect(await dismiss(world, await findingOf(world, 'UNHEALTHY'))).toEqual({
    ...{ goldResumed: false, resultsRestored: 10, pausesLifted: 0 },
    remains: expect.stringContaining('stays suspended'),
  });
  expect(await goldOf(world)).toEqual({ state: 'SUSPENDED', reason: 'UNHEALTHY' });
  await foldScores(t);
  expect(await seen(world)).toBe(10);
  expect(await scoresBroken()).toEqual([]);
});

test('what two findings make void counts again with the second that is dismissed, whatever it was void for', async () => {
  const world = await suspected();
  await t.admin.query(
    `insert into gold_findings (tenant_id, kind, task_id, project_id, evidence, found_at)
     select tenant_id, 'LEAKED', task_id, project_id, '{}', app.clock_now() from golds where tenant_id = $1`,
    [world.tenantId],
  );
  expect(await dismiss(world, await findingOf(world, 'UNHEALTHY'))).toMatchObject({ resultsRestored: 0 });
  expect(await voided(world)).toBe(10);
  expect(await dismiss(world, await findingOf(world, 'LEAKED'))).toMatchObject({ resultsRestored: 10 });
  expect(await voided(world)).toBe(0);
});

test('who was thought to know gold has their results back; the gold stays retired, and the answer says why', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 40 });
  const of = (expert: number, seconds: number): GoldAnswer[] =>
    Array.from({ length: 20 }, (_, gold) => ({
      expert,
      gold,
      label: 'yes',
      seconds: seconds * (0.7 + (gold % 7) / 10),
    }));
  await plantGoldAnswers(t, world, { golds: 20, answers: [...of(0, 5), ...of(1, 30)] });
  await t.admin.query(
    `insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at)
     values ($1, 'QUICK_ON_GOLD', $2, $3, '{}', app.clock_now())`,
    [world.tenantId, world.projectId, [String(world.ada.expertId)]],
  );
  // As the watch does (test/quality/watch/in-database.test.ts), of a gold that is leaked by itself too.
  await t.admin.query(
    `update golds set state = 'RETIRED', reason = 'LEAKED', ended_at = app.clock_now() where tenant_id = $1`,
    [world.tenantId],
  );
  await t.admin.query(
    `insert into voided_gradings (tenant_id, grading_id, reason, at)
     select tenant_id, id, 'LEAKED', app.clock_now() from gradings where tenant_id = $1 and expert_id = $2`,
    [world.tenantId, world.ada.expertId],
  );
  await t.admin.query(
    `insert into gold_findings (tenant_id, kind, task_id, project_id, evidence, found_at)
     select tenant_id, 'LEAKED', min(task_id), project_id, '{}', app.clock_now() from golds where tenant_id = $1 group by tenant_id, project_id`,
    [world.tenantId],
  );
  const undone = await dismiss(world, await findingOf(world, 'QUICK_ON_GOLD'));
  expect(undone).toMatchObject({
    goldResumed: false,
    resultsRestored: 19,
    remains: expect.stringContaining('stays retired'),
  });
  expect(await voided(world)).toBe(1);
  expect(await goldOf(world)).toMatchObject({ state: 'RETIRED' });
  await foldScores(t);
  await settle(t);
  expect(await seen(world)).toBe(39);
  expect(await scoresBroken()).toEqual([]);
});

test('a pause that was made from the finding is lifted, another one stays', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 3 });
  await t.admin.query(
    `insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at) values ($1, 'PEER_GAP', $2, $3, '{}', app.clock_now())`,
    [world.tenantId, world.projectId, [String(world.ada.expertId)]],
  );
  const findingId = await findingOf(world, 'PEER_GAP');
  const made = { decision: 'PAUSED', expertId: world.ada.expertId, withdraw: false } as const;
  await decideFinding(t.database, world.operator, { findingId, reason: 'Looks it up.', made });
  expect(await emptyReason(t.database, world.ada)).toBe('PAUSED');
  expect(await dismiss(world, findingId)).toMatchObject({
    pausesLifted: 1,
    resultsRestored: 0,
    remains: null,
  });
  expect(await emptyReason(t.database, world.ada)).toBe('GIVEN');
  expect(await dismiss(world, findingId)).toMatchObject({ pausesLifted: 0 });
});

test('a pause beside a dismissal is lifted by it or refused: nobody stays paused because of what means nothing', async () => {
  const world = await makeWorld(t.database, { experts: 2, tasks: 3 });
  for (let round = 0; round < 10; round++) {
    const { rows } = await t.admin.query(
      `insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at)
       values ($1, 'PEER_GAP', $2, array[$3::bigint, $4], '{}', app.clock_now()) returning id`,
      [world.tenantId, world.projectId, world.ada.expertId, 1_000_000 + round],
    );
    const findingId = BigInt(rows[0].id);
    const made = { decision: 'PAUSED', expertId: world.ada.expertId, withdraw: false } as const;
    const pause = () =>
      decideFinding(t.database, world.operator, { findingId, reason: 'Looks it up.', made }).catch(
        (error) => error.code,
      );
    await Promise.all([pause(), dismiss(world, findingId), pause()]);
    expect(await pause()).toBe('FINDING_DISMISSED');
    const { rows: standing } = await t.admin.query(
      'select from pauses where tenant_id = $1 and expert_id = $2 and resumed_at is null',
      [world.tenantId, world.ada.expertId],
    );
    expect(standing).toEqual([]);
  }
});

test('nothing but a fact that it counts again takes away that a grading is void', async () => {
  const world = await suspected();
  await expect(
    t.admin.query('delete from voided_gradings where tenant_id = $1', [world.tenantId]),
  ).rejects.toMatchObject({ code: 'XR001' });
  while (await watchExperts(t.database));
});
