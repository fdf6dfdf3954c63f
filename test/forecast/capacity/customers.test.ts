import { expect, test } from 'vitest';
import { forCustomers } from '../../../src/services/forecast/capacity/customers.js';
import type { StoredCapacity } from '../../../src/services/forecast/capacity/stored.js';

/** A forecast whose experts have a hundred hours, of which others take so many before; 40 are wanted. */
function beside(othersHours: number): StoredCapacity {
  const total = { experts: 4, hoursAWeek: 120, hoursByDeadline: 100, workHours: 40, othersHours };
  const availableHours = 100 - othersHours;
  const hours = Math.max(0, 40 - availableHours);
  return {
    total,
    skills: [{ skillId: othersHours > 0 ? '2' : '1', ...total }],
    own: { skillId: '1', experts: 4, hoursAWeek: 120, workHours: 40 },
    availableHours,
    fixes: { expertHours: [{ skillId: '1', hours }], dropTasks: Math.ceil(hours * 2), safeDeadline: null },
    medianSeconds: 3_600,
  };
}

test('two forecasts that differ in what others have to do look the same to customers, but for rounded hours', () => {
  expect(forCustomers(beside(66))).toEqual(forCustomers(beside(67)));
  const [none, much] = [forCustomers(beside(0)), forCustomers(beside(67))];
  expect({ ...much, availableHours: none?.availableHours, fixes: none?.fixes }).toEqual(none);
  expect(JSON.stringify(much)).not.toMatch(/67|33|"2"/);
});

test('work of theirs is that of their tasks, also where it hangs on decisions', () => {
  const decided = { experts: 1, hoursAWeek: 5, hoursByDeadline: 4, workHours: 0.4, othersHours: 0 };
  const of = { ...beside(0), total: decided, skills: [{ skillId: '1', ...decided }] };
  expect(forCustomers(of)).toMatchObject({ experts: 4, workHours: 40 });
});

test('of what others take no more can be told than six hours in each power of ten', () => {
  const told = new Set(
    Array.from({ length: 91 }, (_, others) => JSON.stringify(forCustomers(beside(others))?.availableHours)),
  );
  expect(told.size).toBeLessThanOrEqual(7);
});

test('hours and tasks that would do still do when they are rounded', () => {
  for (const others of [61, 64, 78, 83, 99]) {
    const exact = beside(others).fixes;
    const shown = forCustomers(beside(others))?.fixes;
    expect(shown?.expertHours[0]?.hours).toBeGreaterThanOrEqual(exact?.expertHours[0]?.hours ?? Number.NaN);
    expect(shown?.dropTasks).toBeGreaterThanOrEqual(exact?.dropTasks ?? Number.NaN);
  }
});
