import type { z } from 'zod';

/** One fault of an input: where (a JSON pointer, '' for the whole) and what, in plain words. */
export interface FormFault {
  readonly path: string;
  readonly message: string;
}

/** What a kind of value is called. */
const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  bigint: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'an object',
  record: 'an object',
  map: 'an object',
  null: 'null',
  date: 'a date',
};

/** What an input that does not have its form lacks, as whoever wrote it would say it: one fault a place. */
export function faultsOfForm(issues: readonly z.core.$ZodIssue[], input: unknown): FormFault[] {
  return issues.flatMap((issue) => {
    const path = issue.path.map(stepOf).join('');
    return issue.code === 'unrecognized_keys'
      ? issue.keys.map((key) => ({ path: path + stepOf(key), message: 'is not expected here' }))
      : [{ path, message: messageOf(issue, valueAtPath(input, issue.path)) }];
  });
}

const stepOf = (step: PropertyKey) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`;

function messageOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (value === undefined && issue.code !== 'custom') {
    return 'is missing';
  }
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.map((one) => JSON.stringify(one)).join(', ')}`;
    case 'too_small':
      return boundOf(issue.origin, {
        bound: issue.minimum,
        word: issue.inclusive === false ? 'more than' : 'at least',
      });
    case 'too_big':
      return boundOf(issue.origin, {
        bound: issue.maximum,
        word: issue.inclusive === false ? 'less than' : 'at most',
      });
    case 'invalid_union':
      return 'is none of the forms that it may have';
    default:
      return issue.message.charAt(0).toLowerCase() + issue.message.slice(1);
  }
}

function boundOf(origin: string, { bound, word }: { bound: number | bigint; word: string }): string {
  const [verb, unit] =
    origin === 'string' ? ['have', ' characters'] : origin === 'array' ? ['have', ' items'] : ['be', ''];
  return `must ${verb} ${word} ${bound}${unit}`;
}

function valueAtPath(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) {
      return undefined;
    }
    value = (value as Record<PropertyKey, unknown>)[step];
  }
  return value;
}
