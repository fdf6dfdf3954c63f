import { expect, test } from 'vitest';
import { endGold } from '../../../src/services/quality/gold/curation.js';
import { watchGolds } from '../../../src/services/quality/gold/health.js';
import { goldRate } from '../../../src/services/quality/gold/rate.js';
import { keepRates } from '../../../src/services/quality/gold/rates.js';
import { keepScores } from '../../../src/services/quality/scores/keep.js';
import { NO_SCORE } from '../../../src/services/quality/scores/score.js';
import { useTestDb } from '../../support/db.js';
import { makeWorld, type World } from '../../support/factories.js';
import { makeGolds, setGoldRate } from '../../support/golds.js';
import { numberOf } from '../../support/look.js';
import { expectRulesHold } from '../../support/rules.js';
import { answerNext, submit, take } from '../../support/work.js';
import { settle } from '../support/graded.js';

// What keeps gold by itself: rates, wear, and the watch. Chance draws 0 always here.
const t = useTestDb();

const NEVER = { tasksSinceMiss: null, tasksSinceAbsence: null, tasksSinceInstructions: null };

const rateOf = async ({ tenantId }: World, expertId: bigint) =>
  (
    await t.admin.query('select rate, reason from gold_rates where tenant_id = $1 and expert_id = $2', [
      tenantId,
      expertId,
    ])
  ).rows[0];

/** Gives an expert a score of 60 results, all right, but for the grading that they have. */
const makeKnown = ({ tenantId, skillId, taskTypeId }: World, expertId: bigint) =>
  t.admin.query(
    `insert into quality_scores (tenant_id, expert_id, skill_id, task_type_id, state, seen, mean, lower, upper, updated_at)
     values ($1, $2, $3, $4, $5, 60, 0.9, 0.85, 0.95, app.clock_now())
     on conflict (tenant_id, expert_id, skill_id, task_type_id) do update
       set state = excluded.state, seen = 60, mean = 0.9, lower = 0.85, upper = 0.95, updated_at = app.clock_now()`,
    [
      tenantId,
      expertId,
      skillId,
      taskTypeId,
      JSON.stringify({ ...NO_SCORE, seen: 60, right: 30, recent: Array(20).fill(1) }),
    ],
  );

test('the claim takes somebody new for what services/quality/gold takes them for', async () => {
  const world = await makeWorld(t.database);
  const byStatus = async (status: string) => {
    await t.admin.query('update expert_skills set status = $2 where tenant_id = $1', [
      world.tenantId,
      status,
    ]);
    const { rows } = await t.admin.query('select rate, reason from app.gold_rate($1, $2, $3, $4)', [
      world.tenantId,
      world.ada.expertId,
      world.skillId,
      world.taskTypeId,
    ]);
    return rows[0];
  };
  const newcomer = { seen: 0, recent: [], ...NEVER };
  expect(await byStatus('ACTIVE')).toEqual(goldRate({ standing: 'ACTIVE', ...newcomer }));
  expect(await byStatus('PROBATION')).toEqual(goldRate({ standing: 'PROBATION', ...newcomer }));
});

test('the rate falls with evidence, rises after a miss for ten tasks, and after an absence', async () => {
  const world = await makeWorld(t.database, { tasks: 40 });
  const { ada } = world;
  await makeGolds(t.database, world, { keys: ['yes'] });
  await makeKnown(world, ada.expertId);
  await keepRates(t.database, 100);
  const known = { standing: 'ACTIVE', seen: 60, recent: [], ...NEVER } as const;
  expect(await rateOf(world, ada.expertId)).toEqual(goldRate(known));
  await submit(t.database, ada, { ...(await take(t.database, ada)), choice: 'no' });
  await makeKnown(world, ada.expertId);
  await keepRates(t.database, 100);
  expect(await rateOf(world, ada.expertId)).toEqual(goldRate({ ...known, tasksSinceMiss: 0 }));
  for (let n = 0; n < 10; n++) {
    await t.advance(1);
    await answerNext(t.database, ada);
  }
  await t.advance(31);
  await keepRates(t.database, 100);
  expect(await rateOf(world, ada.expertId)).toEqual(goldRate(known));
  await t.advance(15 * 86_400);
  await take(t.database, ada);
  await keepRates(t.database, 100);
  expect(await rateOf(world, ada.expertId)).toEqual(goldRate({ ...known, tasksSinceAbsence: 0 }));
});

test('worn-out gold is retired, and its gradings count', async () => {
  const world = await makeWorld(t.database, { tasks: 9, experts: 3 });
  await makeGolds(t.database, world, { keys: ['yes'] });
  await t.admin.query('update golds set exposures_max = 1 where tenant_id = $1', [world.tenantId]);
  await answerNext(t.database, world.ada);
  await watchGolds(t.database, 100);
  const { rows } = await t.admin.query('select state, reason from golds where tenant_id = $1', [
    world.tenantId,
  ]);
  expect(rows).toEqual([{ state: 'RETIRED', reason: 'EXPOSURE' }]);
  expect(
    await numberOf(t.admin, 'select count(*) from voided_gradings where tenant_id = $1', [world.tenantId]),
  ).toBe(0);
  expect(
    await numberOf(t.admin, 'select count(*) from gold_pools where tenant_id = $1', [world.tenantId]),
  ).toBe(0);
});

