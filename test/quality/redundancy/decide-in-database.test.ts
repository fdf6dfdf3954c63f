import { beforeAll, expect, test } from 'vitest';
import { applyPlatt, type PlattMap } from '../../../src/services/quality/confidence/platt.js';
import { decide, type Judging } from '../../../src/services/quality/redundancy/decide.js';
import type { RedundancyPolicy } from '../../../src/services/quality/redundancy/policy.js';
import {
  posterior,
  type Vote,
  type WorkerModel,
} from '../../../src/services/quality/redundancy/posterior.js';
import { gainOfMore } from '../../../src/services/quality/redundancy/value.js';
import { between, oneOf, type Random, randomOf } from '../../soak/random.js';
import { useTestDb } from '../../support/db.js';
import { at, CHOICES, makeWorld, type World } from '../../support/factories.js';
import { type PlantedVote, plantAnswered } from '../support/planted.js';

// The submit's transaction decides in SQL. It decides what services/quality/redundancy does, which has its own oracles.
const t = useTestDb();
const EXPERTS = 9;
const MAP: PlattMap = { intercept: -0.4, slope: 0.7 };
const NEXT = 0.7;
/** Stated confidence is kept in four bytes. */
const DIGITS = 6;
let world: World;
let models: WorkerModel[];

beforeAll(async () => {
  const random = randomOf(17);
  world = await makeWorld(t.database, { experts: EXPERTS, tasks: 0 });
  models = Array.from({ length: EXPERTS }, (_, index) => ({
    accuracy: 0.25 + 0.7 * random(),
    confusion: index % 3 === 2 ? matrix(random) : null,
  }));
  for (const [index, { accuracy, confusion }] of models.entries()) {
    const matrices = confusion === null ? {} : { choice: named(confusion) };
    await t.admin.query(
      `insert into quality_scores (tenant_id, expert_id, skill_id, task_type_id, state, seen, mean, lower, upper, matrices, updated_at)
       values ($1, $2, $3, $4, '{}', 9, $5, 0, 1, $6, now())`,
      [
        world.tenantId,
        at(world.experts, index).expertId,
        world.skillId,
        world.taskTypeId,
        accuracy,
        matrices,
      ],
    );
  }
  // The first expert's confidence means something, the second one's does not.
  await t.admin.query(
    `insert into skill_calibrations (tenant_id, expert_id, skill_id, dimension, pairs, intercept, slope, usual, use, updated_at)
     select $1, k.expert, k.skill, k.dimension, 40, $5, $6, k.usual, k.use, now()
     from (values ($2::bigint, $4::bigint, '', 0.8, 'USABLE'), ($3, $4, '', 0.8, 'SAYS_NOTHING'),
                  ($3, $4, 'another', 0.5, 'USABLE'), ($3, $4 + 1, '', 0.5, 'USABLE')) as k(expert, skill, dimension, usual, use)`,
    [world.tenantId, world.ada.expertId, world.bob.expertId, world.skillId, MAP.intercept, MAP.slope],
  );
  await t.admin.query(
    `insert into stopping_models (tenant_id, project_id, dimension, threshold, intercept, slope, items, next_accuracy, updated_at)
     values ($1, $2, 'choice', 0.8, 0.1, 0.9, 60, $3, now())`,
    [world.tenantId, world.projectId, NEXT],
  );
});

const judging = (policy: RedundancyPolicy): Judging => ({
  policy,
  prior: CHOICES.map(() => 1 / CHOICES.length),
  next: { accuracy: NEXT, confusion: null },
  stopping: { threshold: 0.8, map: { intercept: 0.1, slope: 0.9 } },
});

function matrix(random: Random): number[][] {
  return CHOICES.map(() => {
    const row = CHOICES.map(() => 0.05 + random());
    const total = row.reduce((sum, p) => sum + p, 0);
    return row.map((p) => p / total);
  });
}

const named = (rows: readonly (readonly number[])[]) =>
  Object.fromEntries(
    CHOICES.map((truth, z) => [
      truth,
      Object.fromEntries(CHOICES.map((answer, k) => [answer, rows[z]?.[k]])),
    ]),
  );

function someVotes(random: Random): PlantedVote[] {
  const favourite = oneOf(random, CHOICES);
  const first = between(random, 0, EXPERTS - 1);
  return Array.from({ length: between(random, 1, 6) }, (_, expert) => ({
    expert: (first + expert) % EXPERTS,
    label: random() < 0.6 ? favourite : oneOf(random, CHOICES),
    confidence: random() < 0.5 ? between(random, 0, 20) / 20 : null,
  }));
}

/** As much surer as what they stated is above the .8 of which they are right as a rule: in odds. */
function surer(accuracy: number, said: number): number {
  const odds = ((accuracy / (1 - accuracy)) * (said / (1 - said))) / (0.8 / 0.2);
  return Math.min(0.99, Math.max(0.01, odds / (1 + odds)));
}

function voteOf({ expert, label, confidence }: PlantedVote): Vote {
  const model = at(models, expert);
  const said =
    expert === 0 && confidence !== null ? surer(model.accuracy, applyPlatt(MAP, confidence)) : null;
  return {
    label: CHOICES.indexOf(label as (typeof CHOICES)[number]),
    model: said === null ? model : { accuracy: said, confusion: null },
  };
}

