// Beside ours: Yoga and graphql-ws as their documentation has it, with Yoga's own createPubSub.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { useServer } from 'graphql-ws/use/ws';
import { createPubSub, createSchema, createYoga } from 'graphql-yoga';
import { WebSocketServer } from 'ws';
import { publishing } from './publishing.js';

const pubSub = createPubSub<Record<string, [item: object]>>();
const yoga = createYoga({
  logging: false,
  schema: createSchema({
    typeDefs: `
      type Query { hello: String }
      type LeaseEvent { cursor: String!, kind: String!, at: String!, assignmentId: ID!, taskId: ID! }
      type Subscription { leaseEvents(projectId: ID, after: String): LeaseEvent! }`,
    resolvers: {
      Subscription: {
        leaseEvents: {
          subscribe: (_root: unknown, { projectId }: { projectId: string }) => pubSub.subscribe(projectId),
          resolve: (item: object) => item,
        },
      },
    },
  }),
});
const server = createServer(yoga);
useServer(
  {
    execute: (args) => (args as unknown as Enveloped).rootValue.execute(args),
    subscribe: (args) => (args as unknown as Enveloped).rootValue.subscribe(args),
    onSubscribe: async (context, _id, params) => {
      const { schema, execute, subscribe, contextFactory, parse, validate } = yoga.getEnveloped({
        ...context,
        req: context.extra.request,
        socket: context.extra.socket,
        params,
      } as never);
      const args = {
        schema,
        operationName: params.operationName,
        document: parse(params.query),
        variableValues: params.variables,
        contextValue: await contextFactory(),
        rootValue: { execute, subscribe },
      };
      const errors = validate(args.schema, args.document);
      return errors.length > 0 ? errors : args;
    },
  },
  new WebSocketServer({ server, path: '/graphql' }),
);

interface Enveloped {
  readonly rootValue: { execute(args: unknown): never; subscribe(args: unknown): never };
}

publishing((topic, item) => pubSub.publish(topic, item));
server.listen(0, '127.0.0.1', () =>
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
