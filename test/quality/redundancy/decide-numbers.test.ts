import { beforeAll, expect, test } from 'vitest';
import { decideNumbers, type NumberJudging } from '../../../src/services/quality/redundancy/decide.js';
import {
  largestCluster,
  type NumberVote,
  numberConsensus,
  scatterOf,
} from '../../../src/services/quality/redundancy/numbers.js';
import { orderedErrors } from '../../../src/services/quality/redundancy/ordered.js';
import type { RedundancyPolicy } from '../../../src/services/quality/redundancy/policy.js';
import { posterior } from '../../../src/services/quality/redundancy/posterior.js';
import { between, oneOf, type Random, randomOf } from '../../soak/random.js';
import { useTestDb } from '../../support/db.js';
import { at, makeWorld, type World } from '../../support/factories.js';
import { plantAnswered } from '../support/planted.js';

// Numbers and ordered classes, decided in SQL as services/quality/redundancy does it, which has its own oracles.
const t = useTestDb();
const EXPERTS = 9;
const TOLERANCE = 3;
const NEXT = 0.7;
const GRADES = [1, 2, 3, 4, 5];
const DEFINITION = {
  kind: 'RUBRIC',
  criteria: [
    { name: 'length', min: 0, max: 100, scale: 'interval', tolerance: TOLERANCE },
    { name: 'grade', min: 1, max: 5 },
  ],
};
let world: World;
let accuracies: number[];

beforeAll(async () => {
  const random = randomOf(23);
  world = await makeWorld(t.database, { experts: EXPERTS, tasks: 0, definition: DEFINITION });
  accuracies = Array.from({ length: EXPERTS }, () => 0.3 + 0.65 * random());
  for (const [index, accuracy] of accuracies.entries()) {
    await t.admin.query(
      `insert into quality_scores (tenant_id, expert_id, skill_id, task_type_id, state, seen, mean, lower, upper, updated_at)
       values ($1, $2, $3, $4, '{}', 9, $5, 0, 1, now())`,
      [world.tenantId, at(world.experts, index).expertId, world.skillId, world.taskTypeId, accuracy],
    );
  }
  await t.admin.query(
    `insert into stopping_models (tenant_id, project_id, dimension, items, next_accuracy, updated_at)
     values ($1, $2, 'length', 0, $3, now())`,
    [world.tenantId, world.projectId, NEXT],
  );
});

interface Given {
  readonly expert: number;
  readonly label: number;
  readonly confidence: null;
  readonly dimension: string;
}

/** Most are near one value; some are anywhere. */
function someAnswers(random: Random, dimension: string, pick: () => number): Given[] {
  const first = between(random, 0, EXPERTS - 1);
  return Array.from({ length: between(random, 1, 6) }, (_, expert) => ({
    expert: (first + expert) % EXPERTS,
    label: pick(),
    confidence: null,
    dimension,
  }));
}

function someNumbers(random: Random): Given[] {
  const middle = between(random, 5, 95);
  return someAnswers(random, 'length', () =>
    random() < 0.7 ? middle + between(random, -4, 4) : between(random, 0, 1000) / 10,
  );
}

const votesOf = (given: readonly Given[]): NumberVote[] =>
  given.map(({ expert, label }) => ({
    value: label,
    scatter: scatterOf(at(accuracies, expert), TOLERANCE),
  }));

function somePolicy(random: Random): RedundancyPolicy {
  const low = between(random, 2, 3);
  const max = low + between(random, 0, 3);
  const price = random() < 0.5 ? null : { answer: 1, error: between(random, 1, 12) };
  return oneOf<() => RedundancyPolicy>(random, [
    () => ({ kind: 'FIXED', answers: between(random, 1, 4) }),
    () => ({ kind: 'AGREE', agree: low, max }),
    () => ({ kind: 'POSTERIOR', posterior: 0.6 + 0.39 * random(), min: low, max, price }),
  ])();
}

const setPolicy = ({ tenantId, projectId }: World, policy: RedundancyPolicy) =>
  t.admin.query('update projects set redundancy_policy = $3 where tenant_id = $1 and id = $2', [
    tenantId,
    projectId,
    policy,
  ]);