const FIGURES = 'select count(*) from expert_skills x where x.tenant_id = $1';

test('a key that strong experts contradict is suspended, and no score rests on it any longer', async () => {
  const world = await makeWorld(t.database, { tasks: 30, experts: 11 });
  await makeGolds(t.database, world, { keys: ['no'] });
  for (const expert of world.experts.slice(0, 10)) {
    await answerNext(t.database, expert); // all say yes
  }
  const held = await take(t.database, world.experts[10] ?? world.ada);
  await keepScores(t.database, 100);
  await settle(t);
  expect(await numberOf(t.admin, `${FIGURES} and x.quality_lower < 0.8`, [world.tenantId])).toBe(10);
  const lower = 'select count(*) from quality_scores where tenant_id = $1 and mean < 0.9';
  expect(await numberOf(t.admin, lower, [world.tenantId])).toBe(10);
  await watchGolds(t.database, 100);
  const { rows } = await t.admin.query('select state, reason from golds where tenant_id = $1', [
    world.tenantId,
  ]);
  expect(rows).toEqual([{ state: 'SUSPENDED', reason: 'UNHEALTHY' }]);
  await submit(t.database, world.experts[10] ?? world.ada, held);
  await keepScores(t.database, 100);
  expect(
    await numberOf(t.admin, 'select count(*) from quality_scores where tenant_id = $1', [world.tenantId]),
  ).toBe(0);
  await settle(t);
  expect(
    await numberOf(t.admin, `${FIGURES} and (x.quality_mean, x.quality_lower) = (0.9, 0.8)`, [
      world.tenantId,
    ]),
  ).toBe(11);
  expect(
    await numberOf(t.admin, 'select count(*) from voided_gradings where tenant_id = $1', [world.tenantId]),
  ).toBe(11);
  const found = await t.admin.query('select kind, evidence from gold_findings where tenant_id = $1', [
    world.tenantId,
  ]);
  expect(found.rows).toMatchObject([
    { kind: 'UNHEALTHY', evidence: { answers: 10, right: 0, modal: 'yes' } },
  ]);
  await expectRulesHold(t.database);
});

test('gold that later experts answer at once, and right, is retired as leaked; what it graded of those counts no longer', async () => {
  const world = await makeWorld(t.database, { tasks: 400, experts: 32, project: { leaseSeconds: 3600 } });
  for (const { expertId } of world.experts) {
    await setGoldRate(t.admin, { tenantId: world.tenantId, expertId }, 0);
  }
  for (let round = 0; round < 6; round++) {
    for (const expert of world.experts) {
      const held = await take(t.database, expert);
      await t.admin.query(
        `update assignments set leased_at = leased_at - interval '60 seconds' where id = $1`,
        [held.id],
      );
      await submit(t.database, expert, held);
    }
  }
  await makeGolds(t.database, world, { keys: ['yes'] });
  for (const [n, expert] of world.experts.entries()) {
    await setGoldRate(t.admin, { tenantId: world.tenantId, expertId: expert.expertId }, 0.25);
    const held = await take(t.database, expert);
    const seconds = n < 20 ? 60 : 2;
    await t.admin.query(
      'update assignments set leased_at = leased_at - make_interval(secs => $2) where id = $1',
      [held.id, seconds],
    );
    await submit(t.database, expert, held);
  }
  await watchGolds(t.database, 100);
  const { rows } = await t.admin.query('select state, reason from golds where tenant_id = $1', [
    world.tenantId,
  ]);
  expect(rows).toEqual([{ state: 'RETIRED', reason: 'LEAKED' }]);
  const voided = await t.admin.query(
    `select g.expert_id from voided_gradings v join gradings g on g.tenant_id = v.tenant_id and g.id = v.grading_id
     where v.tenant_id = $1 order by g.id`,
    [world.tenantId],
  );
  const late = world.experts.slice(20).map(({ expertId }) => ({ expert_id: String(expertId) }));
  expect(voided.rows).toEqual(late);
});

test('who retires gold by hand says why; who suspends it takes what it graded away', async () => {
  const world = await makeWorld(t.database, { tasks: 9 });
  const [gold = 0n] = await makeGolds(t.database, world, { keys: ['no'] });
  await answerNext(t.database, world.ada);
  await endGold(t.database, world.operator, { taskId: gold, state: 'RETIRED', reason: 'old' });
  await endGold(t.database, world.operator, { taskId: gold, state: 'SUSPENDED', reason: 'wrong key' });
  const { rows } = await t.admin.query(
    'select g.state, v.reason from golds g, voided_gradings v where g.tenant_id = $1 and v.tenant_id = $1',
    [world.tenantId],
  );
  expect(rows).toEqual([{ state: 'SUSPENDED', reason: 'wrong key' }]);
  await expect(
    endGold(t.database, world.ada.viewer, { taskId: gold, state: 'RETIRED', reason: 'mine' }),
  ).rejects.toMatchObject({ code: 'FORBIDDEN' });
});
