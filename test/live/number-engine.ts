import {
  GraphQLError,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { createYoga } from 'graphql-yoga';
import type { LiveHub } from '../../src/live/hub.js';
import type { LiveItem } from '../../src/live/subscription.js';
import { numbersOf } from './streams.js';
import type { World } from './world.js';

const text = { type: new GraphQLNonNull(GraphQLString) };
const NumberItem = new GraphQLObjectType<LiveItem<number>>({
  name: 'NumberItem',
  fields: {
    cursor: text,
    n: { type: GraphQLInt, resolve: (item) => item.value },
    padding: { type: GraphQLString, resolve: () => 'x'.repeat(16_384) },
  },
});

/** As Yoga does by itself: what GraphQL says may be told, and what else goes wrong may not. */
export function masked(error: unknown): GraphQLError {
  const isTold = error instanceof GraphQLError && error.originalError === undefined;
  return isTold ? error : new GraphQLError('Unexpected error.');
}

/** An engine with one stream of numbers, and some ways to go wrong. */
export function numberEngine(hub: LiveHub, { tenantId }: World) {
  const numbers = (_: unknown, { after }: { after?: string }) =>
    numbersOf(hub, { tenantId, after: after ?? null });
  const boom = () => {
    throw new Error('the password is hunter2');
  };
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { hello: { ...text, resolve: () => 'hi' } } }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: {
        numbers: {
          type: new GraphQLNonNull(NumberItem),
          args: { after: { type: GraphQLString } },
          subscribe: numbers,
          resolve: (item: unknown) => item,
        },
        boom: { ...text, subscribe: boom },
        late: {
          ...text,
          async *subscribe() {
            yield { late: 'fine' };
            boom();
          },
        },
      },
    }),
  });
  return createYoga({ schema, logging: false });
}
