import { randomUUID } from 'node:crypto';
import { type GraphQLError, getOperationAST } from 'graphql';
import type { Context as ConnectionContext, ServerOptions, SubscribePayload } from 'graphql-ws';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Viewer } from '../services/access/viewer.js';
import { DomainError } from '../services/platform/errors.js';
import { callAt } from './call-at.js';
import { CLOSE } from './close-codes.js';
import type { Leave } from './connected.js';
import { KnownSubscriptions, type Valid } from './known-subscriptions.js';
import type { SharedExecution } from './live-operation.js';
import { queryEnd } from './query-end.js';
import {
  enter,
  failure,
  type OperationEngine,
  type Place,
  type Prepared,
  type PreparedArgs,
  run,
  runsNoMore,
  type Session,
  subscribe,
  taking,
  told,
} from './websocket-operation.js';

export interface SessionOptions {
  /** Who a token speaks for. @throws DomainError with a text for the caller */
  readonly authenticate: (authorization: string | undefined, requestId: string) => Promise<Viewer>;
  /** Calls back when the viewer's role is taken away. @returns what stops that */
  readonly onRevoked: (viewer: Viewer, end: () => void) => () => void;
  /** Hears of whoever is let in. @returns what is told how they left */
  readonly onOpened: (viewer: Viewer) => Leave;
  /** What of an error a client is told. */
  readonly mask: (error: unknown) => GraphQLError;
  readonly shared: SharedExecution;
  /**
   * The context of an operation. `signal` aborts when the socket has gone; of an analyst's query also when it has been
   * completed.
   */
  readonly contextFor: (viewer: Viewer, signal: AbortSignal) => object;
  readonly engineFor: (context: object) => OperationEngine;
  readonly log: Logger;
  readonly subscriptionsMax: number;
  readonly socketsAViewerMax: number;
}

type Connection = ConnectionContext<Record<string, unknown> | undefined, Session>;

/**
 * The rules of graphql-ws sockets: who may open one, how many, for how long; and that whatever is wrong with one
 * operation is answered for that operation, for the others on its socket are somebody's live view.
 */
export function sessionRules(options: SessionOptions): ServerOptions<Record<string, unknown>, Session> {
  const socketsOf = new Map<string, number>();
  const known = new KnownSubscriptions();
  return {
    connectionInitWaitTimeout: 0, // websocket.ts waits for it.
    onConnect(connection) {
      connection.extra.begun();
      return admit(connection, { options, socketsOf });
    },
    onSubscribe: (connection, id, payload) => prepare(connection, { id, payload }, { ...options, known }),
    execute: (args) => run(args, options),
    subscribe: (args) => subscribe(args, options),
  };
}

/** To be called as soon as a socket has gone: nothing that still ends on it holds anybody's place. */
export function endSession({ end, gone }: Session, code: number): void {
  end?.(code === NORMAL || code === LEAVING);
  gone.abort();
}

/** With these a client says that it wants no more, and a browser that its page is left. */
const NORMAL = 1000;
const LEAVING = 1001;

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
  const leave = options.onOpened(viewer);
  extra.viewer = viewer;
  extra.end = (goodbye) => {
    leave(goodbye);
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

async function prepare(
  { extra, subscriptions }: Connection,
  { id, payload }: { id: string; payload: SubscribePayload },
  options: SessionOptions & { known: KnownSubscriptions },
): Promise<PreparedArgs | readonly GraphQLError[]> {
  const { viewer } = extra;
  if (viewer === undefined) {
    return [failure('UNAUTHENTICATED', 'Nobody was let in on this socket.')];
  }
  const place: Place = { id, session: extra };
  const max = options.subscriptionsMax;
  if (!enter(place, max)) {
    return [failure('TOO_MANY_SUBSCRIPTIONS', `At most ${max} operations at once on a socket.`)];
  }
  try {
    const end = viewer.role === 'ANALYST' ? queryEnd(extra.gone.signal, () => id in subscriptions) : null;
    const context = options.contextFor(viewer, end?.signal ?? extra.gone.signal);
    const found = documentOf(payload, { viewer, context, options });
    if ('errors' in found) {
      runsNoMore(place);
      return found.errors;
    }
    const { engine, schema, document } = found;
    const { query, variables, operationName } = payload;
    const prepared: Prepared = { place, execute: engine?.execute ?? null, live: { query, viewer }, end };
    const contextValue = await taking(place, () => engine?.contextFactory() ?? context);
    return {
      prepared,
      schema,
      document,
      operationName: operationName ?? null,
      variableValues: variables ?? null,
      contextValue,
    };
  } catch (error) {
    runsNoMore(place);
    return [told(error, options.log)];
  }
}

interface Asking {
  readonly viewer: Viewer;
  readonly context: object;
  readonly options: Pick<SessionOptions, 'engineFor'> & { readonly known: KnownSubscriptions };
}

type Found =
  | (Valid & { readonly engine: OperationEngine | null })
  | { readonly errors: readonly GraphQLError[] };

/** What is to run, once it has been found to be good; a subscription that is known to be needs no engine. */
function documentOf(
  { query, operationName = null }: SubscribePayload,
  { viewer, context, options: { engineFor, known } }: Asking,
): Found {
  const valid = known.of(viewer, { query, operationName });
  if (valid !== undefined) {
    return { ...valid, engine: null };
  }
  const engine = engineFor(context);
  const document = engine.parse(query);
  const errors = engine.validate(engine.schema, document);
  if (errors.length > 0) {
    return { errors };
  }
  if (!getOperationAST(document, operationName)) {
    return { errors: [failure('BAD_USER_INPUT', 'Say which operation is meant: "operationName".')] };
  }
  known.keep(viewer, { query, operationName }, { schema: engine.schema, document });
  return { engine, schema: engine.schema, document };
}
