import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Context as ConnectionContext, ServerOptions, SubscribePayload } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Viewer } from '../services/access/viewer.js';
import { DomainError } from '../services/platform/errors.js';
import { callAt } from './call-at.js';
import type { EncodedResult } from './encoded.js';
import { isTooSlow, type LiveOperation, subscribeLive } from './live-operation.js';
import type { SocketPort } from './socket.js';

/** One engine as it runs one operation of one viewer: what Yoga's `getEnveloped` gives. */
export interface OperationEngine {
  readonly schema: ExecutionArgs['schema'];
  readonly parse: (source: string) => ExecutionArgs['document'];
  readonly validate: (
    schema: ExecutionArgs['schema'],
    document: ExecutionArgs['document'],
  ) => readonly GraphQLError[];
  readonly execute: (args: ExecutionArgs) => unknown;
  readonly contextFactory: () => unknown;
}

export interface SessionOptions {
  /** Who a token speaks for. @throws DomainError with a text for the caller */
  readonly authenticate: (authorization: string | undefined, requestId: string) => Promise<Viewer>;
  /** Calls back when the viewer's role is taken away. @returns what stops that */
  readonly onRevoked: (viewer: Viewer, end: () => void) => () => void;
  /** What of an error a client is told. */
  readonly mask: (error: unknown) => GraphQLError;
  /** `signal` aborts when the socket has gone. */
  readonly engineFor: (viewer: Viewer, signal: AbortSignal) => OperationEngine;
  readonly log: Logger;
  readonly initMs: number;
  readonly subscriptionsMax: number;
  readonly socketsAViewerMax: number;
}

/** What is known of a socket. */
export interface Session {
  readonly socket: WebSocket;
  readonly port: SocketPort;
  readonly request: IncomingMessage;
  viewer?: Viewer;
  /** Aborted when the socket has gone. */
  readonly gone: AbortController;
  /** Undoes what the session holds: its timer, its place among the viewer's sockets. */
  end?: () => void;
}

/** Close codes; a client comes back by itself after each of them. */
export const CLOSE = {
  forbidden: 4403,
  goingAway: 4012,
  tooManySockets: 4290,
  tooSlow: 4008,
  tryAgain: 1013,
} as const;

type Connection = ConnectionContext<Record<string, unknown> | undefined, Session>;

/**
 * The rules of graphql-ws sockets: who may open one, how many, for how long; and that whatever is wrong with one
 * operation is answered for that operation, for the others on its socket are somebody's live view.
 */
export function sessionRules(options: SessionOptions): ServerOptions<Record<string, unknown>, Session> {
  const socketsOf = new Map<string, number>();
  return {
    connectionInitWaitTimeout: options.initMs,
    onConnect: (connection) => admit(connection, { options, socketsOf }),
    onSubscribe: (connection, id, payload) => prepare(connection, { id, payload }, options),
    execute: (args) => run(args, options),
    subscribe: (args) => subscribe(args, options),
    onClose: ({ extra }) => {
      extra.end?.();
      extra.gone.abort();
    },
  };
}

interface Admission {
  readonly options: SessionOptions;
  readonly socketsOf: Map<string, number>;
}

async function admit(
  { extra, connectionParams }: Connection,
  { options, socketsOf }: Admission,
): Promise<boolean> {
  const { socket, request } = extra;
  const viewer = await options
    .authenticate(authorizationOf(connectionParams) ?? request.headers.authorization, randomUUID())
    .catch((error: unknown) => refuse(error, { socket, log: options.log }));
  if (viewer === null || socket.readyState !== socket.OPEN) {
    return false;
  }
  const key = `${viewer.tenantId}/${viewer.identityId}`;
  const count = (socketsOf.get(key) ?? 0) + 1;
  if (count > options.socketsAViewerMax) {
    socket.close(CLOSE.tooManySockets, `At most ${options.socketsAViewerMax} sockets a person`);
    return false;
  }
  socketsOf.set(key, count);
  const cancelExpiry = callAt(viewer.expiresAtMs, () =>
    socket.close(CLOSE.forbidden, 'The access token has ended'),
  );
  const stopWatching = options.onRevoked(viewer, () =>
    socket.close(CLOSE.forbidden, 'The role of this token was taken away'),
  );
  extra.viewer = viewer;
  extra.end = () => {
    cancelExpiry();
    stopWatching();
    const left = (socketsOf.get(key) ?? 1) - 1;
    if (left === 0) {
      socketsOf.delete(key);
    } else {
      socketsOf.set(key, left);
    }
  };
  return true;
}

