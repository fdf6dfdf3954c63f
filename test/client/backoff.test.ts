import fc from 'fast-check';
import { expect, test } from 'vitest';
import { waitBeforeRetry } from '../../src/client/backoff.js';
import { beatIntervalMs } from '../../src/client/keeper.js';
import { retryAfterOf } from '../../src/client/response.js';

const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

test('waits lie between half of the doubled base and the cap, and never below what the server asked for', () => {
  fc.assert(
    fc.property(
      fc.record({
        baseMs: fc.integer({ min: 1, max: 1000 }),
        capMs: fc.integer({ min: 1, max: 60_000 }),
        failures: fc.integer({ min: 1, max: 2000 }),
        retryAfterMs: fc.option(fc.integer({ min: 0, max: 100_000 })),
        draw: unit,
      }),
      ({ baseMs, capMs, failures, retryAfterMs, draw }) => {
        const waitMs = waitBeforeRetry({ baseMs, capMs }, failures, { retryAfterMs, random: () => draw });
        const full = Math.min(capMs, baseMs * 2 ** Math.min(failures - 1, 30));
        expect(waitMs).toBeGreaterThanOrEqual(Math.max(full / 2, retryAfterMs ?? 0));
        expect(waitMs).toBeLessThanOrEqual(Math.max(full, (retryAfterMs ?? 0) * 1.25));
      },
    ),
  );
});

test('a lease is kept by at least three beats, and by one a minute at least', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 28_800 }), unit, (leaseSeconds, draw) => {
      const interval = beatIntervalMs(leaseSeconds, () => draw);
      expect(interval).toBeLessThanOrEqual(Math.min((leaseSeconds * 1000) / 3, 60_000));
      expect(interval).toBeGreaterThan(0);
    }),
  );
});

test('Retry-After is read as seconds and as a date, and nothing else', () => {
  expect(retryAfterOf('7')).toBe(7000);
  expect(retryAfterOf(' 0 ')).toBe(0);
  expect(retryAfterOf('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(0);
  expect(retryAfterOf('soon')).toBeNull();
  expect(retryAfterOf('-1e9999')).toBeNull();
  expect(retryAfterOf(null)).toBeNull();
});
