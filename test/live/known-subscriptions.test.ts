// @once: nothing of it is PostgreSQL's
import { GraphQLObjectType, GraphQLSchema, GraphQLString, parse } from 'graphql';
import { expect, test } from 'vitest';
import { KnownSubscriptions } from '../../src/live/known-subscriptions.js';
import type { Viewer } from '../../src/services/access/viewer.js';
import { VIEWER } from './asking.js';

// A document that was good for somebody is good for whoever may ask the same, and for nobody else.

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields: { hello: { type: GraphQLString } } }),
});
const operator: Viewer = { ...VIEWER, role: 'OPERATOR' };
const valid = (query: string) => ({ schema, document: parse(query) });

test('a subscription is known to the role that it was found to be good for', () => {
  const known = new KnownSubscriptions();
  const asked = { query: 'subscription { seen }', operationName: null };
  const found = valid(asked.query);
  known.keep(operator, asked, found);
  expect(known.of(operator, asked)).toBe(found);
  expect(known.of({ ...operator, identityId: 9n }, asked)).toBe(found);
  expect(known.of(VIEWER, asked)).toBeUndefined();
  expect(known.of(operator, { ...asked, query: 'subscription { seen  }' })).toBeUndefined();
});

test('what is no subscription is not kept, whatever else is in its document', () => {
  const known = new KnownSubscriptions();
  const query = 'subscription A { seen } query B { hello } mutation C { hello }';
  for (const operationName of ['A', 'B', 'C']) {
    known.keep(operator, { query, operationName }, valid(query));
  }
  const names = ['A', 'B', 'C', null].filter((operationName) => known.of(operator, { query, operationName }));
  expect(names).toEqual(['A']);
});

test('those that nobody asks for are forgotten', () => {
  const known = new KnownSubscriptions();
  const asked = (n: number) => ({ query: `subscription { n${n}: seen }`, operationName: null });
  for (let n = 0; n <= 500; n++) {
    known.keep(operator, asked(n), valid(asked(n).query));
    known.of(operator, asked(0));
  }
  expect([0, 1, 2, 500].map((n) => known.of(operator, asked(n)) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
});

test('a name and a text are not another name and another text', () => {
  const known = new KnownSubscriptions();
  const query = 'subscription A { seen }';
  known.keep(operator, { query: `B ${query}`, operationName: 'A' }, valid(query));
  expect(known.of(operator, { query, operationName: 'A B' })).toBeUndefined();
});
