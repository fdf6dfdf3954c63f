import { describe, expect, test } from 'vitest';
import { sampleGold } from '../../src/cli/infer/gold-sample.js';
import { dawidSkene } from '../../src/services/quality/inference/dawid-skene.js';
import { infer } from '../../src/services/quality/inference/infer.js';
import { oneCoinModel } from '../../src/services/quality/inference/item-model.js';
import { voteShares } from '../../src/services/quality/inference/majority.js';
import { oneCoin } from '../../src/services/quality/inference/one-coin.js';
import { confidences, likeliest } from '../../src/services/quality/inference/posterior.js';
import { accuracyOf, publicSet, testWithSets } from './support/public-sets.js';

const WITHIN = 0.0015;

// D&S: outputs of Zheng et al.'s code (VLDB 2017) for rte, of theirs and of Crowd-Kit (JOSS 9(96) 6227, Table 1) for d_product,
// of iBCC and EBCC for sp_amt. One coin: their ZenCrowd; BWA for sp_amt. Majority: Snow et al. 2008, Crowd-Kit, and the
// expectation over ties for sp_amt.
describe.each([
  { name: 'rte', dawidSkene: [0.9275, 0.9275], oneCoin: 0.925, majority: 0.897 },
  { name: 'd_product', dawidSkene: [0.9366, 0.94], oneCoin: 0.927962, majority: 0.8966 },
  { name: 'sp_amt', dawidSkene: [0.944, 0.944], oneCoin: 0.946, majority: 0.943 },
])('$name', ({ name, dawidSkene: [low = 0, high = 0], ...published }) => {
  const testWithSet = testWithSets(name);

  testWithSet(
    `Dawid-Skene ${low} to ${high}, one coin ${published.oneCoin}, majority ${published.majority}`,
    async () => {
      const given = await publicSet(name);
      const fitted = accuracyOf(dawidSkene(given.set.table).posterior, given);
      expect(fitted).toBeGreaterThanOrEqual(low - WITHIN);
      expect(fitted).toBeLessThanOrEqual(high + WITHIN);
      const coin = accuracyOf(oneCoin(given.set.table).posterior, given);
      expect(Math.abs(coin - published.oneCoin)).toBeLessThanOrEqual(WITHIN);
      const majority = accuracyOf(voteShares(given.set.table), given);
      expect(Math.abs(majority - published.majority)).toBeLessThanOrEqual(WITHIN);
    },
  );

  testWithSet(
    'the choice on a tenth of the truth is hardly worse than the best method, whichever tenth',
    async () => {
      const given = await publicSet(name);
      const lost: number[] = [];
      for (let seed = 1; seed <= 5; seed++) {
        const gold = sampleGold(given.set.items, given.known, {
          ...{ share: 0.1, seed },
          isUsable: ({ truth }) => truth >= 0,
        });
        const { judgements, chosen } = infer(given.set.table, gold);
        const accuracies = [...judgements.values()].map(({ posterior }) => accuracyOf(posterior, given));
        const posterior = judgements.get(chosen)?.posterior ?? new Float64Array();
        lost.push(Math.max(...accuracies) - accuracyOf(posterior, given));
      }
      expect(Math.max(...lost)).toBeLessThan(0.015);
    },
  );
});

// Dawid & Skene, Applied Statistics 28 (1979): the fitted model of their own example, where observer 1 answered each
// patient three times and each time counts.
testWithSets('ds1979')(
  'ds1979: shares of classes, classes of the 45 patients, error rates of observer 1',
  async () => {
    const given = await publicSet('ds1979');
    const { table, items } = given.set;
    expect(table.worker.length).toBe(315);
    const { posterior, prior, confusion, logLikelihood } = dawidSkene(table);
    for (const [j, share] of [0.4, 0.422, 0.112, 0.067].entries()) {
      expect(Math.abs((prior[j] ?? 0) - share)).toBeLessThanOrEqual(WITHIN);
    }
    const labels = likeliest(posterior, 4);
    const classes = Array.from({ length: 45 }, (_, k) => (labels[items.get(String(k + 1)) ?? 0] ?? 0) + 1);
    expect(classes.join('')).toBe('142222132243121111222222112111131224233111212');
    expect(logLikelihood).toBeCloseTo(-192.891, 3);
    const sure = confidences(posterior, 4);
    const unsure = [...items].filter(([, item]) => (sure[item] ?? 0) < 0.99).map(([name]) => name);
    expect(unsure.sort()).toEqual(['35', '38', '7']);
    const rates = [0, 1, 2, 3].map((j) => [0, 1, 2, 3].map((l) => confusion[l * 4 + j] ?? 0));
    const published = [
      [0.89, 0.11, 0, 0],
      [0.07, 0.88, 0.05, 0],
      [0, 0.34, 0.66, 0],
      [0, 0, 0.56, 0.44],
    ];
    for (const [j, row] of published.entries()) {
      for (const [l, rate] of row.entries()) {
        expect(rates[j]?.[l]).toBeCloseTo(rate, 2);
      }
    }
  },
);

// The formula of Toloka's documentation (dynamic overlap), by hand: .9 × .8 against .1 × .2, and so on.
test.each([
  { accuracy: [0.9, 0.8], votes: [0, 0], posterior: [0.72 / 0.74, 0.02 / 0.74] },
  { accuracy: [0.9, 0.8], votes: [0, 1], posterior: [0.18 / 0.26, 0.08 / 0.26] },
  {
    accuracy: [0.7, 0.7, 0.95],
    votes: [0, 0, 1],
    posterior: [0.3583180987202926, 0.6252285191956123, 0.016453382084095074],
  },
])(
  'one coin with accuracies $accuracy and votes $votes says $posterior',
  ({ accuracy, votes, posterior }) => {
    const fit = {
      accuracy: Float64Array.from(accuracy),
      posterior: new Float64Array(),
      iterations: 0,
      converged: true,
    };
    const stated = oneCoinModel(fit, posterior.length).posterior(
      votes.map((label, worker) => ({ worker, label })),
    );
    for (const [j, probability] of posterior.entries()) {
      expect(stated[j]).toBeCloseTo(probability, 12);
    }
  },
);
