import { describe, expect, test } from 'vitest';
import { calibrate } from '../../../src/services/quality/inference/calibration.js';
import { type GoldAnswer, goldItems } from '../../../src/services/quality/inference/gold-items.js';
import {
  chooseMethod,
  GOLD_TASKS_MIN,
  type MethodChoice,
  type ProjectAnswers,
} from '../../../src/services/quality/inference/project-method.js';
import { calibrateNumbers } from '../../../src/services/quality/inference/project-numbers.js';
import { mostProbable, posterior } from '../../../src/services/quality/redundancy/posterior.js';
import { between, type Random, randomOf } from '../../soak/random.js';
import { weighedElsewhere } from '../support/elsewhere.js';
import { coinMatrix, confusedMatrix, crowdAnswers, skewedMatrix } from '../support/project-crowd.js';

const LABELS = ['a', 'b', 'c'];

interface Given {
  readonly experts: readonly (readonly number[][])[];
  readonly work?: number;
  readonly gold?: number;
  readonly goldEach?: number;
  readonly isOrdered?: boolean;
}

/** A project of which the truth of all tasks is known, to look at what was chosen. */
function projectOf(
  random: Random,
  { experts, work = 600, gold = 40, goldEach = 9, isOrdered = false }: Given,
) {
  const truths = Array.from({ length: work }, () => between(random, 0, LABELS.length - 1));
  const answers = crowdAnswers(random, { truths, experts, each: 3 });
  const goldTruths = Array.from({ length: gold }, () => between(random, 0, LABELS.length - 1));
  const onGold = crowdAnswers(random, { truths: goldTruths, experts, each: goldEach });
  const given: ProjectAnswers = {
    labels: LABELS,
    isOrdered,
    work: answers.map(({ item, expert, said }) => ({
      taskId: BigInt(item),
      expertId: BigInt(expert),
      label: LABELS[said] ?? '',
    })),
    gold: weighedElsewhere(
      onGold.map(({ item, expert, said }) => ({
        taskId: BigInt(10_000 + item),
        expertId: BigInt(expert),
        truth: LABELS[goldTruths[item] ?? 0] ?? '',
        answered: LABELS[said] ?? '',
        isRight: said === goldTruths[item],
      })),
    ),
  };
  return { given, truths };
}

/** What a choice makes of the work: how right it is, and how sure it says that it is. */
function outcome({ model, calibration }: MethodChoice, given: ProjectAnswers, truths: readonly number[]) {
  const ids = model?.expertIds ?? [];
  const scoreOf = (expertId: bigint) => {
    const own = given.gold.filter((answer) => answer.expertId === expertId);
    return (own.filter(({ isRight }) => isRight).length + 0.8 * 4.5) / (own.length + 4.5);
  };
  const modelOf = (expertId: bigint) =>
    model === null
      ? { accuracy: scoreOf(expertId), confusion: null }
      : (model.frozen.workers[ids.indexOf(expertId)] ?? model.frozen.average);
  const prior = model?.frozen.prior ?? LABELS.map(() => 1 / LABELS.length);
  const results = truths.map((truth, item) => {
    const votes = given.work
      .filter(({ taskId }) => taskId === BigInt(item))
      .map(({ expertId, label }) => ({ label: LABELS.indexOf(label), model: modelOf(expertId) }));
    const p = calibrate(Float64Array.from(posterior(votes, prior)), LABELS.length, calibration);
    const { label, probability } = mostProbable([...p]);
    return { isRight: Number(label === truth), probability };
  });
  const mean = (of: (one: (typeof results)[number]) => number) =>
    results.reduce((sum, one) => sum + of(one), 0) / results.length;
  return { right: mean(({ isRight }) => isRight), stated: mean(({ probability }) => probability) };
}

const people = (count: number, of: (n: number) => number[][]) =>
  Array.from({ length: count }, (_, n) => of(n));

