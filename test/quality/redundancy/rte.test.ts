import { expect, test } from 'vitest';
import { median } from '../../../bench/claim/stats.js';
import { readCrowdSet } from '../../../bench/quality/crowd-set.js';
import { playStopping } from '../../../bench/quality/stopping.js';

const SEEDS = 20;

test('rte: stopping at posterior .9 is right in .90 of items with 3.5 answers, and says so within .03', () => {
  const set = readCrowdSet('rte');
  if (set === null) {
    console.log('not run: rte is not there (set TOUCHSTONE_DATA to the directory of the public sets)');
    return;
  }
  const policy = { kind: 'POSTERIOR', posterior: 0.9, min: 2, max: 10, price: null } as const;
  const runs = Array.from({ length: SEEDS }, (_, n) => playStopping(set, policy, n + 1));
  expect(median(runs.map(({ accuracy }) => accuracy))).toBeGreaterThanOrEqual(0.9);
  expect(median(runs.map(({ answersPerItem }) => answersPerItem))).toBeLessThanOrEqual(3.5);
  expect(median(runs.map(({ statedGap }) => statedGap))).toBeLessThanOrEqual(0.03);
});
