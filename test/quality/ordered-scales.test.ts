import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { randomOf } from '../../src/services/platform/random.js';
import { tableOf } from '../../src/services/quality/inference/answers.js';
import { inferOrdinal } from '../../src/services/quality/inference/infer.js';
import { inferNumeric } from '../../src/services/quality/inference/infer-numeric.js';
import { judge } from '../../src/services/quality/inference/item-model.js';
import { medians, type NumericTable, numericFit } from '../../src/services/quality/inference/numeric.js';
import {
  leastLoss,
  nearness,
  ordinalFit,
  ordinalModel,
} from '../../src/services/quality/inference/ordinal.js';
import { crowdOf, normal } from './support/simulated.js';
import { range, shares } from './support/textbook.js';

describe('the least costly class', () => {
  const posterior = fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: 2, maxLength: 6 })
    .filter((weights) => weights.some((weight) => weight > 0))
    .map((weights) => shares(weights));

  test('is the median for absolute loss, and for squared loss the class next to the mean', () => {
    fc.assert(
      fc.property(posterior, (row) => {
        const [median = -1] = leastLoss(Float64Array.from(row), row.length);
        const below = (at: number) => row.slice(0, at).reduce((sum, share) => sum + share, 0);
        expect(below(median)).toBeLessThanOrEqual(0.5 + 1e-9);
        expect(below(median + 1)).toBeGreaterThanOrEqual(0.5 - 1e-9);
        const [nearest = -1] = leastLoss(Float64Array.from(row), row.length, 'SQUARED');
        const mean = row.reduce((sum, share, j) => sum + share * j, 0);
        expect(Math.abs(nearest - mean)).toBeLessThanOrEqual(0.5 + 1e-9);
      }),
    );
  });

  test('earns by how near it is', () => {
    const sure = Float64Array.from([0, 0, 1, 0, 0]);
    expect(range(5).map((truth) => nearness(sure, 5, { item: 0, truth }))).toEqual([0.5, 0.75, 1, 0.75, 0.5]);
  });
});

/** On a scale of five, workers err by little more often than by much. */
const rated = (seed: number) =>
  crowdOf(
    {
      items: 300,
      workers: 40,
      classes: 5,
      answersAnItem: 4,
      person: (random) => {
        const precision = Math.max(0.1, 1.2 + 0.7 * normal(random));
        return range(5).map((j) => shares(range(5).map((l) => Math.exp(-precision * Math.abs(l - j)))));
      },
    },
    seed,
  );

describe('the ordinal model', () => {
  test('is nearer to the truth than the others where mistakes are near misses, and is chosen', () => {
    const runs = [1, 2, 3].map((seed) => {
      const { table, truth } = rated(seed);
      const { judgements, chosen } = inferOrdinal(table, truth.slice(0, 60));
      const rest = truth.slice(60);
      const meanOf = (method: Parameters<typeof judgements.get>[0]) =>
        rest.reduce(
          (sum, known) => sum + nearness(judgements.get(method)?.posterior ?? new Float64Array(), 5, known),
          0,
        ) / rest.length;
      expect(meanOf('ordinal')).toBeGreaterThan(meanOf('dawidSkene'));
      expect(meanOf('ordinal')).toBeGreaterThan(meanOf('majority'));
      return chosen;
    });
    expect(runs.filter((method) => method === 'ordinal').length).toBeGreaterThanOrEqual(2);
  });

  test('judges single items as it judges all', () => {
    const { table } = rated(4);
    const fit = ordinalFit(table);
    const judged = judge(table, ordinalModel(fit, 5));
    expect(Math.max(...judged.map((share, at) => Math.abs(share - (fit.posterior[at] ?? 0))))).toBeLessThan(
      1e-4,
    );
  });

  test('says the same from the other end of the scale', () => {
    const { table } = rated(5);
    const item = Int32Array.from(range(table.items).flatMap((i) => range(4).map(() => i)));
    const turned = tableOf({ item, worker: table.worker, label: table.label.map((l) => 4 - l) }, table);
    const [one, other] = [ordinalFit(table), ordinalFit(turned)];
    const differences = range(table.items).flatMap((i) =>
      range(5).map((j) => Math.abs((one.posterior[i * 5 + j] ?? 0) - (other.posterior[i * 5 + 4 - j] ?? 0))),
    );
    expect(Math.max(...differences)).toBeLessThan(1e-4);
  });
});

