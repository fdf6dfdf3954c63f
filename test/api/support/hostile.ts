import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

/** A place in an input, and the type that belongs there. */
export interface Leaf {
  readonly path: readonly (string | number)[];
  readonly type: string;
}

const LONE_SURROGATE = '\ud800';

/** Stands for a list nested 5,000 deep, which cannot be written by recursion. */
const DEEP = '@@DEEP@@';

/** The body of a request, with what cannot be written by recursion put in. */
export function bodyText(body: unknown): string {
  const deep = `${'['.repeat(5_000)}1${']'.repeat(5_000)}`;
  return JSON.stringify(body).replace(JSON.stringify(DEEP), deep);
}

/** What nobody who means well would send. */
const TEXTS = [
  '',
  ' ',
  '\u0000',
  `a\u0000b`,
  LONE_SURROGATE,
  `x${LONE_SURROGATE}`,
  '\u202e',
  "'; drop table tasks; --",
  'x'.repeat(100_000),
];
const NUMBERS = [-1, 0, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 1e308, 0.5, '1', true];
const INSTANTS = [
  '0000-01-01T00:00:00Z',
  '1969-12-31T23:59:59Z',
  '9999-12-31T23:59:59.999Z',
  '+275760-09-13T00:00:00Z',
  '2027-02-31T00:00:00Z',
  '2027-01-01',
  'yesterday',
  0,
  null,
];
const INT64 = [
  '9223372036854775807',
  '9223372036854775808',
  '-9223372036854775809',
  '1e3',
  '0x10',
  '',
  'NaN',
  1.5,
  2 ** 60,
  '9'.repeat(1000),
];
const JSONS = [
  null,
  [],
  {},
  '\u0000',
  { choice: '\u0000' },
  { choice: LONE_SURROGATE },
  { [LONE_SURROGATE]: 1 },
  { choice: 1e308 },
  JSON.parse('{"__proto__": {"polluted": true}, "constructor": {"prototype": {}}}') as unknown,
  JSON.parse(`${'['.repeat(40)}1${']'.repeat(40)}`) as unknown,
  DEEP,
  Array.from({ length: 20_000 }, () => 0),
  { choice: 'x'.repeat(200_000) },
];

/** Hostile values for a place of this type; `ids` are ids that are not the caller's, or of other types. */
export function hostileValues(type: string, ids: readonly string[]): readonly unknown[] {
  switch (type) {
    case 'ID':
      return [...TEXTS, ...ids, 42, 'AAAAAAAAAAAAAAAAAAAAAA', '_'.repeat(22), null];
    case 'Int':
    case 'Float':
      return NUMBERS;
    case 'BigInt':
      return INT64;
    case 'DateTime':
      return INSTANTS;
    case 'JSON':
      return JSONS;
    case 'CurrencyCode':
      return [...TEXTS, 'eur', 'EURO', 'ÉUR', 'XTS'];
    case 'Boolean':
      return [null, 0, 'true'];
    default:
      return [...TEXTS, null, 7, {}];
  }
}

/** Every place in an input of this type, one item deep in lists. */
export function leavesOf(schema: GraphQLSchema, inputName: string): Leaf[] {
  return leavesIn(schema.getType(inputName) as GraphQLInputObjectType, []);
}

function leavesIn(type: GraphQLInputType, path: readonly (string | number)[]): Leaf[] {
  if (isNonNullType(type)) {
    return leavesIn(type.ofType, path);
  }
  if (isListType(type)) {
    return leavesIn(type.ofType, [...path, 0]);
  }
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).flatMap((field) => leavesIn(field.type, [...path, field.name]));
  }
  return [{ path, type: isEnumType(type) ? 'Enum' : type.name }];
}

/** A copy of `input` with `value` at a place. */
export function withValueAt(input: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) {
    return value;
  }
  if (typeof step === 'number') {
    const list = Array.isArray(input) ? [...input] : [];
    list[step] = withValueAt(list[step], rest, value);
    return list;
  }
  const object = { ...(input as Record<string, unknown> | undefined) };
  object[step] = withValueAt(object[step], rest, value);
  return object;
}

/** What an answer must never have in it: where it happened, or what the database said. */
export const TELLTALES =
  /node_modules|\.ts:\d|\bat [\w.<>]+ \(|violates|constraint|relation "|syntax error at|invalid input syntax|byte sequence|out of range for type|prisma|postgres|SQLSTATE|22P02|22021|\b23\d{3}\b|INTERNAL_SERVER_ERROR|errorId/i;
