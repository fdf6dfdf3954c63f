import {
  GraphQLEnumType,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLSchema,
  GraphQLString,
  GraphQLUnionType,
} from 'graphql';
import { HANDS_ON } from '../../src/live/plain-execution.js';

/** How often the field that hands on has asked whether it may. */
export const asked = { times: 0 };

const text = { type: GraphQLString };
const Deep = new GraphQLObjectType({ name: 'Deep', fields: { name: text, none: text } });
const Asks = new GraphQLObjectType({ name: 'Asks', isTypeOf: () => true, fields: { name: text } });
const Either = new GraphQLUnionType({ name: 'Either', types: [Deep], resolveType: () => 'Deep' });
const Day = new GraphQLScalarType<Date, string>({
  name: 'Day',
  serialize: (value) => (value as Date).toISOString().slice(0, 10),
});
const Kind = new GraphQLEnumType({ name: 'Kind', values: { GOOD: { value: 1 }, BAD: { value: 2 } } });

/** As Prisma's promises are: to be waited for, and none of the language's. */
const thenable = (value: object) => ({
  [['th', 'en'].join('')]: (resolve: (value: object) => void) => resolve(value),
});

/** A subscription of one item, which has a field for each way in which a field can be had. */
export function makeSchema(): GraphQLSchema {
  const Seen = new GraphQLObjectType({
    name: 'Seen',
    fields: {
      name: text,
      by: { type: GraphQLString, resolve: (_item, _args, context: { by: string }) => context.by },
      deep: { type: Deep },
      times: {
        type: GraphQLString,
        args: { n: { type: GraphQLInt } },
        resolve: (item: { name: string }, { n = 0 }: { n?: number | null }) => item.name.repeat(n ?? 0),
      },
      at: { type: Day, resolve: () => new Date(0) },
      kind: { type: Kind, resolve: () => 2 },
      path: {
        type: GraphQLString,
        resolve: (...[, , , { path }]) => `${path.prev?.key}.${path.key}`,
      },
      names: { type: new GraphQLList(GraphQLString) },
      either: { type: Either },
      asks: { type: Asks },
      missing: { type: new GraphQLNonNull(GraphQLString) },
      unwritten: { type: Kind, resolve: () => 3 },
      fails: {
        type: GraphQLString,
        resolve() {
          throw new Error('not to be had');
        },
      },
      wrong: { type: GraphQLString, resolve: () => new Error('not to be had') },
      thenable: { type: Deep, resolve: () => thenable({ name: 'later' }) },
      after: { type: Deep, resolve: async () => ({ name: 'later' }) },
      later: { type: GraphQLString, resolve: async () => 'later' },
      never: { type: GraphQLString, resolve: () => Promise.reject(new Error('not to be had')) },
    },
  });
  return new GraphQLSchema({
    query: new GraphQLObjectType({ name: 'Query', fields: { hello: text } }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: {
        seen: { type: Seen, resolve: (item: unknown) => item },
        handed: {
          type: Seen,
          extensions: { [HANDS_ON]: true },
          resolve(item: unknown) {
            asked.times += 1;
            if ((item as { isRefused?: boolean }).isRefused) {
              throw new Error('not to be had');
            }
            return item;
          },
        },
      },
    }),
  });
}
