// @once: asks no database
import { expect, test } from 'vitest';
import { cachedFor } from '../../src/services/platform/cached.js';

function counting(answer: (n: number) => Promise<number>) {
  let reads = 0;
  return {
    read: () => {
      reads += 1;
      return answer(reads);
    },
    reads: () => reads,
  };
}

test('many who ask at once and soon after share one read', async () => {
  const { read, reads } = counting(async (n) => n);
  const cached = cachedFor(3_600_000, read);
  expect(await Promise.all(Array.from({ length: 20 }, cached))).toEqual(Array(20).fill(1));
  expect(await cached()).toBe(1);
  expect(reads()).toBe(1);
});

test('what is too old is read again', async () => {
  const { read } = counting(async (n) => n);
  const cached = cachedFor(0, read);
  expect([await cached(), await cached()]).toEqual([1, 2]);
});

test('a failure is told to those who shared it, and not kept', async () => {
  const { read } = counting(async (n) => {
    if (n === 1) {
      throw new Error('down');
    }
    return n;
  });
  const cached = cachedFor(3_600_000, read);
  const first = [cached(), cached()];
  await expect(first[0]).rejects.toThrow('down');
  await expect(first[1]).rejects.toThrow('down');
  expect(await cached()).toBe(2);
});
