import { expect, test } from 'vitest';
import { withSystem } from '../../../src/services/platform/database.js';
import { setRedundancy } from '../../../src/services/projects/redundancy.js';
import { setAside, walkDue, walkOn } from '../../../src/services/quality/watching/asides.sql.js';
import { decideFinding } from '../../../src/services/quality/watching/findings.js';
import { watchExperts } from '../../../src/services/quality/watching/watch-experts.js';
import { useTestDb } from '../../support/db.js';
import { at, makeBatch, makeWorld, type World } from '../../support/factories.js';
import { numberOf } from '../../support/look.js';
import { brokenRules } from '../../support/rules.js';
import { submit, take } from '../../support/work.js';
import { plantGoldAnswers } from '../support/golden.js';
import { foldScores } from '../support/graded.js';
import { plantAnswered } from '../support/planted.js';

// Whoever knew gold was taken for a stronger expert because of it: what they adjudicated grades nobody (decision 0152).
const t = useTestDb();
const GOLDS = 20;
const WALK_SECONDS = 61;
/** Cyd adjudicates, and so does somebody else. */
const CYD = 2;
const OTHER = 3;

const rows = async (sql: string, values: readonly unknown[]) => (await t.admin.query(sql, [...values])).rows;

/** Two who say otherwise, and the word of a stronger expert. */
async function adjudicate(world: World, by: number): Promise<bigint> {
  await makeBatch(t.database, world, { projectId: world.projectId, tasks: 1 });
  const answer = async (index: number, choice: 'yes' | 'no') => {
    const expert = at(world.experts, index);
    const held = await take(t.database, expert);
    await submit(t.database, expert, { ...held, choice });
    return held.taskId;
  };
  const taskId = await answer(0, 'yes');
  await answer(1, 'no');
  await answer(by, 'no');
  return taskId;
}

/** Three tasks, of which cyd decided the first and the last. */
async function adjudicated(): Promise<World> {
  const world = await makeWorld(t.database, { experts: 6, tasks: 0, quality: 0.85 });
  const policy = { kind: 'AGREE', agree: 2, max: 2 } as const;
  await setRedundancy(t.database, world.operator, { projectId: world.projectId, policy, isCritical: false });
  for (const by of [CYD, OTHER, CYD]) {
    await adjudicate(world, by);
  }
  await foldScores(t);
  return world;
}

/** Cyd answers gold in five seconds and all right, and takes half a minute for what is none. */
async function knowsGold(world: World): Promise<void> {
  const vote = { expert: CYD, label: 'yes', confidence: null } as const;
  await plantAnswered(
    t.admin,
    world,
    Array.from({ length: 20 }, () => [vote]),
  );
  const answers = Array.from({ length: GOLDS }, (_, gold) => ({
    expert: CYD,
    gold,
    label: 'yes' as const,
    seconds: 4 + (gold % 5) / 2,
  }));
  await plantGoldAnswers(t, world, { golds: GOLDS, answers });
}

async function watch(): Promise<void> {
  while (await watchExperts(t.database));
}

const voidOf = ({ tenantId }: World, taskId?: bigint) =>
  numberOf(
    t.admin,
    `select count(*) from voided_gradings v join gradings g on g.tenant_id = v.tenant_id and g.id = v.grading_id
     where v.tenant_id = $1 and v.reason = 'ADJUDICATOR' and g.task_id = coalesce($2, g.task_id)`,
    [tenantId, taskId === undefined ? null : String(taskId)],
  );

/** What the scores of those who were graded consist of, to the byte. */
const scoresOf = ({ tenantId, ada, bob }: World) =>
  rows(
    'select expert_id, state, mean, lower, upper from quality_scores where tenant_id = $1 and expert_id = any ($2) order by expert_id',
    [tenantId, [ada.expertId, bob.expertId].map(String)],
  );

const findingOf = async ({ tenantId }: World, kind: string): Promise<bigint> =>
  BigInt(
    at(await rows('select id from gold_findings where tenant_id = $1 and kind = $2', [tenantId, kind]), 0).id,
  );

const decide = (
  world: World,
  findingId: bigint,
  made: { decision: 'DISMISSED' } | { decision: 'PAUSED'; expertId: bigint; withdraw: boolean },
) => decideFinding(t.database, world.operator, { findingId, reason: 'Looked into it.', made });

/** (The planted answers have no receipts and payouts: what is about those is left out.) */
const broken = async () => (await brokenRules(t.database)).filter((rule) => /^rule 11/.test(rule));

const seenBy = async (world: World) =>
  (await scoresOf(world)).map(({ state }) => JSON.parse(state).seen as number);

