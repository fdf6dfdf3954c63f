import { expect, test } from 'vitest';
import { reaches } from '../../src/services/tasks/pointer-reach.js';

// Where a dimension may point to: what a schema names, or leaves open.

const SCHEMA = {
  type: 'object',
  properties: {
    verdict: { type: 'string' },
    'in/out': { enum: ['in', 'out'] },
    parts: { type: 'array', items: { $ref: '#/$defs/part' } },
    pair: { prefixItems: [{ type: 'number' }] },
    open: { type: 'object' },
    notes: { type: 'object', additionalProperties: { type: 'string' } },
  },
  patternProperties: { '^x-': { type: 'object', properties: { deep: true } } },
  anyOf: [{ properties: { either: { type: 'number' } } }, { properties: { or: { type: 'number' } } }],
  $defs: { part: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false } },
};

test.each([
  '/verdict',
  '/in~1out',
  '/parts/0/name',
  '/pair/0',
  '/open/anything/at/all',
  '/notes/any',
  '/x-1/deep',
  '/either',
  '/or',
])('%s is there', (pointer) => expect(reaches(SCHEMA, pointer)).toBe(true));

test.each(['/verdict/deeper', '/in~1out/deeper', '/parts/first', '/parts/0/nam', '/pair/1'])(
  '%s is nowhere',
  (pointer) => expect(reaches(SCHEMA, pointer)).toBe(false),
);

test('a name beside those that are declared is taken for a slip, and of a schema that declares none everything may be', () => {
  expect(reaches({ type: 'object', properties: { a: true } }, '/b')).toBe(false);
  expect(reaches({ type: 'object' }, '/b')).toBe(true);
});