interface Measured {
  readonly table: NumericTable;
  readonly truth: number[];
}

/** Workers with a bias, a scatter of their own, and one slip in twenty. */
function measured(seed: number): Measured {
  const random = randomOf(seed, 'measured');
  const truth = range(200).map(() => 50 + 20 * normal(random));
  const people = range(30).map(() => ({
    scatter: 5 * Math.exp(0.8 * normal(random)),
    bias: 4 * normal(random),
  }));
  const answers = truth.flatMap((value, item) =>
    range(6).map((k) => {
      const worker = (item * 11 + k * 5) % 30;
      const { scatter, bias } = people[worker] ?? { scatter: 1, bias: 0 };
      const slip = random() < 0.05 ? 60 * normal(random) : 0;
      return { worker, value: value + bias + scatter * normal(random) + slip };
    }),
  );
  const table = {
    items: 200,
    workers: 30,
    start: Int32Array.from(range(201), (i) => 6 * i),
    worker: Int32Array.from(answers, ({ worker }) => worker),
    value: Float64Array.from(answers, ({ value }) => value),
  };
  return { table, truth };
}

describe('numeric answers', () => {
  const errorOf = (values: Float64Array, truth: readonly number[]) =>
    truth.reduce((sum, value, i) => sum + Math.abs(value - (values[i] ?? 0)), 0) / truth.length;

  test('by precision are nearer to the truth than medians, and chosen; their deviation is what they are off', () => {
    const ratios = [1, 2, 3, 4].map((seed) => {
      const { table, truth } = measured(seed);
      const gold = truth.slice(0, 30).map((value, item) => ({ item, value }));
      const { values, deviation, chosen, error } = inferNumeric(table, gold);
      expect(chosen).toBe('precision');
      expect(error.precision ?? 0).toBeLessThan(error.median ?? 0);
      const z = truth.map((value, i) => Math.abs(((values.precision[i] ?? 0) - value) / (deviation[i] ?? 1)));
      // Half of all lie within .67 deviations.
      const within = z.filter((off) => off < 0.674).length / z.length;
      expect(within).toBeGreaterThan(0.4);
      expect(within).toBeLessThan(0.75);
      return errorOf(values.precision, truth) / errorOf(values.median, truth);
    });
    expect(Math.max(...ratios)).toBeLessThan(0.9);
  });

  test('move and stretch with the unit of measurement', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), fc.integer({ min: -500, max: 500 }), (scale, shift) => {
        const { table } = measured(4);
        const fit = numericFit(table);
        const moved = numericFit({ ...table, value: table.value.map((value) => scale * value + shift) });
        for (const [i, value] of fit.value.entries()) {
          expect(Math.abs((moved.value[i] ?? 0) - (scale * value + shift))).toBeLessThan(1e-3 * scale);
        }
      }),
      { numRuns: 10 },
    );
  });

  test('find the bias of a worker', () => {
    const { table } = measured(5);
    const fit = numericFit(table);
    const biased = numericFit({
      ...table,
      value: table.value.map((value, k) => value + (table.worker[k] === 3 ? 1000 : 0)),
    });
    expect((biased.bias[3] ?? 0) - (fit.bias[3] ?? 0)).toBeGreaterThan(500);
  });

  test('that agree are what they say; without answers there is no value, without gold the median is chosen', () => {
    const table = {
      items: 3,
      workers: 2,
      start: Int32Array.from([0, 2, 4, 4]),
      worker: Int32Array.from([0, 1, 0, 1]),
      value: Float64Array.from([5, 5, 7, 7]),
    };
    expect([...medians(table)]).toEqual([5, 7, Number.NaN]);
    expect([...numericFit(table).value]).toEqual([5, 7, Number.NaN]);
    const { chosen, error } = inferNumeric(table, []);
    expect(chosen).toBe('median');
    expect(error).toEqual({ median: null, precision: null });
  });
});
