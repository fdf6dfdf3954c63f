import { describe, expect, test } from 'vitest';
import { TaskTypeInvalidError } from '../../src/services/tasks/answer-errors.js';
import { compileTaskType } from '../../src/services/tasks/task-types.js';

function faultsOf(definition: unknown): string[] {
  try {
    compileTaskType(definition);
  } catch (error) {
    if (error instanceof TaskTypeInvalidError) {
      return error.issues.map(({ path, message }) => `${path} ${message}`);
    }
    throw error;
  }
  return [];
}
const freeForm = (schema: object, dimensions: object[] = []) => ({
  kind: 'FREE_FORM',
  schema: { type: 'object', ...schema },
  dimensions,
});

describe('a definition compiles to a schema and dimensions', () => {
  test('single choice', () => {
    expect(compileTaskType({ kind: 'SINGLE_CHOICE', options: [{ value: '0' }, { value: '1' }] })).toEqual({
      kind: 'SINGLE_CHOICE',
      definition: { kind: 'SINGLE_CHOICE', options: [{ value: '0' }, { value: '1' }] },
      answerSchema: {
        type: 'object',
        properties: { choice: { enum: ['0', '1'] } },
        required: ['choice'],
        additionalProperties: false,
      },
      dimensions: [{ name: 'choice', pointer: '/choice', scale: 'nominal', values: ['0', '1'] }],
    });
  });

  test('rubric: pointers are escaped, decimal steps are exact', () => {
    const compiled = compileTaskType({
      kind: 'RUBRIC',
      criteria: [{ name: 'in/out', min: 0, max: 0.5, step: 0.1, scale: 'interval' }],
    });
    expect(compiled.dimensions).toEqual([
      {
        name: 'in/out',
        pointer: '/scores/in~1out',
        scale: 'interval',
        values: [0, 0.1, 0.2, 0.3, 0.4, 0.5],
        tolerance: 0.05,
      },
    ]);
  });

  test.each([
    { name: 'a twentieth of the scale', length: { minimum: 10, maximum: 50 }, expected: 2 },
    {
      name: 'half a step where that is more',
      length: { type: 'integer', minimum: 1, maximum: 5 },
      expected: 0.5,
    },
    { name: 'half a step of a scale without ends', length: { multipleOf: 4 }, expected: 2 },
    {
      name: 'what the customer says',
      length: { minimum: 10, maximum: 50 },
      given: { tolerance: 7 },
      expected: 7,
    },
    { name: 'nothing where nothing is known of the scale', length: { type: 'number' }, expected: undefined },
  ])('numbers agree within $name', ({ length, given, expected }) => {
    const schema = { type: 'object', properties: { 'in/out': { properties: { length } } } };
    const dimension = { name: 'length', pointer: '/in~1out/length', scale: 'interval', ...given };
    const { dimensions } = compileTaskType({ kind: 'FREE_FORM', schema, dimensions: [dimension] });
    expect(dimensions.map((one) => one.tolerance)).toEqual([expected]);
  });

  test.each([
    { name: 'whole numbers', amount: { type: 'integer', minimum: 0, maximum: 3 }, values: [0, 1, 2, 3] },
    {
      name: 'steps',
      amount: { multipleOf: 0.1, minimum: 0.05, maximum: 0.3 },
      values: [0.1, 0.2, 0.3],
    },
  ])('a ratio scale of $name knows its numbers, and is one of numbers', ({ amount, values }) => {
    const schema = { type: 'object', properties: { amount } };
    const dimension = { name: 'amount', pointer: '/amount', scale: 'ratio', tolerance: 0.5 };
    const { dimensions } = compileTaskType({ kind: 'FREE_FORM', schema, dimensions: [dimension] });
    expect(dimensions).toEqual([{ ...dimension, scale: 'interval', isRatio: true, values }]);
  });

  test('a criterion on a ratio scale is one of numbers', () => {
    const criterion = { name: 'errors', min: 0, max: 4, step: 2, scale: 'ratio' };
    expect(compileTaskType({ kind: 'RUBRIC', criteria: [criterion] }).dimensions).toMatchObject([
      { scale: 'interval', isRatio: true, values: [0, 2, 4], tolerance: 1 },
    ]);
  });

  test.each([
    { name: 'open ends', amount: { type: 'integer', minimum: 0 } },
    { name: 'no steps', amount: { type: 'number', minimum: 0, maximum: 1 } },
    { name: 'numbers below nought', amount: { type: 'integer', minimum: -1, maximum: 3 } },
    { name: 'more than fifty numbers', amount: { type: 'integer', minimum: 0, maximum: 50 } },
  ])('a ratio scale of $name is refused', ({ amount }) => {
    const schema = { type: 'object', properties: { amount } };
    const dimensions = [{ name: 'amount', pointer: '/amount', scale: 'ratio' }];
    expect(() => compileTaskType({ kind: 'FREE_FORM', schema, dimensions })).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: '/dimensions/0/scale' })] }),
    );
    const criteria = [{ name: 'errors', min: -1, max: 3, scale: 'ratio' }];
    expect(() => compileTaskType({ kind: 'RUBRIC', criteria })).toThrow();
  });

  test('free form keeps its schema as it was written', () => {
    const schema = {
      type: 'object',
      properties: { a: { $ref: '#/$defs/word' } },
      $defs: { word: { type: 'string' } },
    };
    expect(compileTaskType({ kind: 'FREE_FORM', schema }).answerSchema).toEqual(schema);
  });
});

