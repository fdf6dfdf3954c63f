import { expect } from 'vitest';
import { median } from '../../../bench/claim/stats.js';
import { readCrowdSet } from '../../../bench/quality/crowd-set.js';
import { playStopping } from '../../../bench/quality/stopping.js';
import { testWithSets } from '../support/public-sets.js';

const SEEDS = 20;

testWithSets('rte')(
  'rte: stopping at posterior .9 is right in .90 of items with 3.5 answers, and says so within .03',
  () => {
    const set = readCrowdSet('rte');
    if (set === null) {
      throw new Error('rte is there, and cannot be read.');
    }
    const policy = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 10, price: null } as const;
    const runs = Array.from({ length: SEEDS }, (_, n) => playStopping(set, policy, n + 1));
    expect(median(runs.map(({ accuracy }) => accuracy))).toBeGreaterThanOrEqual(0.9);
    expect(median(runs.map(({ answersPerItem }) => answersPerItem))).toBeLessThanOrEqual(3.5);
    expect(median(runs.map(({ statedGap }) => statedGap))).toBeLessThanOrEqual(0.03);
  },
);