test('ordered classes: a near miss is likelier than a far one, in the database as in the model', async () => {
  const random = randomOf(31);
  const given = Array.from({ length: 80 }, () => someAnswers(random, 'grade', () => oneOf(random, GRADES)));
  const ids = await plantAnswered(t.admin, world, given);
  const { rows } = await t.admin.query(
    'select task_id, label, probability from app.task_posteriors($1, $2::bigint[])',
    [world.tenantId, ids.map(String)],
  );
  expect(rows).toHaveLength(80 * GRADES.length);
  for (const { task_id, label, probability } of rows) {
    const votes = at(given, ids.indexOf(BigInt(task_id))).map((one) => ({
      label: GRADES.indexOf(one.label),
      model: {
        accuracy: at(accuracies, one.expert),
        confusion: orderedErrors(at(accuracies, one.expert), GRADES.length),
      },
    }));
    const expected = posterior(
      votes,
      GRADES.map(() => 1 / GRADES.length),
    );
    expect(probability).toBeCloseTo(at(expected, GRADES.indexOf(Number(label))), 9);
  }
});

test('what numbers amount to in the database is what they amount to for the service', async () => {
  const random = randomOf(37);
  const given = Array.from({ length: 60 }, () => someNumbers(random));
  const ids = await plantAnswered(t.admin, world, given);
  const { rows } = await t.admin.query('select * from app.task_numbers($1, $2::bigint[])', [
    world.tenantId,
    ids.map(String),
  ]);
  expect(rows).toHaveLength(60);
  for (const row of rows) {
    const votes = votesOf(at(given, ids.indexOf(BigInt(row.task_id))));
    const { value, probability, deviation } = numberConsensus(votes, TOLERANCE);
    const cluster = largestCluster(
      votes.map((vote) => vote.value),
      TOLERANCE,
    );
    expect([row.tolerance, Number(row.most), row.is_tied]).toEqual([
      TOLERANCE,
      cluster.votes,
      cluster.isTied,
    ]);
    expect(row.value).toBeCloseTo(value, 5);
    expect(row.probability).toBeCloseTo(probability, 6);
    expect(row.deviation).toBeCloseTo(deviation, 5);
    expect(row.middle).toBeCloseTo(cluster.value, 5);
  }
});

test('what is decided of numbers in the database is what the service decides, for every policy', async () => {
  const random = randomOf(41);
  const seen = new Set<string>();
  for (let round = 0; round < 30; round++) {
    const policy = somePolicy(random);
    await setPolicy(world, policy);
    const judging: NumberJudging = {
      policy,
      tolerance: TOLERANCE,
      next: { accuracy: NEXT, confusion: null },
      stopping: null,
    };
    const most = policy.kind === 'FIXED' ? policy.answers : policy.max;
    const given = Array.from({ length: 8 }, () => someNumbers(random).slice(0, most));
    const ids = await plantAnswered(t.admin, world, given);
    const { rows } = await t.admin.query(
      'select task_id, next, more, reason, results from app.decide_tasks($1, $2::bigint[])',
      [world.tenantId, ids.map(String)],
    );
    expect(rows).toHaveLength(8);
    for (const row of rows) {
      const decision = decideNumbers(votesOf(at(given, ids.indexOf(BigInt(row.task_id)))), judging);
      seen.add(`${policy.kind} ${decision.next}`);
      expect([row.next, row.more, row.reason]).toEqual([
        decision.next,
        decision.next === 'MORE' ? decision.answers : 0,
        decision.next === 'ADJUDICATE' ? decision.reason : null,
      ]);
      if (decision.next !== 'MORE') {
        expect(Number(row.results[0].label)).toBeCloseTo(decision.result.label, 5);
        expect(row.results[0].probability).toBeCloseTo(decision.result.probability, 6);
      }
    }
  }
  expect(seen.size).toBeGreaterThanOrEqual(7);
});

test('numbers that nobody could mean break no answer', async () => {
  const given = [Number.MAX_VALUE, -Number.MAX_VALUE, 0].map((label, expert) => ({
    expert,
    label,
    confidence: null,
    dimension: 'length',
  }));
  await setPolicy(world, { kind: 'FIXED', answers: 3 });
  const ids = await plantAnswered(t.admin, world, [given]);
  const { rows } = await t.admin.query('select next, reason from app.decide_tasks($1, $2::bigint[])', [
    world.tenantId,
    ids.map(String),
  ]);
  expect(rows).toEqual([{ next: 'ADJUDICATE', reason: 'TIE' }]);
});
