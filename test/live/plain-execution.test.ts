// @once: nothing of it is PostgreSQL's
import { execute, GraphQLError, parse } from 'graphql';
import { expect, test } from 'vitest';
import { plainExecution } from '../../src/live/plain-execution.js';
import { asked, makeSchema } from './plain-schema.js';

// What is executed plainly is what GraphQL's own execution makes of it, or nothing.

const schema = makeSchema();
const root = { name: 'Ada', deep: { name: 'Byron', none: null } };

const both = (query: string, variableValues: Record<string, unknown> = {}) => {
  const args = { schema, document: parse(query), variableValues };
  const plain = plainExecution(args);
  const whole = execute({ ...args, rootValue: root, contextValue: { by: 'me' } });
  return { plain: plain?.(root, { by: 'me' }), whole };
};

test.each([
  ['fields, in the order asked for', 'subscription { seen { name by deep { none name } } }', {}],
  ['other names', 'subscription { mine: seen { who: name name } }', {}],
  ['a name that objects have', 'subscription { seen { __proto__: name by } }', {}],
  ['the name of a type', 'subscription { seen { __typename deep { __typename } } }', {}],
  [
    'fragments',
    'subscription { seen { ...f ... on Seen { by } } } fragment f on Seen { deep { name } name }',
    {},
  ],
  ['a selection in two parts', 'subscription { seen { deep { name } deep { none } } }', {}],
  ['arguments', 'subscription($n: Int = 2) { seen { times(n: $n) once: times(n: 1) never: times } }', {}],
  ['variables', 'subscription($n: Int) { seen { times(n: $n) } }', { n: 3 }],
  [
    'what is left out',
    'subscription($no: Boolean!) { seen { name @skip(if: $no) by @include(if: $no) } }',
    { no: true },
  ],
  ['scalars that are written otherwise', 'subscription { seen { at kind path } }', {}],
])('%s', (_what, query, variables) => {
  const { plain, whole } = both(query, variables);
  expect(`{"data":${plain}}`).toBe(JSON.stringify(whole));
});

test.each([
  ['a resolver that throws', 'subscription { seen { name fails } }'],
  ['a resolver that answers an error', 'subscription { seen { name wrong } }'],
  ['a resolver that answers later', 'subscription { seen { name later } }'],
  ['an object that is to be waited for', 'subscription { seen { name thenable { name } } }'],
  ['an object that comes later', 'subscription { seen { name after { name } } }'],
  ['a resolver that fails later', 'subscription { seen { name never } }'],
  ['nothing where there must be something', 'subscription { seen { missing } }'],
  ['a value that cannot be written', 'subscription { seen { unwritten } }'],
])('%s is left to GraphQL', (_what, query) => {
  expect(both(query).plain).toBeNull();
});

test.each([
  ['lists', 'subscription { seen { names } }'],
  ['types of which it is not known which', 'subscription { seen { either { __typename } } }'],
  ['types that ask whether it is theirs', 'subscription { seen { asks { name } } }'],
  ['variables that are none', 'subscription($n: Int!) { seen { times(n: $n) } }'],
])('%s are not prepared', (_what, query) => {
  expect(plainExecution({ schema, document: parse(query) })).toBeNull();
});

test('an item that its field hands on is asked about once, and what is made of it anew for each', () => {
  asked.times = 0;
  const plain = plainExecution({ schema, document: parse('subscription { handed { name } }') });
  const names = ['Ada', 'Byron', 'Clara'].map((name) => plain?.({ name }, {}));
  expect(names).toEqual(['Ada', 'Byron', 'Clara'].map((name) => JSON.stringify({ handed: { name } })));
  expect(asked.times).toBe(1);
});

test('an item that was refused is asked about again', () => {
  asked.times = 0;
  const plain = plainExecution({ schema, document: parse('subscription { handed { name } }') });
  expect(plain?.({ name: 'Ada', isRefused: true }, {})).toBeNull();
  expect(plain?.({ name: 'Ada' }, {})).not.toBeNull();
  expect(asked.times).toBe(2);
});

test('what is wrong with a schema is not hidden', () => {
  const broken = () =>
    plainExecution({ schema, document: parse('subscription { seen { times(n: {}) } }'), variableValues: {} });
  expect(broken).toThrow(GraphQLError);
});