describe('the method of a project', () => {
  test('is the default where there is too little gold, which says so and calibrates nothing', () => {
    const experts = people(12, () => confusedMatrix(3, 0.9));
    const { given } = projectOf(randomOf(1), { experts, gold: GOLD_TASKS_MIN - 1, goldEach: 12 });
    expect(chooseMethod(given)).toMatchObject({
      method: 'GOLD_BAYES',
      reason: 'TOO_LITTLE_GOLD',
      goldTasks: GOLD_TASKS_MIN - 1,
      trials: [],
      calibration: { temper: 1, doubt: 0 },
      model: null,
    });
  });

  test('is Dawid and Skene’s where most confuse classes in a way that an accuracy cannot say', () => {
    // Two in five of what is the second class is taken for the third, by everybody; whoever says the second knows.
    const experts = people(18, () => skewedMatrix(0.4));
    const { given, truths } = projectOf(randomOf(2), { experts, work: 900, gold: 60 });
    const choice = chooseMethod(given);
    expect(['DAWID_SKENE', 'HYBRID']).toContain(choice.method);
    const accuracyOf = (method: string) =>
      choice.trials.find((trial) => trial.method === method)?.accuracy ?? 0;
    expect(accuracyOf(choice.method)).toBeGreaterThan(accuracyOf('MAJORITY') + 0.02);
    expect(outcome(choice, given, truths).right).toBeGreaterThan(accuracyOf('MAJORITY') + 0.02);
  });

  test('says of its results what they turn out to be, on tasks that it has no truth of', () => {
    for (const seed of [1, 2, 3]) {
      const random = randomOf(seed);
      const experts = people(15, (n) =>
        n % 2 === 0 ? confusedMatrix(3, 0.85) : coinMatrix(3, 0.5 + 0.4 * random()),
      );
      const { given, truths } = projectOf(random, { experts, work: 1200, gold: 80, goldEach: 15 });
      const choice = chooseMethod(given);
      const { right, stated } = outcome(choice, given, truths);
      expect(Math.abs(right - stated)).toBeLessThan(0.04);
      const trial = choice.trials.find(({ method }) => method === choice.method);
      expect(Math.abs((trial?.accuracy ?? 0) - (trial?.stated ?? 0))).toBeLessThan(0.02);
    }
  });

  test('is the same whatever came first', () => {
    const random = randomOf(5);
    const experts = people(9, () => confusedMatrix(3, 0.6 + 0.3 * random()));
    const { given } = projectOf(random, { experts, work: 200 });
    const shuffled = given.work.map((row) => ({ row, at: random() })).sort((a, b) => a.at - b.at);
    expect(chooseMethod({ ...given, work: shuffled.map(({ row }) => row) })).toEqual(chooseMethod(given));
  });

  test('leaves out answers that are of no declared class', () => {
    const { given } = projectOf(randomOf(6), { experts: people(9, () => coinMatrix(3, 0.8)), work: 60 });
    const odd = { taskId: 1n, expertId: 77n, label: 'nobody declared this' };
    expect(chooseMethod({ ...given, work: [...given.work, odd] })).toEqual(chooseMethod(given));
  });

  test('counts near misses on an ordered scale', () => {
    const near = [
      [0.6, 0.35, 0.05],
      [0.2, 0.6, 0.2],
      [0.05, 0.35, 0.6],
    ];
    const { given } = projectOf(randomOf(7), { experts: people(12, () => near), isOrdered: true });
    const { trials } = chooseMethod(given);
    expect(trials.map(({ method }) => method)).toContain('ORDINAL');
    for (const { accuracy } of trials) {
      expect(accuracy).toBeGreaterThan(0.75);
    }
  });
});

describe('items of gold', () => {
  const answer = (taskId: number, expertId: number, isRight = true): GoldAnswer => ({
    ...{ taskId: BigInt(taskId), expertId: BigInt(expertId), truth: 'a', isRight },
    answered: isRight ? 'a' : 'b',
    model: { accuracy: 0.8, confusion: null },
  });

  test('have as many answers as a task, or a few more, and every answer is in one', () => {
    const answers = Array.from({ length: 11 }, (_, n) => answer(n < 8 ? 1 : 2, n));
    const items = goldItems(answers, 3);
    expect(items.map((item) => item.answers.length)).toEqual([4, 4, 3]);
    expect(new Set(items.flatMap((item) => item.answers.map(({ expertId }) => expertId))).size).toBe(11);
  });
});

test('what is said of numbers is what comes of them', () => {
  const random = randomOf(11);
  // Everybody is off together on every third gold: nothing of what they say apart says so.
  const gold = weighedElsewhere(
    Array.from({ length: 60 }, (_, task) =>
      Array.from({ length: 6 }, (_e, expert) => {
        const answered = 50 + (task % 3 === 0 ? 9 : 0) + (random() - 0.5);
        return {
          ...{ taskId: BigInt(task), expertId: BigInt(expert), truth: '50', answered: String(answered) },
          isRight: Math.abs(answered - 50) <= 2,
        };
      }),
    ).flat(),
  );
  const given = { tolerance: 2, answersAnItem: 3, gold };
  const { accuracy, stated, map, goldItems: items } = calibrateNumbers(given);
  expect([accuracy, items]).toEqual([40 / 60, 120]);
  expect(map).not.toBeNull();
  expect(Math.abs((stated ?? 0) - 2 / 3)).toBeLessThan(0.02);
  expect(calibrateNumbers({ ...given, gold: gold.slice(0, 30) }).map).toBeNull();
});
