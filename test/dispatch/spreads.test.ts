// @once: looks at no database
import { expect, test } from 'vitest';
import { ARRIVALS_MIN, FIRST_SPREADS, spreadOf } from '../../src/services/dispatch/eta/band.js';
import { createSpreads } from '../../src/services/dispatch/eta/spreads.js';
import { createLogger } from '../../src/services/platform/logger.js';

const db = { systemPool: { query: () => Promise.reject(new Error('gone')) } as never };
const TENANT = 1n;

test('before anybody has arrived estimates are taken to be as wrong as they were beside the router', () => {
  let clockMs = 0;
  const spreads = createSpreads({ db, log: createLogger('silent'), monotonicMs: () => clockMs });
  expect(spreads.of(TENANT, 'LOW')).toEqual(FIRST_SPREADS.LOW);
  for (let n = 0; n < 100; n++) {
    spreads.compare(TENANT, 2 + n / 100);
  }
  clockMs += 60_000;
  const { low, middle, high } = spreads.of(TENANT, 'LOW');
  expect(middle).toBeCloseTo(2.5 * FIRST_SPREADS.HIGH.middle, 1);
  expect(low).toBeLessThan(2.1 * FIRST_SPREADS.HIGH.middle);
  expect(high).toBeGreaterThan(2.9 * FIRST_SPREADS.HIGH.middle);
  expect(spreads.of(TENANT, 'HIGH')).toEqual(FIRST_SPREADS.HIGH);
  expect(spreads.of(2n, 'LOW')).toEqual(FIRST_SPREADS.LOW);
});

test('a band holds what it is said to hold, and of a few arrivals nothing is concluded', () => {
  const ratios = Array.from({ length: 99 }, (_, n) => (n + 1) / 100);
  expect(spreadOf(ratios)).toEqual({ low: 0.1, middle: 0.5, high: 0.9 });
  expect(spreadOf(ratios.slice(0, ARRIVALS_MIN - 1))).toBe(null);
});
