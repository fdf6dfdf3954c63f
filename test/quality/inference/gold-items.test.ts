import { expect, test } from 'vitest';
import { goldItems } from '../../../src/services/quality/inference/gold-items.js';

const answers = (taskId: bigint, count: number, isWork: boolean) =>
  Array.from({ length: count }, (_, n) => ({
    ...{ taskId, expertId: BigInt(n), truth: 'yes', answered: 'yes', isRight: true, isWork },
    model: { accuracy: 0.8, confusion: null },
  }));

test('gold is dealt out into items of the size of a task; a task that was drawn is one item, however many answers it took', () => {
  const sizesOf = (isWork: boolean) =>
    goldItems([...answers(1n, 9, isWork), ...answers(2n, 4, isWork)], 2).map((item) => item.answers.length);
  expect(sizesOf(false)).toEqual([3, 2, 2, 2, 2, 2]);
  expect(sizesOf(true)).toEqual([9, 4]);
});
