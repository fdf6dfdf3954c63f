import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dawidSkene } from '../../src/services/quality/inference/dawid-skene.js';
import {
  dawidSkeneModel,
  judge,
  majorityModel,
  oneCoinModel,
} from '../../src/services/quality/inference/item-model.js';
import { voteShares } from '../../src/services/quality/inference/majority.js';
import { oneCoin } from '../../src/services/quality/inference/one-coin.js';
import { credit, likeliest, type Posterior } from '../../src/services/quality/inference/posterior.js';
import { expectRows, given } from './support/small-sets.js';
import {
  type Given,
  range,
  tableFrom,
  textbookDawidSkene,
  textbookOneCoin,
  textbookVotes,
} from './support/textbook.js';

const permutation = (length: number) =>
  fc.array(fc.double({ noNaN: true }), { minLength: length, maxLength: length }).map((keys) => {
    const order = range(length).sort((one, other) => (keys[one] ?? 0) - (keys[other] ?? 0));
    return (at: number) => order.indexOf(at);
  });

const shuffled = given.chain((set) =>
  fc.record({
    set: fc.constant(set),
    item: permutation(set.items),
    worker: permutation(set.workers),
    label: permutation(set.classes),
  }),
);

const ROUNDS = 12;
const FEW = 6;
const methods = {
  'vote shares': (set: Given) => voteShares(tableFrom(set)),
  'Dawid-Skene': (set: Given) => dawidSkene(tableFrom(set), { iterations: ROUNDS, tolerance: 0 }).posterior,
  'Dawid-Skene with coins for few answers': (set: Given) =>
    dawidSkene(tableFrom(set), { iterations: ROUNDS, tolerance: 0, matrixFrom: FEW }).posterior,
  'one coin': (set: Given) => oneCoin(tableFrom(set), { iterations: ROUNDS, tolerance: 0 }).posterior,
};
const textbooks = {
  'vote shares': textbookVotes,
  'Dawid-Skene': (set: Given) => textbookDawidSkene(set, { iterations: ROUNDS }),
  'Dawid-Skene with coins for few answers': (set: Given) =>
    textbookDawidSkene(set, { iterations: ROUNDS, matrixFrom: FEW }),
  'one coin': (set: Given) => textbookOneCoin(set, ROUNDS),
};
const names = Object.keys(methods) as (keyof typeof methods)[];

describe.each(names)('%s', (name) => {
  test('is what the textbook says, answer by answer', () => {
    fc.assert(fc.property(given, (set) => expectRows(methods[name](set), textbooks[name](set))));
  });

  test('states probabilities that sum to one', () => {
    fc.assert(
      fc.property(given, (set) => {
        const posterior = methods[name](set);
        for (const item of range(set.items)) {
          const row = posterior.subarray(item * set.classes, (item + 1) * set.classes);
          expect(row.every((share) => share >= 0 && share <= 1)).toBe(true);
          expect(row.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9);
        }
      }),
    );
  });

  test('does not depend on how items, workers and labels are numbered, nor on the order of answers', () => {
    fc.assert(
      fc.property(shuffled, ({ set, item, worker, label }) => {
        const answers = set.answers
          .map((answer) => ({
            item: item(answer.item),
            worker: worker(answer.worker),
            label: label(answer.label),
          }))
          .reverse();
        const [one, other] = [methods[name](set), methods[name]({ ...set, answers })];
        for (const i of range(set.items)) {
          for (const j of range(set.classes)) {
            const there = other[item(i) * set.classes + label(j)] ?? 0;
            expect(Math.abs((one[i * set.classes + j] ?? 0) - there)).toBeLessThan(1e-6);
          }
        }
      }),
    );
  });
});

test('a round of Dawid-Skene never makes the answers less likely, and smoothing leaves nothing impossible', () => {
  fc.assert(
    fc.property(given, (set) => {
      const likelihoods = range(8).map(
        (round) => dawidSkene(tableFrom(set), { iterations: round + 1, tolerance: 0 }).logLikelihood,
      );
      for (const [round, likelihood] of likelihoods.entries()) {
        expect(likelihood).toBeGreaterThanOrEqual(
          (likelihoods[round - 1] ?? Number.NEGATIVE_INFINITY) - 1e-9,
        );
      }
      const { confusion } = dawidSkene(tableFrom(set), { smoothing: 0.01 });
      expect(confusion.every((p) => p > 0 && p < 1)).toBe(true);
    }),
  );
});

test('where workers always agree, every method says what they say', () => {
  const set: Given = {
    items: 6,
    workers: 3,
    classes: 3,
    answers: range(6).flatMap((item) => range(3).map((worker) => ({ item, worker, label: item % 3 }))),
  };
  for (const name of names) {
    expect([...likeliest(methods[name](set), 3)]).toEqual([0, 1, 2, 0, 1, 2]);
  }
});

test('a tie is decided for the first class, and earns its share of the credit whichever that is', () => {
  const shares = Float64Array.from([0.4, 0.4, 0.2]);
  expect([...likeliest(shares, 3)]).toEqual([0]);
  expect([0, 1, 2].map((truth) => credit(shares, 3, { item: 0, truth }))).toEqual([0.5, 0.5, 0]);
});

describe('one item judged by what is kept of its workers', () => {
  const same = (one: Posterior, other: Posterior) =>
    one.every((share, at) => Math.abs(share - (other[at] ?? 0)) < 1e-9);

  test('is what the whole fit says of it', () => {
    fc.assert(
      fc.property(given, (set) => {
        const table = tableFrom(set);
        expect(same(judge(table, majorityModel(set.classes)), voteShares(table))).toBe(true);
        const fit = dawidSkene(table, { iterations: ROUNDS, tolerance: 0 });
        expect(same(judge(table, dawidSkeneModel(fit)), fit.posterior)).toBe(true);
        const coin = oneCoin(table, { iterations: ROUNDS, tolerance: 0 });
        expect(same(judge(table, oneCoinModel(coin, set.classes)), coin.posterior)).toBe(true);
      }),
    );
  });

  test('takes a worker nobody knows for an average one, and the impossible for unlikely', () => {
    const set: Given = {
      items: 4,
      workers: 2,
      classes: 2,
      answers: range(4).flatMap((item) => range(2).map((worker) => ({ item, worker, label: item % 2 }))),
    };
    const model = dawidSkeneModel(dawidSkene(tableFrom(set)));
    expect(model.posterior([{ worker: 9, label: 1 }])[1]).toBeGreaterThan(0.9);
    const torn = model.posterior([0, 1].map((label) => ({ worker: label, label })));
    expect(torn[0]).toBeCloseTo(0.5, 6);
  });
});
