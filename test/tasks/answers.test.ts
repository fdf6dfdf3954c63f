import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { DraftTooLargeError } from '../../src/services/tasks/answer-errors.js';
import { encodeDraft, validateAnswer, validateConfidence } from '../../src/services/tasks/answers.js';
import {
  choice,
  freeForm,
  issuesOf,
  pairwise,
  rubric,
  rulesFor,
  strictPair,
} from './support/answer-rules.js';

describe('a valid answer', () => {
  test('of a single choice has the option as its one value', () => {
    expect(validateAnswer(choice, { choice: 'dog' })).toEqual({
      canonical: '{"choice":"dog"}',
      digest: createHash('sha256').update('{"choice":"dog"}').digest('hex'),
      values: [{ dimension: 'choice', text: 'dog', number: null }],
    });
  });

  test('of a pair may be a tie only where ties are allowed', () => {
    expect(validateAnswer(pairwise, { preference: 'TIE' }).values).toEqual([
      { dimension: 'preference', text: 'TIE', number: null },
    ]);
    expect(issuesOf(() => validateAnswer(strictPair, { preference: 'TIE' }))).toEqual([
      { path: '/preference', message: 'must be one of "LEFT", "RIGHT"' },
    ]);
  });

  test('of a rubric scores every criterion, in its steps, and may explain any', () => {
    const answer = { scores: { clarity: 4, 'a/b~c': 0.3 }, notes: { clarity: 'well put' } };
    expect(validateAnswer(rubric, answer).values).toEqual([
      { dimension: 'clarity', text: null, number: 4 },
      { dimension: 'a/b~c', text: null, number: 0.3 },
    ]);
  });

  test('of a free form counts ordinal text by its rank, and leaves out what was not answered', () => {
    expect(validateAnswer(freeForm, { verdict: 'ok', severity: 'high' }).values).toEqual([
      { dimension: 'verdict', text: 'ok', number: null },
      { dimension: 'severity', text: null, number: 2 },
    ]);
  });
});

describe('an invalid answer names every fault by its path', () => {
  test('in a rubric', () => {
    const answer = { scores: { clarity: 9, 'a/b~c': 0.35, style: 1 }, notes: { clarity: 5 }, more: 1 };
    expect(issuesOf(() => validateAnswer(rubric, answer))).toEqual(
      expect.arrayContaining([
        { path: '/scores/clarity', message: 'must be at most 5' },
        { path: '/scores/a~1b~0c', message: expect.stringMatching(/^must be one of 0, 0.1, 0.2, 0.3,/) },
        { path: '/scores/style', message: 'is not expected here' },
        { path: '/notes/clarity', message: 'must be text' },
        { path: '/more', message: 'is not expected here' },
      ]),
    );
  });

  test('in a free form', () => {
    const answer = { verdict: 'NO', severity: 'dire', spans: [{ start: 1 }, {}, { start: 1.5 }] };
    expect(issuesOf(() => validateAnswer(freeForm, answer))).toEqual([
      { path: '/verdict', message: 'is not written in the form that is asked for' },
      { path: '/severity', message: 'must be one of "low", "medium", "high"' },
      { path: '/spans/1/start', message: 'is missing' },
      { path: '/spans/2/start', message: 'must be a whole number' },
    ]);
  });

  test('where a dimension holds something that answers cannot be compared by', () => {
    expect(issuesOf(() => validateAnswer(freeForm, { verdict: 'a', extra: { deep: 1 } }))).toEqual([
      { path: '/extra', message: 'must be a number: answers are compared by it' },
    ]);
    const open = rulesFor({
      kind: 'FREE_FORM',
      schema: { type: 'object' },
      dimensions: [{ name: 'v', pointer: '/v', scale: 'nominal' }],
    });
    expect(issuesOf(() => validateAnswer(open, { v: 'a\u0000b' }))[0]?.message).toBe(
      'contains a NUL character',
    );
    expect(issuesOf(() => validateAnswer(open, { v: 'x'.repeat(1001) }))[0]?.path).toBe('/v');
    expect(issuesOf(() => validateAnswer(open, { v: [] }))[0]?.path).toBe('/v');
    const numbers = rulesFor({
      kind: 'FREE_FORM',
      schema: { type: 'object' },
      dimensions: [{ name: 'n', pointer: '/n', scale: 'interval', tolerance: 1 }],
    });
    for (const n of [1.1e15, -1e60, 1e308]) {
      expect(issuesOf(() => validateAnswer(numbers, { n }))[0]?.message).toMatch(/^must be from/);
    }
    expect(validateAnswer(numbers, { n: -1e15 }).values).toEqual([
      { dimension: 'n', text: null, number: -1e15 },
    ]);
    expect(validateAnswer(open, { v: true }).values).toEqual([
      { dimension: 'v', text: 'true', number: null },
    ]);
  });
});

