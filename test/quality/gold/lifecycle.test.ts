import { describe, expect, test } from 'vitest';
import { goldStanding, goldToMint, isMintable } from '../../../src/services/quality/gold/lifecycle.js';

const FRESH = { exposures: 3, ageSeconds: 86_400, finding: null };

describe('a gold', () => {
  test.each([
    { what: 'fresh', life: FRESH, standing: { standing: 'ACTIVE' } },
    {
      what: 'shown to forty experts',
      life: { ...FRESH, exposures: 40 },
      standing: { standing: 'RETIRED', reason: 'EXPOSURE' },
    },
    {
      what: 'three months old',
      life: { ...FRESH, ageSeconds: 90 * 86_400 },
      standing: { standing: 'RETIRED', reason: 'AGE' },
    },
    {
      what: 'known among experts',
      life: { ...FRESH, finding: 'LEAKED' as const },
      standing: { standing: 'RETIRED', reason: 'LEAKED' },
    },
    {
      what: 'missed by strong experts, and worn out too',
      life: { exposures: 99, ageSeconds: 1e9, finding: 'UNHEALTHY' as const },
      standing: { standing: 'SUSPENDED', reason: 'UNHEALTHY' },
    },
  ])('that is $what is $standing.standing', ({ life, standing }) => {
    expect(goldStanding(life)).toEqual(standing);
  });
});

describe('a finished task', () => {
  const UNANIMOUS = { isAdjudicated: false, posterior: 0.99, answers: 3, agreeing: 3, proven: 2 };

  test.each([
    { what: 'unanimous among three, two of them proven', task: UNANIMOUS, isGold: true },
    {
      what: 'adjudicated',
      task: { ...UNANIMOUS, isAdjudicated: true, agreeing: 1, proven: 0 },
      isGold: true,
    },
    {
      what: 'adjudicated but not sure',
      task: { ...UNANIMOUS, isAdjudicated: true, posterior: 0.9 },
      isGold: false,
    },
    { what: 'unanimous among newcomers', task: { ...UNANIMOUS, proven: 1 }, isGold: false },
    { what: 'contested', task: { ...UNANIMOUS, answers: 4 }, isGold: false },
    { what: 'unanimous among two', task: { ...UNANIMOUS, answers: 2, agreeing: 2 }, isGold: false },
  ])('$what becomes gold: $isGold', ({ task, isGold }) => {
    expect(isMintable(task)).toBe(isGold);
  });
});

describe('the pool', () => {
  const DEMAND = { active: 100, showingsLeft: 4000, experts: 50, perExpertMean: 10, perExpertMax: 20 };

  test('that holds enough mints none', () => {
    expect(goldToMint(DEMAND)).toBe(0);
  });

  test('is filled so that the expert who meets most never meets one twice', () => {
    expect(goldToMint({ ...DEMAND, active: 12 })).toBe(18);
  });

  test('is filled so that there are showings for all', () => {
    // 50 x 10 x 1.5 = 750 showings, 350 of them left: 400 more, forty a gold.
    expect(goldToMint({ ...DEMAND, showingsLeft: 350 })).toBe(10);
  });
});
