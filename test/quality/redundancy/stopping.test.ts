import { describe, expect, test } from 'vitest';
import { applyPlatt } from '../../../src/services/quality/confidence/platt.js';
import type { Vote } from '../../../src/services/quality/redundancy/posterior.js';
import { fitStopping, type RevealedItem } from '../../../src/services/quality/redundancy/stopping.js';
import { randomOf } from '../../soak/random.js';

const RULE = { posterior: 0.9, min: 2, max: 5, prior: [0.5, 0.5] };

/** Items of five answers at .8 on average; where `hard`, a fifth of the items is answered wrong by most. */
function itemsOf(count: number, { hard, seed }: { hard: boolean; seed: number }): RevealedItem[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, (_, n) => {
    const truth = random() < 0.5 ? 0 : 1;
    const p = hard && random() < 0.2 ? 0.3 : 0.8 + (hard ? 0.1 : 0);
    const votes = Array.from(
      { length: 5 },
      (): Vote => ({ label: random() < p ? truth : 1 - truth, model: { accuracy: 0.8, confusion: null } }),
    );
    return { id: `item ${n}`, truth, votes };
  });
}

describe('a stopping rule held to what was revealed', () => {
  test('keeps its threshold and its numbers where answers are as independent as they seem', () => {
    const { all } = fitStopping(itemsOf(2000, { hard: false, seed: 1 }), RULE);
    expect(all?.threshold).toBe(0.9);
    expect(applyPlatt(all?.map ?? { intercept: 0, slope: 0 }, 0.94)).toBeCloseTo(0.94, 1);
  });

  test('raises the threshold, and tells less, where hard items are answered wrong by most', () => {
    const { all } = fitStopping(itemsOf(2000, { hard: true, seed: 1 }), RULE);
    expect(all?.threshold).toBeGreaterThan(0.9);
    expect(applyPlatt(all?.map ?? { intercept: 0, slope: 1 }, 0.98)).toBeLessThan(0.95);
  });

  test('looks at no more answers than a task may have', () => {
    // Right from the fourth answer on, which a task of at most three never has.
    const items = itemsOf(100, { hard: false, seed: 4 }).map(({ truth, votes, ...item }) => ({
      ...item,
      truth,
      votes: votes.map((vote, n) => ({ ...vote, label: n < 3 ? n % 2 : truth })),
    }));
    const late = items.map((item) => ({ ...item, votes: item.votes.slice(0, 3) }));
    const rule = { ...RULE, max: 3 };
    expect(fitStopping(items, rule).all).toEqual(fitStopping(late, rule).all);
    expect(fitStopping(items, RULE).all).not.toEqual(fitStopping(items, rule).all);
  });

  test('says nothing before fifty items are known', () => {
    expect(fitStopping(itemsOf(49, { hard: false, seed: 1 }), RULE).all).toBeNull();
    expect(fitStopping(itemsOf(50, { hard: false, seed: 1 }), RULE).all).not.toBeNull();
  });

  test('judges an item by what does not depend on its truth', () => {
    const items = itemsOf(300, { hard: true, seed: 2 });
    for (const judged of items.slice(0, 20)) {
      const flipped = items.map((item) =>
        item.id === judged.id ? { ...item, truth: 1 - item.truth } : item,
      );
      expect(fitStopping(flipped, RULE).without(judged.id)).toEqual(
        fitStopping(items, RULE).without(judged.id),
      );
    }
  });

  test('does not move an item to another fold when items are added', () => {
    const items = itemsOf(300, { hard: true, seed: 3 });
    const [first] = items;
    const more = [...items, { id: 'another', truth: 0, votes: [] }];
    const flipped = more.map((item) => (item.id === first?.id ? { ...item, truth: 1 - item.truth } : item));
    expect(fitStopping(flipped, RULE).without('item 0')).toEqual(fitStopping(more, RULE).without('item 0'));
  });
});
