import { expect, test } from 'vitest';
import { compileTaskType } from '../../src/services/tasks/task-types.js';

test('a scale of numbers that nobody could answer is refused at its place', () => {
  const amounts = [
    { amount: { type: 'string', minimum: 0, maximum: 3, multipleOf: 1 }, at: '/type' },
    { amount: { type: 'integer', minimum: 0.2, maximum: 0.8 }, at: '' },
    { amount: { multipleOf: 1, minimum: 1e300, maximum: 1e300 }, at: '' },
    { amount: { exclusiveMinimum: 3, maximum: 3 }, at: '' },
  ];
  for (const { amount, at } of amounts) {
    const schema = { type: 'object', properties: { amount } };
    for (const scale of ['interval', 'ratio']) {
      const dimensions = [{ name: 'amount', pointer: '/amount', scale }];
      const path = `/schema/properties/amount${at}`;
      expect(() => compileTaskType({ kind: 'FREE_FORM', schema, dimensions })).toThrow(
        expect.objectContaining({ issues: expect.arrayContaining([expect.objectContaining({ path })]) }),
      );
    }
  }
});

test.each([
  { exclusiveMinimum: 5 },
  { exclusiveMaximum: -5, type: 'integer' },
  { exclusiveMinimum: 0, exclusiveMaximum: 1 },
  { multipleOf: 7, minimum: 3 },
  { maximum: 5, multipleOf: 3 },
  { type: 'integer', minimum: 0, maximum: 10_000 },
  { type: ['number', 'null'], minimum: 2 },
  { enum: [10, 20] },
  {},
])('a scale of numbers that is open somewhere is one: %j', (amount) => {
  const schema = { type: 'object', properties: { amount } };
  const dimensions = [{ name: 'amount', pointer: '/amount', scale: 'interval' }];
  expect(compileTaskType({ kind: 'FREE_FORM', schema, dimensions }).dimensions).toHaveLength(1);
});

test.each([
  { min: 0, max: 4e-11, step: 1e-11 },
  { min: 0, max: 1e-9, step: 1e-10 },
  { min: 0, max: 1e300, step: 1e299 },
])('scores that are not told apart are refused: %j', (scale) => {
  const criteria = [{ name: 'clear', ...scale }];
  expect(() => compileTaskType({ kind: 'RUBRIC', criteria })).toThrow(
    expect.objectContaining({ issues: [expect.objectContaining({ path: '/criteria/0' })] }),
  );
});
