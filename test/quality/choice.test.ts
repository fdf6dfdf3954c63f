import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  calibrate,
  fitCalibration,
  fitTemper,
  logLoss,
} from '../../src/services/quality/inference/calibration.js';
import { choose } from '../../src/services/quality/inference/choose.js';
import { calibrated, infer } from '../../src/services/quality/inference/infer.js';
import { confidences, credit, type Posterior } from '../../src/services/quality/inference/posterior.js';
import { lowestPoint } from '../../src/services/quality/inference/valley.js';
import { coins, crowdOf, type Kind, partial } from './support/simulated.js';

const SEEDS = [1, 2, 3, 4];
const GOLD_SHARE = 0.1;

const KINDS: Record<string, Kind> = {
  'a good crowd': {
    items: 600,
    workers: 80,
    classes: 2,
    answersAnItem: 10,
    person: coins(2, { mean: 0.8, spread: 0.7, spam: 0.25 }),
  },
  'few answers a worker and many classes, where matrices overfit': {
    items: 300,
    workers: 460,
    classes: 5,
    answersAnItem: 6,
    person: coins(5, { mean: 0.8, spread: 0.8, spam: 0.1 }),
    traps: { items: 0.08, workers: 1, fall: 0.5 },
  },
  'half the workers led astray together, where Dawid-Skene follows them': {
    items: 1500,
    workers: 25,
    classes: 2,
    answersAnItem: 5,
    prior: [0.8, 0.2],
    person: coins(2, { mean: 0.88, spread: 0.6, spam: 0.1 }),
    traps: { items: 0.3, workers: 0.5, fall: 0.85 },
  },
  'workers partial to some labels, where one coin collapses': {
    items: 2000,
    workers: 200,
    classes: 4,
    answersAnItem: 5,
    prior: [0.25, 0.35, 0.35, 0.05],
    person: partial(4, { skill: 1.3, spread: 0.9, bias: 2 }),
  },
  'a hundred items, each seen by everybody': {
    items: 108,
    workers: 39,
    classes: 2,
    answersAnItem: 39,
    person: partial(2, { skill: 1.2, spread: 0.6, bias: 1.2 }),
  },
};

interface Outcome {
  readonly accuracies: Readonly<Record<string, number>>;
  readonly chosen: number;
  readonly stated: number;
  readonly gold: number;
}

/** Everything is measured on items that are not gold. */
function outcomeOf(kind: Kind, seed: number): Outcome {
  const { table, truth } = crowdOf(kind, seed);
  const count = Math.round(truth.length * GOLD_SHARE);
  const [gold, rest] = [truth.slice(0, count), truth.slice(count)];
  const { judgements, chosen } = infer(table, gold);
  const accuracyOf = (posterior: Posterior) =>
    mean(rest.map((known) => credit(posterior, table.classes, known)));
  const accuracies = Object.fromEntries(
    [...judgements].map(([method, { posterior }]) => [method, accuracyOf(posterior)]),
  );
  const judgement = judgements.get(chosen);
  const sure = judgement === undefined ? [] : confidences(calibrated(judgement), table.classes);
  return {
    accuracies,
    chosen: accuracies[chosen] ?? 0,
    stated: mean(rest.map(({ item }) => sure[item] ?? 0)),
    gold: count,
  };
}

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

const outcomes = new Map(
  Object.entries(KINDS).map(([name, kind]) => [name, SEEDS.map((seed) => outcomeOf(kind, seed))]),
);

describe.each([...outcomes])('%s', (_name, runs) => {
  test('the choice on a tenth of the truth loses little to the best method', () => {
    expect(
      mean(runs.map(({ accuracies, chosen }) => Math.max(...Object.values(accuracies)) - chosen)),
    ).toBeLessThan(0.02);
  });

  test('what is stated is what happens', () => {
    // Eleven items of gold cannot say it nearer than to one of them.
    const near = Math.max(0.03, ...runs.map(({ gold }) => 1 / gold));
    expect(Math.abs(mean(runs.map(({ stated, chosen }) => stated - chosen)))).toBeLessThan(near);
  });
});

test('these crowds are traps: majority, one coin and Dawid-Skene are each far from the best on one of them', () => {
  const worst = (method: string) =>
    Math.max(
      ...[...outcomes.values()].map((runs) =>
        mean(
          runs.map(({ accuracies }) => Math.max(...Object.values(accuracies)) - (accuracies[method] ?? 0)),
        ),
      ),
    );
  for (const method of ['majority', 'oneCoin', 'dawidSkene']) {
    expect(worst(method)).toBeGreaterThan(0.04);
  }
});

test('the long tail: with coins for workers of few answers Dawid-Skene does not overfit, without such workers it is left out', () => {
  const sparse = outcomes.get('few answers a worker and many classes, where matrices overfit') ?? [];
  const gained = mean(
    sparse.map(({ accuracies }) => (accuracies.hybrid ?? 0) - (accuracies.dawidSkene ?? 0)),
  );
  expect(gained).toBeGreaterThan(0.04);
  const complete = outcomes.get('a hundred items, each seen by everybody') ?? [];
  expect(complete.flatMap(({ accuracies }) => Object.keys(accuracies))).not.toContain('hybrid');
});

