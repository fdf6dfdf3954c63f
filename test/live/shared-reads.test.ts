import { expect, test } from 'vitest';
import { SharedReads } from '../../src/live/shared-reads.js';

test('what is read together ends when the last who waits for it leaves, and not before', async () => {
  const reads = new SharedReads();
  const signals: AbortSignal[] = [];
  const load = async (signal: AbortSignal) => signals.push(signal);
  const [one, other] = [reads.join('state', load), reads.join('state', load)];
  await one.read({ epoch: 1, seq: 1 });
  one.leave();
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  other.leave();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  // Who comes later begins anew.
  await reads.join('state', load).read({ epoch: 1, seq: 1 });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
});