test('what was adjudicated by whoever knew gold counts for nobody, what others adjudicated does; dismissed, all is as it was', async () => {
  const world = await adjudicated();
  const before = await scoresOf(world);
  expect(await seenBy(world)).toEqual([3, 3]);
  await knowsGold(world);
  await watch();
  expect(await voidOf(world)).toBe(4);
  await foldScores(t);
  expect(await seenBy(world)).toEqual([1, 1]);
  await t.advance(WALK_SECONDS);
  await watch();
  expect(await voidOf(world)).toBe(4);
  expect(await broken()).toEqual([]);

  const findingId = await findingOf(world, 'QUICK_ON_GOLD');
  expect(await decide(world, findingId, { decision: 'DISMISSED' })).toMatchObject({
    resultsRestored: GOLDS + 4,
  });
  expect(await decide(world, findingId, { decision: 'DISMISSED' })).toMatchObject({ resultsRestored: 0 });
  await foldScores(t);
  expect(await scoresOf(world)).toEqual(before);
  await t.advance(WALK_SECONDS);
  await watch();
  expect(await voidOf(world)).toBe(0);
  expect(await broken()).toEqual([]);
});

test('what is adjudicated later counts; what was being graded at that moment is set aside when it has been written', async () => {
  const world = await adjudicated();
  await knowsGold(world);
  await watch();
  await t.advance(1);
  const later = await adjudicate(world, CYD);
  const during = await adjudicate(world, CYD);
  // As a transaction would have left it that began before the finding and ended after.
  await t.admin.query('set session_replication_role = replica');
  await t.admin.query(
    `update gradings g set graded_at = s.until from set_asides s where g.tenant_id = $1 and s.tenant_id = $1 and g.task_id = $2`,
    [world.tenantId, String(during)],
  );
  await t.admin.query(
    `update assignments a set submitted_at = s.until, ended_at = s.until, leased_at = least(a.leased_at, s.until) from set_asides s, adjudications j
     where a.tenant_id = $1 and s.tenant_id = $1 and j.tenant_id = $1 and j.parent_id = $2 and a.task_id = j.task_id`,
    [world.tenantId, String(during)],
  );
  await t.admin.query('set session_replication_role = origin');
  await t.advance(WALK_SECONDS);
  await watch();
  expect(await voidOf(world, during)).toBe(2);
  expect(await voidOf(world, later)).toBe(0);
  expect(await voidOf(world)).toBe(6);
});

test('who shares wrong answers has graded nobody once a human pauses them for it; what two findings set aside counts with the second', async () => {
  const world = await adjudicated();
  const expertId = at(world.experts, CYD).expertId;
  for (const kind of ['SHARED_ERRORS', 'PEER_GAP']) {
    await t.admin.query(
      `insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at) values ($1, $2, $3, $4, '{}', app.clock_now())`,
      [world.tenantId, kind, world.projectId, [String(expertId)]],
    );
  }
  expect(await voidOf(world)).toBe(0);
  const [ring, gap] = [await findingOf(world, 'SHARED_ERRORS'), await findingOf(world, 'PEER_GAP')];
  const pause = { decision: 'PAUSED', expertId, withdraw: false } as const;
  await decide(world, ring, pause);
  expect(await voidOf(world)).toBe(4);
  await decide(world, gap, pause);
  expect(await decide(world, ring, { decision: 'DISMISSED' })).toMatchObject({ resultsRestored: 0 });
  expect(await voidOf(world)).toBe(4);
  expect(await decide(world, gap, { decision: 'DISMISSED' })).toMatchObject({ resultsRestored: 4 });
  expect(await voidOf(world)).toBe(0);
  await foldScores(t);
  expect(await seenBy(world)).toEqual([3, 3]);
  expect(await broken()).toEqual([]);
});

test('whoever adjudicated much is gone through page by page, and verify says what was left out', async () => {
  const world = await adjudicated();
  const expertId = at(world.experts, CYD).expertId;
  await t.admin.query(
    `insert into gold_findings (tenant_id, kind, project_id, experts, evidence, found_at) values ($1, 'QUICK_ON_GOLD', $2, $3, '{}', app.clock_now())`,
    [world.tenantId, world.projectId, [String(expertId)]],
  );
  const findingId = await findingOf(world, 'QUICK_ON_GOLD');
  await t.admin.query(
    `insert into set_asides (tenant_id, finding_id, expert_id, skill_id, until, due_at) values ($1, $2, $3, $4, app.clock_now(), app.clock_now())`,
    [world.tenantId, String(findingId), String(expertId), String(world.skillId)],
  );
  const step = () =>
    withSystem(t.database, async (tx) => {
      const walk = await walkDue(tx);
      await (walk === null ? null : walkOn(tx, walk, 1));
      return walk !== null;
    });
  await step();
  expect(await voidOf(world)).toBe(2);
  while (await step());
  expect(await voidOf(world)).toBe(4);
  // A walk that is over and has gone through nothing.
  const { tenantId } = world;
  await withSystem(t.database, (tx) => setAside(tx, { tenantId, findingId, expertId }));
  const later = await adjudicate(world, CYD);
  await t.admin.query(
    `update set_asides set is_due = false, until = app.clock_now() + interval '1 h' where tenant_id = $1`,
    [tenantId],
  );
  expect((await broken()).join('\n')).toMatch(/grading \d+ of tenant/);
  expect(await voidOf(world, later)).toBe(0);
});
