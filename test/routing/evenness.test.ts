import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { goldLatencyAuc } from '../../bench/quality/latency.js';
import { Evenness } from '../../src/services/routing/evenness.js';
import { createTick } from '../../src/services/routing/tick.js';

/** A seeded stream of numbers between 0 and 1 (mulberry32). */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** What clients see of 6,000 calls, of which a share is gold and takes so much longer. */
function seen({ share, longer }: { share: number; longer: number }) {
  const next = random(1);
  const evenness = new Evenness();
  const latencies = { goldMs: [] as number[], otherMs: [] as number[] };
  for (let n = 0; n < 6_000; n++) {
    const isGold = next() < share;
    const ms = 1 + -Math.log(1 - next()) / 2 + (isGold ? longer : 0);
    const after = ms + (evenness.note(isGold, ms) ?? 0);
    expect(after).toBeGreaterThanOrEqual(ms);
    if (n > 1_000) {
      latencies[isGold ? 'goldMs' : 'otherMs'].push(after);
    }
  }
  return latencies;
}

test.each([
  { share: 0.4, longer: 0.5 },
  { share: 0.1, longer: 1 },
  { share: 0.2, longer: -0.5 },
  { share: 0.25, longer: 0 },
])('gold that takes $longer ms longer cannot be told by its latency (share $share)', async (of) => {
  const auc = (await goldLatencyAuc(async () => seen(of))) ?? 0;
  expect(Math.abs(auc - 0.5)).toBeLessThan(0.03);
});

test('an answer leaves with a beat, never before it is due, whether it waits or not', async () => {
  const tick = createTick(5);
  // (While what beats begins, answers are later than they need be.)
  for (let beats = 0; beats < 20; beats++) {
    await tick.after(5);
  }
  const waits = Array.from({ length: 200 }, (_, n) => (n % 2 === 0 ? 0 : (n * 7) % 40));
  // (Turns of the loop: whoever leaves in one leaves with one beat.)
  const loops = () => performance.nodeTiming.uvMetricsInfo.loopCount;
  const began = performance.now();
  const beats = new Set<number>();
  const left = await Promise.all(
    waits.map(async (ms) => {
      await tick.after(ms);
      beats.add(loops());
      return performance.now() - began;
    }),
  );
  expect(left.every((ms, n) => ms >= (waits[n] ?? 0))).toBe(true);
  // 200 answers within 40 ms leave with nine beats at most, of 5 ms.
  expect(beats.size).toBeLessThanOrEqual(9);
});

test('beats are late by chance, by up to half of what lies between two', async () => {
  const everyMs = 6;
  const tick = createTick(everyMs);
  const clockMs = () => Number(process.hrtime.bigint()) / 1e6;
  const lateMs: number[] = [];
  for (let beats = 0; beats < 60; beats++) {
    await tick.after(0);
    lateMs.push(clockMs() % everyMs);
  }
  // (The first ones come by timers.)
  const sorted = lateMs.slice(20).toSorted((a, b) => a - b);
  expect((sorted[30] ?? 0) - (sorted[10] ?? 0)).toBeGreaterThan(0.6);
});

test.each([
  {
    what: 'can be begun',
    open: (): Worker => {
      throw new Error('too many threads');
    },
  },
  { what: 'lives', open: () => new Worker('process.exit()', { eval: true }) },
])('answers leave also where no thread $what', async ({ open }) => {
  const warned = once(process, 'warning');
  const tick = createTick(5, open);
  await tick.after(3);
  await warned;
  const began = performance.now();
  await Promise.all([0, 7, 12].map((ms) => tick.after(ms)));
  expect(performance.now() - began).toBeGreaterThan(11);
});

test('the latest latencies are compared, not all there ever were', () => {
  const evenness = new Evenness();
  for (let n = 0; n < 200; n++) {
    evenness.note(true, 50);
    evenness.note(false, 10);
  }
  expect(evenness.note(false, 10)).toBe(40);
  for (let n = 0; n < 200; n++) {
    evenness.note(true, 12);
  }
  expect(evenness.note(false, 10)).toBe(2);
});

test('nothing is held back where there is no gold', () => {
  const evenness = new Evenness();
  expect(Array.from({ length: 500 }, (_, n) => evenness.note(false, n)).every((ms) => ms === null)).toBe(
    true,
  );
});
