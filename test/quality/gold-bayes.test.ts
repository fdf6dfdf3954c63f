import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { majorityModel } from '../../src/services/quality/inference/item-model.js';
import { judgeByGold } from '../../src/services/quality/inference/judge-by-gold.js';
import { LiveTruth } from '../../src/services/quality/inference/live-truth.js';
import { expectRows, given } from './support/small-sets.js';
import { type Given, range, tableFrom, textbookByGold } from './support/textbook.js';

describe('gold-weighted Bayes', () => {
  const withGold = given.chain((set) =>
    fc.record({ set: fc.constant(set), truths: fc.array(fc.nat(set.classes - 1), { maxLength: set.items }) }),
  );

  test('is what its formula says, for the items that are not gold; gold itself is judged by the other gold', () => {
    fc.assert(
      fc.property(withGold, ({ set, truths }) => {
        const known = new Map(truths.entries());
        const live = liveOf(set, known);
        for (const item of range(set.items)) {
          const others = new Map([...known].filter(([other]) => other !== item));
          const truth = known.get(item);
          live.setTruth(item, null);
          expectRows(live.posterior(item), [textbookByGold(set, { item, truths: others })]);
          live.setTruth(item, truth ?? null);
        }
      }),
    );
  });

  test('of a whole table is that of single items, each item of gold judged as if it were none', () => {
    fc.assert(
      fc.property(withGold, ({ set, truths }) => {
        const gold = truths.map((truth, item) => ({ item, truth }));
        const { posterior, model } = judgeByGold(tableFrom(set), gold);
        expect(model.temper).toBeGreaterThan(0);
        expect(model.temper).toBeLessThanOrEqual(1);
        const live = liveOf(set, new Map(truths.entries()), model.temper);
        for (const item of range(set.items)) {
          live.setTruth(item, null);
          expectRows(posterior.subarray(item * set.classes), [[...live.posterior(item)]]);
          live.setTruth(item, truths[item] ?? null);
        }
      }),
    );
  });

  test('knows one accuracy of a worker, and from five gold answers a class on a matrix', () => {
    const live = new LiveTruth(2);
    const says = (label: number) => {
      const [zero = 0, one = 0] = live.byGold.evidence([{ worker: 0, label }]);
      return label === 0 ? zero - one : one - zero;
    };
    // Always right about zeros, and about two of five ones.
    const labels = [0, 0, 0, 0, 0, 1, 1, 0, 0, 0];
    for (const [item, label] of labels.entries()) {
      live.setTruth(item, Number(item >= 5));
      expect(says(1)).toBeCloseTo(says(0), 12);
      live.add({ item, worker: 0, label });
    }
    expect(says(1)).toBeGreaterThan(says(0) + 0.5);
  });
});

describe('answers and gold that come and go', () => {
  type Step = readonly [
    kind: 'answer' | 'retract' | 'truth' | 'suspend',
    item: number,
    worker: number,
    label: number,
  ];
  const steps: fc.Arbitrary<Step[]> = fc.array(
    fc.tuple(
      fc.constantFrom('answer', 'answer', 'retract', 'truth', 'suspend'),
      fc.nat(4),
      fc.nat(3),
      fc.nat(2),
    ),
    { maxLength: 60 },
  );

  test('leave posteriors that are those from scratch to the bit', () => {
    fc.assert(
      fc.property(steps, (given) => {
        const live = new LiveTruth(3);
        let answers: { item: number; worker: number; label: number }[] = [];
        const truths = new Map<number, number>();
        for (const [kind, item, worker, label] of given) {
          const [last] = answers.filter((answer) => answer.item === item);
          if (kind === 'answer') {
            live.add({ item, worker, label });
            answers = [...answers, { item, worker, label }];
          } else if (kind === 'retract' && last !== undefined) {
            live.remove(last);
            answers = answers.filter((answer) => answer !== last);
          } else if (kind === 'truth') {
            live.setTruth(item, label);
            truths.set(item, label);
          } else if (kind === 'suspend') {
            live.setTruth(item, null);
            truths.delete(item);
          }
        }
        const scratch = liveOf({ items: 5, workers: 4, classes: 3, answers: answers.reverse() }, truths);
        for (const item of range(5)) {
          expect([...live.posterior(item)]).toEqual([...scratch.posterior(item)]);
        }
        expect(live.gold.total).toBe(scratch.gold.total);
      }),
    );
  });

  test('what was never said cannot be taken back', () => {
    const live = new LiveTruth(2);
    expect(() => live.remove({ item: 0, worker: 0, label: 0 })).toThrow(RangeError);
    expect(() => live.gold.remove({ worker: 0, truth: 0, label: 0 })).toThrow(RangeError);
    expect(() => live.posterior(0, majorityModel(3))).toThrow(RangeError);
  });
});

function liveOf(set: Given, truths: ReadonlyMap<number, number>, temper = 1): LiveTruth {
  const live = new LiveTruth(set.classes, { temper });
  for (const [item, truth] of truths) {
    live.setTruth(item, truth);
  }
  for (const answer of set.answers) {
    live.add(answer);
  }
  return live;
}
