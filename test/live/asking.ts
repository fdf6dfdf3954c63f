import { GraphQLError, GraphQLInt, GraphQLObjectType, GraphQLSchema, GraphQLString, parse } from 'graphql';
import { expect } from 'vitest';
import type { HandedItems } from '../../src/live/handed.js';
import { type EncodedItems, subscribeLive } from '../../src/live/live-operation.js';
import type { LiveItem } from '../../src/live/subscription.js';
import type { Viewer } from '../../src/services/access/viewer.js';
import type { StreamEvent } from '../../src/services/events/stream.js';

/** A customer. */
export const VIEWER: Viewer = {
  tenantId: 1n,
  tenantSlug: 'acme',
  identityId: 1n,
  displayName: 'Somebody',
  role: 'CUSTOMER',
  customerId: 1n,
  expertId: null,
  expiresAtMs: Number.POSITIVE_INFINITY,
  requestId: '',
};

/** What was executed, and who was kept as a reader of which tasks. */
export const seenSoFar = {
  executions: 0,
  readers: [] as string[],
  /** Of the last execution. */
  signal: undefined as AbortSignal | undefined,
  isBroken: false,
};

/** The context of a request has a signal, that of a shared execution hears what is shown. */
interface Asking {
  readonly viewer: Viewer;
  readonly signal?: AbortSignal;
  readonly onShown?: (taskIds: readonly bigint[]) => void;
}

/** Tells of one item who looks at it. */
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields: { hello: { type: GraphQLString } } }),
  subscription: new GraphQLObjectType({
    name: 'Subscription',
    fields: {
      seen: {
        type: new GraphQLObjectType({
          name: 'Seen',
          fields: {
            never: { type: GraphQLString, resolve: () => Promise.reject(new Error('not to be had')) },
            later: {
              type: GraphQLString,
              async resolve(_item, _args, { viewer, signal, onShown }: Asking) {
                seenSoFar.executions += 1;
                seenSoFar.signal = signal;
                if (signal?.aborted) {
                  throw new Error('cancelled');
                }
                onShown?.([7n]);
                return `for ${viewer.customerId}`;
              },
            },
            sometimes: {
              type: GraphQLString,
              resolve() {
                if (seenSoFar.isBroken) {
                  throw new Error('not to be had');
                }
                return 'here';
              },
            },
            by: {
              type: GraphQLString,
              args: { times: { type: GraphQLInt }, after: { type: GraphQLString } },
              resolve(_item, { times = 1, after = '' }, { viewer }: { viewer: Viewer }) {
                seenSoFar.executions += 1;
                return `${viewer.tenantId} ${viewer.role} ${viewer.customerId} ${viewer.expertId} ${after}`.repeat(
                  times,
                );
              },
            },
          },
        }),
        args: { after: { type: GraphQLString } },
        resolve: (item: unknown) => item,
      },
    },
  }),
});

/** Subscribes a viewer to a source. */
export async function asked(
  source: () => AsyncIterable<unknown>,
  {
    viewer = {},
    query = 'subscription { seen { by } }',
    variables = {},
    signal,
    mask = (error) => new GraphQLError(String(error)),
  }: {
    viewer?: Partial<Viewer>;
    query?: string;
    variables?: object;
    signal?: AbortSignal;
    mask?: (error: unknown) => GraphQLError;
  },
): Promise<EncodedItems> {
  const who = { ...VIEWER, ...viewer };
  const subscription = schema.getSubscriptionType()?.getFields().seen;
  if (subscription === undefined) {
    throw new Error('The schema has no such subscription.');
  }
  subscription.subscribe = source;
  const results = await subscribeLive({
    args: {
      schema,
      document: parse(query),
      contextValue: { viewer: who, signal },
      variableValues: variables as Record<string, unknown>,
    },
    query,
    viewer: who,
    shared: {
      contextFor: (viewer, { onShown, signal: gone }) => ({ viewer, onShown, signal: gone }),
      note: async ({ identityId }, taskIds) => void seenSoFar.readers.push(`${identityId} ${taskIds}`),
    },
    mask,
  });
  if (!(Symbol.asyncIterator in results)) {
    throw new Error(JSON.stringify(results));
  }
  return results;
}

/** What a viewer gets of one value. */
export async function seen(
  value: object,
  {
    viewer = {},
    query = 'subscription { seen { by } }',
    variables = {},
    item = { cursor: 'c', reset: false },
  }: {
    viewer?: Partial<Viewer>;
    query?: string;
    variables?: object;
    item?: { cursor: string; reset: boolean };
  } = {},
): Promise<string> {
  const results = await asked(
    async function* () {
      yield { ...item, value };
    },
    { viewer, query, variables },
  );
  const { value: first } = await results.next();
  expect(first.cursor).toBe(item.cursor);
  return first.text;
}

const eventOf = (seq: number): StreamEvent => ({ epoch: 1, seq, kind: 'TEST', body: '{}', at: new Date(0) });

/** Events that are handed over, or else come by `next`; of each a value that is nobody else's. */
export function handing() {
  const takes: ((event: StreamEvent) => boolean)[] = [];
  const itemOf = (event: StreamEvent) => ({
    cursor: String(event.seq),
    reset: false,
    skipped: null,
    value: { ...event },
  });
  const source = (): HandedItems<LiveItem<StreamEvent>> => {
    let arrive: (event: StreamEvent) => void = () => undefined;
    return {
      next: () =>
        new Promise((resolve) => {
          arrive = (event) => resolve({ done: false, value: itemOf(event) });
        }),
      handTo: (take) =>
        void takes.push((event) => {
          const taken = take(event, { itemOf });
          if (!taken) {
            arrive(event);
          }
          return taken;
        }),
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  };
  return { source, tell: (seq: number) => takes.map((take) => take(eventOf(seq))) };
}