/** Puts some of the experts on probation. */
const setNew = (isNew: readonly boolean[]) =>
  t.admin.query(
    `update expert_skills s set status = case when e.is_new then 'PROBATION' else 'ACTIVE' end
     from unnest($2::bigint[], $3::boolean[]) as e(id, is_new) where s.tenant_id = $1 and s.expert_id = e.id`,
    [world.tenantId, world.experts.map(({ expertId }) => String(expertId)), isNew],
  );

function somePolicy(random: Random): RedundancyPolicy {
  const low = between(random, 2, 3);
  const max = low + between(random, 0, 3);
  return oneOf<() => RedundancyPolicy>(random, [
    () => ({ kind: 'FIXED', answers: between(random, 1, 4) }),
    () => ({ kind: 'AGREE', agree: low, max }),
    () => ({ kind: 'POSTERIOR', posterior: 0.6 + 0.39 * random(), min: low, max, price: null }),
    () => ({
      kind: 'POSTERIOR',
      posterior: 0.6 + 0.39 * random(),
      min: low,
      max,
      price: { answer: 1, error: between(random, 1, 12) },
    }),
  ])();
}

test('posteriors in the database are those of the model, whatever was answered by whom', async () => {
  const random = randomOf(3);
  const votes = Array.from({ length: 120 }, () => someVotes(random));
  const ids = await plantAnswered(t.admin, world, votes);
  const { rows } = await t.admin.query(
    `select task_id, label, probability from app.task_posteriors($1, $2::bigint[])`,
    [world.tenantId, ids.map(String)],
  );
  expect(rows).toHaveLength(120 * CHOICES.length);
  for (const { task_id, label, probability } of rows) {
    const given = at(votes, ids.indexOf(BigInt(task_id)));
    const expected = posterior(given.map(voteOf), judging({ kind: 'FIXED', answers: 1 }).prior);
    expect(probability).toBeCloseTo(at(expected, CHOICES.indexOf(label)), DIGITS);
  }
});

test('what is decided in the database is what the service decides, for every policy', async () => {
  const random = randomOf(5);
  const seen = new Set<string>();
  const reasons = new Set<string>();
  for (let round = 0; round < 40; round++) {
    const policy = somePolicy(random);
    await t.admin.query(
      'update projects set redundancy_policy = $3, audit_share = $4 where tenant_id = $1 and id = $2',
      [world.tenantId, world.projectId, policy, round % 2 === 0 ? 0 : 0.2],
    );
    const isNew = models.map(() => random() < 0.6);
    await setNew(isNew);
    const most = policy.kind === 'FIXED' ? policy.answers : policy.max;
    const votes = Array.from({ length: 10 }, () => someVotes(random).slice(0, most));
    const ids = await plantAnswered(t.admin, world, votes);
    const { rows } = await t.admin.query(
      `select d.*, app.is_drawn($1, d.task_id, p.audit_share) as is_drawn
       from app.decide_tasks($1, $2::bigint[]) d join projects p on p.tenant_id = $1 and p.id = d.project_id`,
      [world.tenantId, ids.map(String)],
    );
    expect(rows).toHaveLength(10);
    for (const row of rows) {
      const given = at(votes, ids.indexOf(BigInt(row.task_id)));
      const isUnproven = given.every(({ expert }) => isNew[expert]);
      const decision = decide(given.map(voteOf), {
        ...judging(policy),
        isUnproven,
        isDrawn: row.is_drawn,
      });
      reasons.add(row.reason);
      seen.add(`${policy.kind} ${decision.next} ${isUnproven}`);
      expect([row.next, row.more, row.reason]).toEqual([
        decision.next,
        decision.next === 'MORE' ? decision.answers : 0,
        'reason' in decision ? decision.reason : null,
      ]);
      if (row.reason !== 'TIE' && policy.kind === 'POSTERIOR') {
        expect(row.results[0].label).toBe(CHOICES[decision.result.label]);
        expect(row.results[0].probability).toBeCloseTo(decision.result.probability, DIGITS);
        expect(row.results[0].stated).toBeCloseTo(decision.result.stated, DIGITS);
      }
    }
  }
  expect(seen.size).toBeGreaterThanOrEqual(12);
  expect([...reasons]).toContain('AUDIT');
});

test('whether a task is audited is drawn of its id alone, as often as the project says', async () => {
  const drawn = async (share: number) =>
    (
      await t.admin.query('select n from generate_series(1, 4000) n where app.is_drawn(7, n, $1)', [share])
    ).rows.map(({ n }) => n);
  const [none, few, more] = [await drawn(0), await drawn(0.05), await drawn(0.2)];
  expect(none).toEqual([]);
  expect(few.length / 4000).toBeCloseTo(0.05, 1);
  expect(Math.abs(more.length / 4000 - 0.2)).toBeLessThan(0.02);
  expect(few.every((n) => more.includes(n))).toBe(true);
});

test('one more answer is worth in the database what it is worth to the service', async () => {
  const random = randomOf(7);
  for (let round = 0; round < 60; round++) {
    const raw = Array.from({ length: between(random, 2, 6) }, () => random() ** 3);
    const total = raw.reduce((sum, p) => sum + p, 0);
    const p = raw.map((x) => x / total);
    const accuracy = 0.2 + 0.75 * random();
    const left = between(random, 1, 7);
    const { rows } = await t.admin.query('select app.gain_of_more($1::float8[], $2, $3) as gain', [
      p,
      accuracy,
      left,
    ]);
    expect(rows[0].gain).toBeCloseTo(gainOfMore(p, { accuracy, answersMax: left }), 9);
  }
});
