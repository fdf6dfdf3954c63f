import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/services/platform/canonical.js';
import { AnswerInvalidError, DraftTooLargeError } from '../../src/services/tasks/answer-errors.js';
import { encodeDraft, validateAnswer, validateConfidence } from '../../src/services/tasks/answers.js';
import { jsonFaults } from '../../src/services/tasks/json-value.js';
import { type CompiledTaskType, compileTaskType } from '../../src/services/tasks/task-types.js';

let nextId = 0n;
function rulesOf({ answerSchema, dimensions }: CompiledTaskType) {
  nextId += 1n;
  return {
    id: nextId,
    version: 1,
    answerSchema: JSON.stringify(answerSchema),
    dimensions: JSON.stringify(dimensions),
  };
}
const rulesFor = (definition: unknown) => rulesOf(compileTaskType(definition));

function issuesOf(work: () => unknown) {
  try {
    work();
  } catch (error) {
    if (error instanceof AnswerInvalidError) {
      return error.issues;
    }
    throw error;
  }
  return [];
}

const choice = rulesFor({
  kind: 'SINGLE_CHOICE',
  options: [{ value: 'cat' }, { value: 'dog', label: 'Dog' }],
});
const pairwise = rulesFor({ kind: 'PAIRWISE' });
const strictPair = rulesFor({ kind: 'PAIRWISE', allowTie: false });
const rubric = rulesFor({
  kind: 'RUBRIC',
  criteria: [
    { name: 'clarity', min: 1, max: 5 },
    { name: 'a/b~c', min: 0, max: 1, step: 0.1, scale: 'interval' },
  ],
});
const freeForm = rulesFor({
  kind: 'FREE_FORM',
  schema: {
    type: 'object',
    properties: {
      verdict: { type: 'string', pattern: '^[a-z]+$' },
      severity: { enum: ['low', 'medium', 'high'] },
      spans: {
        type: 'array',
        items: { type: 'object', required: ['start'], properties: { start: { type: 'integer' } } },
      },
      extra: true,
    },
    required: ['verdict'],
  },
  dimensions: [
    { name: 'verdict', pointer: '/verdict', scale: 'nominal' },
    { name: 'severity', pointer: '/severity', scale: 'ordinal', values: ['low', 'medium', 'high'] },
    { name: 'extra', pointer: '/extra', scale: 'interval' },
  ],
});

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

describe('properties', () => {
  const json = fc.jsonValue({ maxDepth: 5, noUnicodeString: false });
  const shuffled = (value: unknown, random: () => number): unknown => {
    if (Array.isArray(value)) {
      return value.map((item) => shuffled(item, random));
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const entries = Object.entries(value).map(([key, item]) => [key, shuffled(item, random)] as const);
    return Object.fromEntries(
      entries
        .map((entry) => ({ entry, at: random() }))
        .sort((a, b) => a.at - b.at)
        .map(({ entry }) => entry),
    );
  };

  test('the canonical form does not depend on the order of keys, and reads back as the same value', () => {
    fc.assert(
      fc.property(json, fc.infiniteStream(fc.double({ min: 0, max: 1, noNaN: true })), (value, stream) => {
        const random = () => stream.next().value as number;
        const canonical = canonicalJson(value);
        expect(canonicalJson(shuffled(value, random))).toBe(canonical);
        expect(canonicalJson(JSON.parse(canonical))).toBe(canonical);
      }),
    );
  });

  test('two answers have the same digest exactly when they have the same canonical form', () => {
    const any = rulesFor({ kind: 'FREE_FORM', schema: { type: 'object' } });
    const object = fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 });
    fc.assert(
      fc.property(object, object, (left, right) => {
        fc.pre(jsonFaults([left, right]).length === 0);
        const [a, b] = [validateAnswer(any, left), validateAnswer(any, right)];
        expect(a.digest === b.digest).toBe(a.canonical === b.canonical);
      }),
    );
  });

  const criteria = fc.uniqueArray(
    fc.string({ minLength: 1, maxLength: 8, unit: 'grapheme' }).filter((name) => name !== '__proto__'),
    { minLength: 1, maxLength: 6 },
  );

  test('a rubric accepts every full score, and each way to spoil one criterion is found at its place', () => {
    fc.assert(
      fc.property(
        criteria,
        fc.nat(),
        fc.constantFrom('missing', 'text', 'low', 'high', 'between', 'null'),
        (names, pick, how) => {
          const rules = rulesFor({
            kind: 'RUBRIC',
            criteria: names.map((name) => ({ name, min: 1, max: 7 })),
          });
          const scores: Record<string, unknown> = Object.fromEntries(
            names.map((name, n) => [name, 1 + (n % 7)]),
          );
          expect(validateAnswer(rules, { scores }).values).toHaveLength(names.length);
          const victim = names[pick % names.length] as string;
          const spoilt = { missing: undefined, text: 'five', low: 0, high: 8, between: 2.5, null: null }[how];
          const entries = Object.entries(scores).map(([name, score]) => [
            name,
            name === victim ? spoilt : score,
          ]);
          const answer = { scores: Object.fromEntries(entries.filter(([, score]) => score !== undefined)) };
          const pointer = `/scores/${victim.replaceAll('~', '~0').replaceAll('/', '~1')}`;
          expect(issuesOf(() => validateAnswer(rules, answer)).map(({ path }) => path)).toEqual([pointer]);
        },
      ),
    );
  });

  test('any JSON at all is either a valid answer or refused with at least one issue', () => {
    fc.assert(
      fc.property(json, (value) => {
        for (const rules of [choice, pairwise, rubric, freeForm]) {
          try {
            validateAnswer(rules, value);
          } catch (error) {
            expect(error).toBeInstanceOf(AnswerInvalidError);
            expect((error as AnswerInvalidError).issues.length).toBeGreaterThan(0);
          }
        }
      }),
    );
  });
});
