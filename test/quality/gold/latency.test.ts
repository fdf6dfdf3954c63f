import { expect, test } from 'vitest';
import { goldLatencyAuc } from '../../../bench/quality/latency.js';

const auc = (goldMs: readonly number[], otherMs: readonly number[]) =>
  goldLatencyAuc(async () => ({ goldMs, otherMs }));

test('gold told by latency: 1 where gold is always slower, 0 where it is always quicker, a half where it is the same', async () => {
  expect(await auc([5, 6], [1, 2, 3])).toBe(1);
  expect(await auc([1, 2], [5, 6, 7])).toBe(0);
  expect(await auc([4, 4], [4, 4, 4])).toBe(0.5);
});

test('is not run where nothing can be timed', async () => {
  expect(await goldLatencyAuc(null)).toBeNull();
});