describe('a definition is refused with a reason at its place', () => {
  test.each([
    ['an unknown kind', { kind: 'ESSAY' }, '/kind'],
    ['one option only', { kind: 'SINGLE_CHOICE', options: [{ value: 'a' }] }, '/options'],
    [
      'an option twice',
      { kind: 'SINGLE_CHOICE', options: [{ value: 'a' }, { value: 'a' }] },
      '/options has the same',
    ],
    ['an unknown field', { kind: 'PAIRWISE', ties: true }, '/ties is not expected here'],
    ['nothing at all', undefined, ' '],
    ['a missing list', { kind: 'SINGLE_CHOICE' }, '/options is missing'],
    ['a missing schema', { kind: 'FREE_FORM' }, '/schema is missing'],
    ['a list in place of an object', { kind: 'FREE_FORM', schema: [] }, '/schema must be an object'],
    ['text in place of a switch', { kind: 'PAIRWISE', allowTie: 'yes' }, '/allowTie must be true or false'],
    [
      'too few options',
      { kind: 'SINGLE_CHOICE', options: [{ value: 'a' }] },
      '/options must have at least 2 items',
    ],
    ['no kind', {}, '/kind is missing'],
    ['another kind', { kind: 'OTHER' }, '/kind is none of'],
    [
      'a dimension of something that the schema does not name',
      freeForm({ properties: { verdict: { type: 'string' } } }, [
        { name: 'a', pointer: '/verdct', scale: 'nominal' },
      ]),
      '/dimensions/0/pointer points to nothing',
    ],
    [
      'a scale upside down',
      { kind: 'RUBRIC', criteria: [{ name: 'a', min: 5, max: 1 }] },
      '/criteria/0 must have a min',
    ],
    [
      'a step that misses the end',
      { kind: 'RUBRIC', criteria: [{ name: 'a', min: 0, max: 1, step: 0.3 }] },
      '/criteria/0 must reach',
    ],
    [
      'too fine a scale',
      { kind: 'RUBRIC', criteria: [{ name: 'a', min: 0, max: 1, step: 1e-6 }] },
      '/criteria/0 has more',
    ],
    [
      'an infinite scale',
      { kind: 'RUBRIC', criteria: [{ name: 'a', min: 0, max: Number.POSITIVE_INFINITY }] },
      '/criteria/0/max must be a finite',
    ],
    [
      'half a character',
      { kind: 'SINGLE_CHOICE', options: [{ value: '\ud800' }, { value: 'b' }] },
      '/options/0/value contains half',
    ],
    [
      'a free form that is no object',
      { kind: 'FREE_FORM', schema: { type: 'string' } },
      '/schema/type must be "object"',
    ],
    [
      'another dialect',
      freeForm({ $schema: 'http://json-schema.org/draft-07/schema#' }),
      '/schema/$schema must be',
    ],
    ['an unknown keyword', freeForm({ propertys: {} }), '/schema strict mode: unknown keyword'],
    ['a malformed keyword', freeForm({ required: 'a' }), '/schema schema is invalid'],
    [
      'an unknown format',
      freeForm({ properties: { a: { type: 'string', format: 'iban' } } }),
      '/schema unknown format',
    ],
    [
      'a remote reference',
      freeForm({ properties: { a: { $ref: 'https://example.com/s.json' } } }),
      '/schema/properties/a/$ref must point',
    ],
    [
      'a reference to nothing',
      freeForm({ properties: { a: { $ref: '#/$defs/b' } } }),
      '/schema/properties/a/$ref points to nothing',
    ],
    [
      'a reference into values',
      freeForm({ enum: [{}], properties: { a: { $ref: '#/enum/0' } } }),
      '/schema/properties/a/$ref must point',
    ],
    [
      'another base address',
      freeForm({ $defs: { a: { $id: 'x' } } }),
      '/schema/$defs/a/$id is not supported',
    ],
    [
      'a dynamic reference',
      freeForm({ items: { $dynamicRef: '#a' } }),
      '/schema/items/$dynamicRef is not supported',
    ],
    ['a schema in itself', freeForm({ properties: { child: { $ref: '#' } } }), '/schema refers to itself'],
    [
      'look-ahead',
      freeForm({ properties: { a: { pattern: '^(?=x)' } } }),
      '/schema/properties/a/pattern is no pattern',
    ],
    [
      'back-references in a name',
      freeForm({ patternProperties: { '(a)\\1': true } }),
      '/schema/patternProperties/(a)\\1 is no',
    ],
    [
      'a dimension that points nowhere',
      freeForm({}, [{ name: 'a', pointer: 'a', scale: 'nominal' }]),
      '/dimensions/0/pointer must be',
    ],
    [
      'ranks of something without order',
      freeForm({}, [{ name: 'a', pointer: '/a', scale: 'nominal', values: ['x', 'y'] }]),
      '/dimensions/0/values',
    ],
    [
      'a tolerance of classes',
      freeForm({}, [{ name: 'a', pointer: '/a', scale: 'nominal', tolerance: 1 }]),
      '/dimensions/0/tolerance',
    ],
    ['64 KiB and more', freeForm({ description: 'x'.repeat(65_536) }), '/schema may have at most'],
  ])('%s', (_name, definition, fault) => {
    expect(
      faultsOf(definition).some((found) => found.startsWith(fault)),
      faultsOf(definition).join('\n'),
    ).toBe(true);
  });

  test('references that multiply, so that one answer would be looked at a billion times', () => {
    const $defs: Record<string, object> = { d30: { type: 'string' } };
    for (let n = 0; n < 30; n += 1) {
      const next = { $ref: `#/$defs/d${n + 1}` };
      $defs[`d${n}`] = { anyOf: [next, next] };
    }
    expect(faultsOf(freeForm({ properties: { a: { $ref: '#/$defs/d0' } }, $defs }))).toEqual([
      '/schema is too large to check an answer in bounded time',
    ]);
  });

  test('every fault at once, not only the first', () => {
    const definition = freeForm({
      properties: { a: { pattern: '(?!x)' }, b: { $ref: 'other.json' }, c: { $anchor: 'c' } },
    });
    expect(faultsOf(definition)).toHaveLength(3);
  });

  test('words that only look like keywords are left alone: names, constants, defaults', () => {
    const schema = {
      properties: {
        $id: { type: 'string' },
        pattern: { const: { $ref: 'https://example.com' } },
        $ref: { default: '(?=' },
      },
    };
    expect(faultsOf(freeForm(schema))).toEqual([]);
  });
});