describe('hostile answers are refused, never a crash', () => {
  const any = rulesFor({ kind: 'FREE_FORM', schema: { type: 'object' } });
  const nested = (depth: number) => JSON.parse(`${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`);

  test.each([
    ['nothing', undefined, ''],
    ['null', null, ''],
    ['a list', [], ''],
    ['text', 'yes', ''],
    ['half a character', { a: ['\ud800'] }, '/a/0'],
    ['half a character in a name', { a: { '\udc00': 1 } }, '/a'],
    ['an infinite number, as 1e400 is read', JSON.parse('{"n":1e400}'), '/n'],
    ['a date object', { at: new Date(0) }, '/at'],
    ['a big integer', { n: 1n }, '/n'],
    ['33 levels', nested(33), '/a'.repeat(32)],
    [
      'a hundred thousand levels',
      JSON.parse(`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`),
      `/a${'/0'.repeat(31)}`,
    ],
    ['2,001 items', { list: new Array(2001).fill(0) }, '/list'],
  ])('%s', (_name, answer, path) => {
    expect(issuesOf(() => validateAnswer(any, answer)).map((issue) => issue.path)).toEqual([path]);
  });

  test('accepts 32 levels, and 64 KiB but not a byte more', () => {
    validateAnswer(any, nested(32));
    validateAnswer(any, { a: 'x'.repeat(65_536 - 8) });
    expect(issuesOf(() => validateAnswer(any, { a: 'x'.repeat(65_536 - 7) }))).toEqual([
      { path: '', message: 'may have at most 65536 bytes' },
    ]);
    // The canonical form counts, in bytes: this is 3 bytes a character.
    expect(issuesOf(() => validateAnswer(any, { a: '€'.repeat(22_000) }))).toHaveLength(1);
  });

  test('a name like toString is a name and nothing else, and __proto__ is not allowed', () => {
    const rules = rulesFor({ kind: 'FREE_FORM', schema: { type: 'object', required: ['toString'] } });
    expect(issuesOf(() => validateAnswer(rules, {}))).toEqual([{ path: '/toString', message: 'is missing' }]);
    expect(validateAnswer(rules, { toString: 1 }).canonical).toBe('{"toString":1}');
    expect(issuesOf(() => validateAnswer(any, JSON.parse('{"a":{"__proto__":{"b":true}}}')))).toEqual([
      { path: '/a/__proto__', message: 'is not allowed as a name' },
    ]);
  });

  test('names at most a hundred faults', () => {
    const answer = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`field${n}`, 1]));
    expect(issuesOf(() => validateAnswer(choice, answer))).toHaveLength(100);
  });

  test('a pattern that makes a backtracking engine run for hours is matched at once', () => {
    const evil = rulesFor({
      kind: 'FREE_FORM',
      schema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a|a)*$' } } },
    });
    const answer = { a: `${'a'.repeat(60_000)}!` };
    expect(issuesOf(() => validateAnswer(evil, answer))).toHaveLength(1);
  });

  test('the same id and version with other rules, as in another database, is not answered from memory', () => {
    const other = { ...strictPair, id: pairwise.id };
    validateAnswer(pairwise, { preference: 'TIE' });
    expect(issuesOf(() => validateAnswer(other, { preference: 'TIE' }))).toHaveLength(1);
    validateAnswer(pairwise, { preference: 'TIE' });
  });
});

describe('confidence and drafts', () => {
  test('confidence is from 0 to 1, or not given', () => {
    expect([0, 0.5, 1, null, undefined].map(validateConfidence)).toEqual([0, 0.5, 1, null, null]);
    expect([1e-300, 0.123_456_7, 0.999_999_9].map(validateConfidence)).toEqual([0, 0.123_457, 1]);
    for (const wrong of [-0.01, 1.01, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(issuesOf(() => validateConfidence(wrong))).toEqual([
        { path: 'confidence', message: 'must be from 0 to 1' },
      ]);
    }
  });

  test('a draft is any JSON of at most 64 KiB', () => {
    expect(encodeDraft({ half: 'done', nul: '\u0000' })).toBe('{"half":"done","nul":"\\u0000"}');
    expect(encodeDraft(null)).toBe('null');
    expect(encodeDraft('x'.repeat(65_534))).toHaveLength(65_536);
    expect(() => encodeDraft('x'.repeat(65_535))).toThrow(DraftTooLargeError);
    expect(() => encodeDraft(JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)))).toThrow(
      DraftTooLargeError,
    );
  });
});
