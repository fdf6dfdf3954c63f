import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ANSWERS_BETWEEN, rounded, showingDays } from '../../../src/services/quality/showing/spacing.js';

const days = (counts: readonly number[]) =>
  counts.map((answers, n) => ({
    until: new Date(Date.UTC(2026, 0, n + 2)),
    answers,
    lastAssignment: BigInt(n + 1),
    stated: 0,
  }));

const shownAfter = (counts: readonly number[]) =>
  showingDays(days(counts)).map(({ lastAssignment }) => Number(lastAssignment));

test('who answers once a day is shown a state each twentieth day, who answers much each day', () => {
  expect(shownAfter(Array.from({ length: 45 }, () => 1))).toEqual([20, 40]);
  expect(shownAfter([25, 25, 19, 1, 3])).toEqual([1, 2, 4]);
  expect(shownAfter([])).toEqual([]);
});

test('so many answers lie between any two states, and a state comes on the first day that it may', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 }), (counts) => {
      let from = 0;
      for (const day of shownAfter(counts)) {
        const between = counts.slice(from, day);
        const sum = between.reduce((all, n) => all + n, 0);
        expect(sum).toBeGreaterThanOrEqual(ANSWERS_BETWEEN);
        expect(sum - (between.at(-1) ?? 0)).toBeLessThan(ANSWERS_BETWEEN);
        from = day;
      }
      expect(counts.slice(from).reduce((all, n) => all + n, 0)).toBeLessThan(ANSWERS_BETWEEN);
    }),
  );
});

test('days that are looked at late are shown as they would have been in time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 30 }), { maxLength: 60 }), fc.nat(60), (counts, cut) => {
      const first = shownAfter(counts.slice(0, cut));
      const from = first.at(-1) ?? 0;
      const rest = shownAfter(counts.slice(from)).map((day) => day + from);
      expect([...first, ...rest]).toEqual(shownAfter(counts));
    }),
  );
});

test('figures are shown with two decimals', () => {
  expect(rounded(0.849_999_9)).toBe(0.85);
  expect(rounded(2 / 3)).toBe(0.67);
});
