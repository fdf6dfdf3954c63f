import {
  GraphQLError,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
} from 'graphql';
import { createYoga } from 'graphql-yoga';
import type pg from 'pg';
import type { LiveParts } from '../../src/live/parts.js';
import { watchState } from '../../src/live/state-subscription.js';
import type { LiveItem } from '../../src/live/subscription.js';
import type { Viewer } from '../../src/services/access/viewer.js';
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

/** Who holds this lock exclusively (`pg_advisory_lock`) holds up all reads of {@link countOf}. */
export const HOLD_UP = 4_711;

/** How many reads are held up, of those that have been for so many milliseconds. */
export async function heldUpReads(admin: Pick<pg.ClientBase, 'query'>, sinceMs = 0): Promise<number> {
  const { rows } = await admin.query(
    `select count(*)::int as n from pg_locks l join pg_stat_activity a using (pid)
     where l.locktype = 'advisory' and l.objid = $1 and not l.granted
       and clock_timestamp() - a.query_start > make_interval(secs => $2)`,
    [HOLD_UP, sinceMs / 1_000],
  );
  return rows[0].n;
}

/** How many numbers a stream has. */
export async function countOf(
  { db }: Pick<LiveParts, 'db'>,
  { tenantId }: { tenantId: bigint },
): Promise<number> {
  const { rows } = await db.systemPool.query(
    `with held as materialized (select pg_advisory_xact_lock_shared($2))
     select count(e.tenant_id)::int as n from held left join stream_events e on e.tenant_id = $1`,
    [String(tenantId), HOLD_UP],
  );
  return rows[0].n;
}

/** How many numbers the stream of a viewer's tenant has, then each time that there are more. */
export const countsOf = (parts: LiveParts, viewer: Viewer, after: string | null = null) =>
  watchState(parts, viewer, { name: 'count', stream: 's', after, read: () => countOf(parts, viewer) });

/** An engine with one stream of numbers, told one by one and as a state, and some ways to go wrong. */
export function numberEngine(parts: LiveParts, world: World) {
  const { tenantId } = world;
  const numbers = (_: unknown, { after }: { after?: string }) =>
    numbersOf(parts.hub, { tenantId, after: after ?? null });
  const boom = () => {
    throw new Error('the password is hunter2');
  };
  const schema = new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: {
        hello: { ...text, resolve: () => 'hi' },
        count: { type: GraphQLInt, resolve: () => countOf(parts, world) },
      },
    }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: {
        numbers: {
          type: new GraphQLNonNull(NumberItem),
          args: { after: { type: GraphQLString } },
          subscribe: numbers,
          resolve: (item: unknown) => item,
        },
        counts: {
          type: new GraphQLNonNull(NumberItem),
          args: { after: { type: GraphQLString } },
          subscribe: (_, { after }: { after?: string }, { viewer }: { viewer: Viewer }) =>
            countsOf(parts, viewer, after),
          resolve: (item: unknown) => item,
        },
        counted: {
          type: new GraphQLNonNull(NumberItem),
          subscribe: () => numbersOf(parts.hub, { tenantId, state: () => countOf(parts, world) }),
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
