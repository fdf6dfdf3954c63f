import { expect, test } from 'vitest';
import { goldLatencyAuc } from '../../bench/quality/latency.js';
import { Evenness } from '../../src/services/routing/evenness.js';

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
    const after = ms + evenness.note(isGold, ms);
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

test('nothing is held back where there is no gold', () => {
  const evenness = new Evenness();
  expect(Array.from({ length: 500 }, (_, n) => evenness.note(false, n)).every((ms) => ms === 0)).toBe(true);
});
