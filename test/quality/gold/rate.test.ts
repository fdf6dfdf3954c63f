import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { drawGold, goldRate, hasDrifted, type RateInputs } from '../../../src/services/quality/gold/rate.js';
import { randomOf } from '../../soak/random.js';

const STEADY: RateInputs = {
  standing: 'ACTIVE',
  seen: 60,
  recent: Array(30).fill(1),
  tasksSinceMiss: null,
  tasksSinceAbsence: null,
  tasksSinceInstructions: null,
};

describe('the gold rate', () => {
  // The rule: .25 / (1 + n / 10), within .03 and .25.
  test.each([
    { seen: 0, rate: 0.25 },
    { seen: 10, rate: 0.125 },
    { seen: 40, rate: 0.05 },
    { seen: 1000, rate: 0.03 },
  ])('after $seen results is $rate', ({ seen, rate }) => {
    expect(goldRate({ ...STEADY, seen })).toEqual({ rate, reason: 'EVIDENCE' });
  });

  test.each([
    { what: 'a miss', of: { tasksSinceMiss: 0 }, reason: 'AFTER_MISS' },
    { what: 'an absence', of: { tasksSinceAbsence: 9 }, reason: 'AFTER_ABSENCE' },
    { what: 'new instructions', of: { tasksSinceInstructions: 3 }, reason: 'NEW_INSTRUCTIONS' },
    { what: 'drift', of: { recent: [...Array(20).fill(1), ...Array(10).fill(0)] }, reason: 'DRIFT' },
  ])('rises to .15 after $what', ({ of, reason }) => {
    expect(goldRate({ ...STEADY, ...of })).toEqual({ rate: 0.15, reason });
  });

  test('rises to .15 while a bar is held that is not proven any more', () => {
    expect(goldRate({ ...STEADY, isKept: true })).toEqual({ rate: 0.15, reason: 'BAR_KEPT' });
  });

  test('falls again after ten tasks', () => {
    const later = { tasksSinceMiss: 10, tasksSinceAbsence: 10, tasksSinceInstructions: 10 };
    expect(goldRate({ ...STEADY, ...later }).reason).toBe('EVIDENCE');
  });

  test('is never lowered by a reason to raise it', () => {
    expect(goldRate({ ...STEADY, seen: 2, tasksSinceMiss: 0 }).rate).toBeGreaterThan(0.15);
  });

  const inputs = fc.record({
    standing: fc.constantFrom('PROBATION' as const, 'ACTIVE' as const, 'RETEST' as const),
    seen: fc.nat({ max: 500 }),
    recent: fc.array(fc.constantFrom(0, 1), { maxLength: 30 }),
    tasksSinceMiss: fc.option(fc.nat({ max: 20 })),
    tasksSinceAbsence: fc.option(fc.nat({ max: 20 })),
    tasksSinceInstructions: fc.option(fc.nat({ max: 20 })),
  });

  test('is always below one half, so that nobody tells gold by counting, and never nothing', () => {
    fc.assert(
      fc.property(inputs, (of) => {
        const { rate } = goldRate(of);
        expect(rate).toBeLessThan(0.5);
        expect(rate).toBeGreaterThanOrEqual(0.03);
      }),
    );
  });

  test('of whoever works never rises with evidence alone', () => {
    fc.assert(
      fc.property(inputs, fc.nat({ max: 100 }), (of, more) => {
        const active = { ...of, standing: 'ACTIVE' as const };
        expect(goldRate({ ...active, seen: of.seen + more }).rate).toBeLessThanOrEqual(goldRate(active).rate);
      }),
    );
  });
});

describe('a draw', () => {
  test('keeps the rate, its reason and the number drawn, and is gold below the rate only', () => {
    const rate = goldRate(STEADY);
    expect(drawGold(rate, 0.029)).toEqual({ ...rate, drawn: 0.029, isGold: true });
    expect(drawGold({ rate: 0.03, reason: 'EVIDENCE' }, 0.03).isGold).toBe(false);
  });

  test('makes the share of claims gold that the rate says', () => {
    const random = randomOf(1);
    const draws = Array.from({ length: 20_000 }, () => drawGold({ rate: 0.15, reason: 'DRIFT' }, random()));
    const gold = draws.filter(({ isGold }) => isGold).length;
    // Three standard errors of a binomial share.
    expect(Math.abs(gold / 20_000 - 0.15)).toBeLessThan(3 * Math.sqrt((0.15 * 0.85) / 20_000));
  });
});

describe('drift', () => {
  const looks = (accuracyAt: (n: number) => number, seed: number) => {
    const random = randomOf(seed);
    let found = 0;
    let all = 0;
    for (let expert = 0; expert < 300; expert++) {
      const credits = Array.from({ length: 60 }, (_, n) => (random() < accuracyAt(n) ? 1 : 0));
      for (let n = 20; n <= 60; n++) {
        all++;
        found += hasDrifted(credits.slice(Math.max(0, n - 30), n)) ? 1 : 0;
      }
    }
    return found / all;
  };

  test.each([0.65, 0.8, 0.95])('of a steady expert at %s is seen in at most 3 %% of looks', (accuracy) => {
    expect(looks(() => accuracy, 1)).toBeLessThan(0.03);
  });

  test('is seen where .95 became .5', () => {
    const random = randomOf(2);
    const seen = Array.from({ length: 200 }, () => {
      const credits = Array.from({ length: 30 }, (_, n) => (random() < (n < 20 ? 0.95 : 0.5) ? 1 : 0));
      return hasDrifted(credits);
    });
    expect(seen.filter(Boolean).length / 200).toBeGreaterThan(0.75);
  });

  test('needs twenty results', () => {
    expect(hasDrifted([...Array(9).fill(1), ...Array(10).fill(0)])).toBe(false);
  });
});