test('nothing but gold is looked at: a choice does not change with the truth of other items', () => {
  const { table, truth } = crowdOf(KINDS['a good crowd'] as Kind, 9);
  const gold = truth.slice(0, 40);
  const { chosen, judgements } = infer(table, gold);
  const again = infer(table, [...gold]);
  expect(again.chosen).toBe(chosen);
  for (const [method, { posterior }] of judgements) {
    expect([...(again.judgements.get(method)?.posterior ?? [])]).toEqual([...posterior]);
  }
});

describe('a choice', () => {
  const trial = (method: string, credits: readonly number[], loss: number) => ({ method, credits, loss });
  const sureOf = (right: number) => Array.from({ length: 100 }, (_, k) => Number(k < right));

  test('is the most accurate method where gold can tell', () => {
    expect(choose([trial('a', sureOf(70), 0.1), trial('b', sureOf(90), 0.9)])).toBe('b');
  });

  test('is the one that explains gold best where accuracies are within a standard error', () => {
    expect(choose([trial('a', sureOf(90), 0.5), trial('b', sureOf(90), 0.4)])).toBe('b');
    expect(choose([trial('a', sureOf(90), 0.5), trial('b', sureOf(91), 0.6)])).toBe('a');
  });

  test('is the first where nothing tells, and needs something to choose from', () => {
    expect(choose([trial('a', [], 0), trial('b', [], 0)])).toBe('a');
    expect(() => choose([])).toThrow(RangeError);
  });
});

describe('calibration', () => {
  const items = fc
    .array(
      fc.tuple(
        fc.array(fc.double({ min: -6, max: 6, noNaN: true }), { minLength: 3, maxLength: 3 }),
        fc.nat(2),
      ),
      {
        minLength: 1,
        maxLength: 40,
      },
    )
    .map((rows) => ({
      classes: 3,
      logs: Float64Array.from(rows.flatMap(([logs]) => logs)),
      truths: rows.map(([, truth]) => truth),
    }));

  test('stays within its bounds, and a temper explains gold no worse than none', () => {
    fc.assert(
      fc.property(items, (known) => {
        const fit = fitCalibration(known, 2);
        expect(fit.temper).toBeGreaterThanOrEqual(0.02 - 1e-9);
        expect(fit.temper).toBeLessThanOrEqual(2 + 1e-9);
        expect(fit.doubt).toBeGreaterThanOrEqual(0);
        expect(fit.doubt).toBeLessThanOrEqual(0.5);
        const temper = fitTemper(known);
        expect(temper).toBeLessThanOrEqual(1 + 1e-9);
        const loss = logLoss(known, { temper, doubt: 0 });
        expect(loss).toBeLessThanOrEqual(logLoss(known, { temper: 1, doubt: 0 }) + 1e-6);
      }),
    );
  });

  test('finds the temper that votes were made with', () => {
    // Of items that state 1 : 49, a fifth is wrong: log odds of 3.89 should be 1.39.
    const truths = Array.from({ length: 1000 }, (_, k) => Number(k % 5 === 0));
    const logs = Float64Array.from(truths.flatMap(() => [Math.log(0.98), Math.log(0.02)]));
    expect(fitTemper({ classes: 2, logs, truths })).toBeCloseTo(Math.log(4) / Math.log(49), 2);
  });

  test('states how often sure answers were right, and never takes a few right ones for certainty', () => {
    // Sure of everything.
    const stated = (right: number, wrong: number) => {
      const truths = Array.from({ length: right + wrong }, (_, k) => Number(k < wrong));
      const logs = Float64Array.from(truths.flatMap(() => [Math.log(1 - 1e-6), Math.log(1e-6)]));
      return calibrate(
        Float64Array.from([1 - 1e-6, 1e-6]),
        2,
        fitCalibration({ classes: 2, logs, truths }),
      )[0];
    };
    expect(stated(450, 50)).toBeCloseTo(0.9, 2);
    expect(stated(970, 30)).toBeCloseTo(0.97, 2);
    expect(stated(10, 0)).toBeGreaterThan(0.9);
    expect(stated(10, 0)).toBeLessThan(0.98);
  });

  test('of no gold changes nothing', () => {
    expect(fitCalibration({ classes: 2, logs: new Float64Array(), truths: [] })).toEqual({
      temper: 1,
      doubt: 0,
    });
  });

  test('the lowest point of a valley is found, at its ends too', () => {
    fc.assert(
      fc.property(fc.double({ min: -3, max: 3, noNaN: true }), (middle) => {
        const found = lowestPoint((x) => (x - middle) ** 2, -2, 2);
        expect(found).toBeCloseTo(Math.min(2, Math.max(-2, middle)), 3);
      }),
    );
  });
});