/** The reason is told in the close frame, whose text is at most 123 bytes. */
function refuse(error: unknown, { socket, log }: { socket: WebSocket; log: Logger }): null {
  if (error instanceof DomainError) {
    socket.close(CLOSE.forbidden, error.message.slice(0, 120));
  } else {
    log.error({ err: error }, 'websocket.admission_failed');
    socket.close(CLOSE.tryAgain, 'Try again later');
  }
  return null;
}

/** Browsers cannot send headers with a WebSocket: the token comes with the first message. */
function authorizationOf(params: Record<string, unknown> | undefined): string | undefined {
  const given = params?.authorization ?? params?.Authorization;
  return typeof given === 'string' ? given : undefined;
}

/** The arguments of an operation, with what is to run it: until it runs, for they live as long as a subscription. */
type PreparedArgs = ExecutionArgs & { prepared: Prepared | null };

interface Prepared {
  readonly id: string;
  readonly engine: OperationEngine;
  readonly live: Pick<LiveOperation, 'query' | 'viewer'>;
  readonly session: Session;
}

async function prepare(
  { extra, subscriptions }: Connection,
  { id, payload }: { id: string; payload: SubscribePayload },
  options: SessionOptions,
): Promise<PreparedArgs | readonly GraphQLError[]> {
  try {
    if (extra.viewer === undefined) {
      return [failure('UNAUTHENTICATED', 'Nobody was let in on this socket.')];
    }
    if (Object.keys(subscriptions).length > options.subscriptionsMax) {
      return [
        failure(
          'TOO_MANY_SUBSCRIPTIONS',
          `At most ${options.subscriptionsMax} operations at once on a socket.`,
        ),
      ];
    }
    const { query, variables, operationName } = payload;
    const engine = options.engineFor(extra.viewer, extra.gone.signal);
    const document = engine.parse(query);
    const errors = engine.validate(engine.schema, document);
    if (errors.length > 0) {
      return errors;
    }
    return {
      prepared: { id, engine, live: { query, viewer: extra.viewer }, session: extra },
      schema: engine.schema,
      document,
      operationName: operationName ?? null,
      variableValues: variables ?? null,
      contextValue: await engine.contextFactory(),
    };
  } catch (error) {
    return [told(error, options.log)];
  }
}

async function run(args: ExecutionArgs, { log }: SessionOptions): Promise<ExecutionResult> {
  const { prepared, rest } = taken(args);
  try {
    return (await prepared.engine.execute(rest)) as ExecutionResult;
  } catch (error) {
    return { errors: [told(error, log)] };
  }
}

async function subscribe(args: ExecutionArgs, { mask }: SessionOptions): Promise<Outcome> {
  const { prepared, rest } = taken(args);
  try {
    const items = await subscribeLive({ args: rest, ...prepared.live, mask });
    return Symbol.asyncIterator in items ? pushed(items, prepared) : items;
  } catch (error) {
    return { errors: [mask(error)] };
  }
}

function taken(args: ExecutionArgs): { prepared: Prepared; rest: ExecutionArgs } {
  const { prepared, ...rest } = args as PreparedArgs;
  if (prepared === null) {
    throw new Error('An operation runs once.');
  }
  (args as PreparedArgs).prepared = null;
  return { prepared, rest };
}

/** Sends its items by itself, so that graphql-ws sees a subscription without any and sends what comes at its end. */
type Outcome = ExecutionResult | AsyncIterableIterator<never>;

function pushed(
  items: AsyncIterableIterator<EncodedResult>,
  { id, session: { socket, port } }: Prepared,
): AsyncIterableIterator<never> {
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  let hasEnded = false;
  const end: () => IteratorResult<never> = () => ({ done: true, value: undefined });

  async function push(): Promise<void> {
    for (;;) {
      const { done, value } = await items.next();
      if (done || hasEnded) {
        return;
      }
      const full = port.push(`${head}${value.text}}`);
      if (full !== null) {
        await full;
      }
    }
  }

  return {
    next: () =>
      push().then(end, (error: unknown) => {
        if (!isTooSlow(error)) {
          throw error;
        }
        // It is cut off: it comes back and goes on from the last cursor of each subscription.
        socket.close(CLOSE.tooSlow, 'Too slow: go on from the last cursor that you received');
        return end();
      }),
    async return() {
      hasEnded = true;
      await items.return?.();
      return end();
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

function told(error: unknown, log: Logger): GraphQLError {
  if (error instanceof GraphQLError) {
    return error;
  }
  log.error({ err: error }, 'websocket.operation_failed');
  return failure('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.');
}

function failure(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
