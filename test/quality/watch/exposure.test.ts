import { describe, expect, test } from 'vitest';
import {
  exposureRise,
  findLeak,
  quickAnswersByChance,
  type Showing,
} from '../../../src/services/quality/watch/exposure.js';
import { type Random, randomOf } from '../../soak/random.js';
import { normal } from './normal.js';

/** The share of ordinary answers below half of the usual time, where times are lognormal with this sigma (.6). */
const USUAL_QUICK = 0.124;

interface Life {
  /** Of later experts, those who know the gold: they are right, in a quarter of the time. */
  readonly knowing: number;
  /** How much easier or harder, and slower or quicker, than others this gold is. */
  readonly ease: number;
  readonly pace: number;
}

function showing(random: Random, { knowing, ease, pace }: Life, n: number): Showing {
  const accuracy = 0.65 + 0.3 * random();
  const knows = n >= 20 && random() < knowing;
  return {
    credit: knows || random() < Math.min(0.99, accuracy + ease) ? 1 : 0,
    // What is believed of an expert is itself uncertain.
    expected: Math.min(0.97, Math.max(0.4, accuracy + 0.1 * normal(random))),
    timeShare: Math.exp(0.6 * normal(random)) * pace * (knows ? 0.25 : 1),
  };
}

/** The share of golds called leaked at some time of their forty showings, looked at after each. */
function foundShare(knowing: number, golds: number): number {
  const random = randomOf(21);
  let found = 0;
  for (let gold = 0; gold < golds; gold++) {
    const life = { knowing, ease: 0.3 * (random() - 0.5), pace: Math.exp(0.25 * normal(random)) };
    const showings: Showing[] = [];
    for (let n = 0; n < 40; n++) {
      showings.push(showing(random, life, n));
      if (findLeak(showings, USUAL_QUICK) !== null) {
        found++;
        break;
      }
    }
  }
  return found / golds;
}

describe('a gold looked at after each of forty showings', () => {
  test('is called leaked in at most 1 % of lives if it is not', () => {
    expect(foundShare(0, 1500)).toBeLessThanOrEqual(0.01);
  });

  test('is found in more than half of the cases where half of later experts know it, and nearly always where all do', () => {
    expect(foundShare(0.5, 300)).toBeGreaterThan(0.5);
    expect(foundShare(1, 200)).toBeGreaterThan(0.98);
  });
});

describe('the signs', () => {
  const steady = (credit: number, expected: number, timeShare: number | null): Showing => ({
    credit,
    expected,
    timeShare,
  });

  test('wait for eight later showings', () => {
    const showings = Array.from({ length: 27 }, () => steady(1, 0.8, 1));
    expect(exposureRise(showings)).toBeNull();
    expect(quickAnswersByChance(showings, 0.1)).toBeNull();
  });

  test('a rise is the difference of residuals over its standard error', () => {
    const early = Array.from({ length: 20 }, (_, n) => steady(n < 10 ? 1 : 0, 0.5, null));
    const late = Array.from({ length: 20 }, () => steady(1, 0.5, null));
    // .5 over sqrt(2 x .25 / 20).
    expect(exposureRise([...early, ...late])).toBeCloseTo(0.5 / Math.sqrt(0.025), 12);
  });

  test('better experts later are no rise', () => {
    const early = Array.from({ length: 20 }, (_, n) => steady(n < 12 ? 1 : 0, 0.6, null));
    const late = Array.from({ length: 20 }, (_, n) => steady(n < 18 ? 1 : 0, 0.9, null));
    expect(exposureRise([...early, ...late])).toBeCloseTo(0, 12);
  });

  test('times that nobody measured say nothing', () => {
    const showings = Array.from({ length: 40 }, () => steady(1, 0.8, null));
    expect(quickAnswersByChance(showings, 0.1)).toBeNull();
  });

  test('a gold that was quick from the first is not called known', () => {
    const quick = Array.from({ length: 40 }, () => steady(1, 0.9, 0.3));
    expect(findLeak(quick, 0.1)).toBeNull();
    const turned = quick.map((one, n) => ({ ...one, timeShare: n < 20 ? 1 : 0.3 }));
    expect(findLeak(turned, 0.1)).toMatchObject({ sign: 'TIME_FALLS' });
  });
});
