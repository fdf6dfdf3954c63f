import { EnvelopArmorPlugin } from '@escape.tech/graphql-armor';
import { useCSRFPrevention } from '@graphql-yoga/plugin-csrf-prevention';
import { GraphQLError, getOperationAST, NoSchemaIntrospectionCustomRule } from 'graphql';
import { createYoga, type Plugin, useExecutionCancellation } from 'graphql-yoga';
import type { App, Context } from '../context.js';
import { actsAs } from '../context.js';
import { SubscriptionError } from '../live/errors.js';
import { schema } from '../schema/index.js';
import { ALIASES_MAX, DEPTH_MAX, DIRECTIVES_MAX, TOKENS_MAX } from '../schema/limits.js';
import { AnalystPace } from '../services/platform/analyst-pace.js';
import { CancelledError, DomainError, RetryLaterError } from '../services/platform/errors.js';
import { isTracing } from '../services/platform/tracing.js';
import { operationSpans } from './operation-spans.js';
import { reportUnexpected } from './unexpected.js';

/** The GraphQL engine: parsing, validation, limits and masking, over HTTP here and over WebSockets in src/live. */
export type GraphQLEngine = ReturnType<typeof createGraphQL>;

/** Makes the engine. Who asks is known before it runs: there is no anonymous operation. */
export function createGraphQL(app: App) {
  return createYoga<Context>({
    schema,
    graphqlEndpoint: '/graphql',
    graphiql: false,
    landingPage: false,
    batching: false,
    multipart: false,
    // Bodies are read whole and bounded before (body.ts); Yoga's own limit would copy each through two more streams.
    maxRequestBodySize: false,
    cors: false,
    logging: false,
    maskedErrors: { maskError: (error, _message, _isDev) => masked(app, error) },
    plugins: [
      EnvelopArmorPlugin({
        // Introspection has a limit of graphql's own: lists in lists of types, not the depth of `ofType`.
        maxDepth: { n: DEPTH_MAX, ignoreIntrospection: true, flattenFragments: true },
        // By default the plugin does not count aliases of __typename.
        maxAliases: { n: ALIASES_MAX, allowList: [] },
        maxDirectives: { n: DIRECTIVES_MAX },
        maxTokens: { n: TOKENS_MAX },
        blockFieldSuggestion: { enabled: true },
        // Cost is counted by the schema's own plugin, which knows page sizes and roles.
        costLimit: { enabled: false },
      }),
      // Cookies are not used, so a request with an Authorization header was meant by whoever sent it.
      useCSRFPrevention({ requestHeaders: ['authorization', 'x-graphql-yoga-csrf'] }),
      useExecutionCancellation(),
      introspectionByRole(app),
      analystsInTurn(app),
      subscriptionsOverSockets(),
      ...(isTracing() ? [operationSpans()] : []),
    ],
  });
}

/** In production the schema is shown to those whose work is to ask questions of it; elsewhere to every token. */
function introspectionByRole({ production }: App): Plugin<Context> {
  return {
    onValidate({ addValidationRule, context }) {
      const viewer = (context as Partial<Context>).viewer;
      if (viewer === undefined || (production && !actsAs(viewer, ['OPERATOR', 'ANALYST']))) {
        addValidationRule(NoSchemaIntrospectionCustomRule);
      }
    },
  };
}

/** Queries of analysts run one after the other, with rests (analyst-pace.ts). */
function analystsInTurn({ analystTimeShare }: App): Plugin<Context> {
  const pace = new AnalystPace(analystTimeShare);
  return {
    onExecute({ args, executeFn, setExecuteFn }) {
      const { viewer, signal } = args.contextValue as Context;
      const isQuery = getOperationAST(args.document, args.operationName)?.operation === 'query';
      if (isQuery && actsAs(viewer, ['ANALYST'])) {
        setExecuteFn((given) => pace.run({ ...viewer, signal }, async () => executeFn(given)));
      }
    },
  };
}

/** Subscriptions have ways of their own, with bounded queues and cursors (websocket.ts, event-stream.ts). */
function subscriptionsOverSockets(): Plugin<Context> {
  return {
    onSubscribe({ args, setResultAndStopExecution }) {
      if ((args.contextValue as { request?: unknown }).request !== undefined) {
        const message =
          'Subscribe over a WebSocket at /graphql (protocol graphql-transport-ws), or with "Accept: text/event-stream".';
        const error = new GraphQLError(message, { extensions: { code: 'SUBSCRIPTIONS_OVER_WEBSOCKET' } });
        setResultAndStopExecution({ errors: [error] });
      }
    },
  };
}

/** What of an error a client of this process is told. */
export const maskError = (app: App) => (error: unknown) => {
  const told = masked(app, error);
  return told instanceof GraphQLError ? told : new GraphQLError(told.message);
};

/** Only what we meant to say leaves the server: refusals and GraphQL's own errors; the rest becomes an id. */
function masked(app: App, error: unknown): Error {
  const thrown = error instanceof GraphQLError ? (error.originalError ?? error) : error;
  const original = isOfGoneClient(thrown) ? new CancelledError() : thrown;
  if (original instanceof RetryLaterError) {
    return located(error, original.message, laterExtensions(original));
  }
  if (original instanceof DomainError) {
    return located(error, original.message, { code: original.code, ...cursorOf(original) });
  }
  // Pothos says so itself where an id names another type than the argument takes.
  if (original instanceof GraphQLError && original.name === 'PothosValidationError') {
    return located(error, original.message, { code: 'BAD_USER_INPUT' });
  }
  if (original instanceof GraphQLError && original.name !== 'PothosSchemaError') {
    return error as GraphQLError;
  }
  const { code, message, errorId } = reportUnexpected(app, original, { requestId: '', path: pathOf(error) });
  return located(error, message, { code, errorId });
}

/** What the executor throws where the signal of its context was aborted; an operation that took too long has another name. */
const isOfGoneClient = (error: unknown) => error instanceof Error && error.name === 'AbortError';

/** Over HTTP the status and Retry-After say it too (Yoga reads them here); clients are shown `retryAfterSeconds`. */
function laterExtensions({ code, retryAfterSeconds }: RetryLaterError): Record<string, unknown> {
  const status = code === 'RATE_LIMITED' ? 429 : 503;
  const http = { status, headers: { 'Retry-After': String(retryAfterSeconds) } };
  return Object.defineProperty({ code, retryAfterSeconds }, 'http', { value: http, enumerable: false });
}

/** A subscriber that was too slow is told where to go on. */
function cursorOf(error: DomainError): { cursor?: string } {
  return error instanceof SubscriptionError && error.cursor !== null ? { cursor: error.cursor } : {};
}

function pathOf(error: unknown): string {
  return error instanceof GraphQLError ? (error.path?.join('.') ?? '') : '';
}

function located(error: unknown, message: string, extensions: Record<string, unknown>): GraphQLError {
  if (!(error instanceof GraphQLError)) {
    return new GraphQLError(message, { extensions });
  }
  return new GraphQLError(message, {
    extensions,
    ...(error.nodes ? { nodes: error.nodes } : {}),
    ...(error.path ? { path: error.path } : {}),
  });
}
