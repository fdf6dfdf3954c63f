import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/services/platform/canonical.js';
import { hasUnseen } from '../../src/services/platform/visible.js';
import { AnswerInvalidError } from '../../src/services/tasks/answer-errors.js';
import { validateAnswer } from '../../src/services/tasks/answers.js';
import { jsonFaults } from '../../src/services/tasks/json-value.js';
import { choice, freeForm, issuesOf, pairwise, rubric, rulesFor } from './support/answer-rules.js';

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
    fc
      .string({ minLength: 1, maxLength: 8, unit: 'grapheme' })
      .filter((name) => name !== '__proto__' && !hasUnseen(name)),
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
