import { performance } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import { AnalystPace } from '../../src/services/platform/analyst-pace.js';
import { CancelledError } from '../../src/services/platform/errors.js';
import { FairTurns } from '../../src/services/platform/fair-turns.js';

const asking = { tenantId: 1n, identityId: 1n };

/** Computes for so long, by the time that this process was given. */
async function compute(ms: number): Promise<void> {
  const before = process.cpuUsage();
  for (;;) {
    const { user, system } = process.cpuUsage(before);
    if (user + system > ms * 1_000) {
      return;
    }
    for (let n = 0; n < 100_000; n += 1) {
      Math.hypot(n, ms);
    }
  }
}

test('small questions come at once', async () => {
  const pace = new AnalystPace(0.1);
  const from = performance.now();
  for (let n = 0; n < 20; n += 1) {
    await pace.run(asking, async () => n);
  }
  expect(performance.now() - from).toBeLessThan(1_000);
});

test('after one that took long the next waits for nine times as long, less what may be owed', async () => {
  const pace = new AnalystPace(0.1);
  await pace.run(asking, () => compute(300));
  const from = performance.now();
  await pace.run(asking, async () => undefined);
  expect(performance.now() - from).toBeGreaterThan(600);
});

test('what one has taken is not paid for twice: the second after it comes at once', async () => {
  const pace = new AnalystPace(0.1);
  await pace.run(asking, () => compute(250));
  await pace.run(asking, async () => undefined);
  const from = performance.now();
  await pace.run(asking, async () => undefined);
  expect(performance.now() - from).toBeLessThan(1_500);
});

test('one that fails gives its turn back, and whoever has gone has none', async () => {
  const pace = new AnalystPace(0.1);
  await expect(pace.run(asking, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await pace.run(asking, async () => 'next')).toBe('next');
  const gone = AbortSignal.abort();
  await expect(pace.run({ ...asking, signal: gone }, async () => 'never')).rejects.toBeInstanceOf(
    CancelledError,
  );
});

test('turns are as many as they may be, and go from tenant to tenant', async () => {
  const turns = new FairTurns({ atOnce: 1, waitingMax: 10, retryAfterSeconds: 1 });
  await turns.take(asking);
  const order: string[] = [];
  const wait = (name: string, tenantId: bigint) =>
    turns.take({ tenantId, identityId: 1n }).then(() => {
      order.push(name);
      turns.give();
    });
  const all = [wait('a1', 1n), wait('a2', 1n), wait('b1', 2n)];
  expect(turns.waiting).toBe(3);
  turns.give();
  await Promise.all(all);
  expect(order).toEqual(['a1', 'b1', 'a2']);
});
