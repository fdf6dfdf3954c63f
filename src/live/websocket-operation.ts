import type { IncomingMessage } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Viewer } from '../services/access/viewer.js';
import type { EncodedResult } from './encoded.js';
import { isTooSlow, type LiveOperation, subscribeLive } from './live-operation.js';
import type { QueryEnd } from './query-end.js';
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

/** What is known of a socket. */
export interface Session {
  readonly socket: WebSocket;
  readonly port: SocketPort;
  readonly request: IncomingMessage;
  viewer?: Viewer;
  /** What runs under each id: who completes an operation may use its id again at once, before the old one has ended. */
  readonly running: Map<string, object>;
  /** Aborted when the socket has gone. */
  readonly gone: AbortController;
  /** Undoes what the session holds: its timer, its place among the viewer's sockets. Told whether the client took leave. */
  end?: (goodbye: boolean) => void;
}

/** Close codes; a client comes back by itself after each of them. */
export const CLOSE = {
  forbidden: 4403,
  goingAway: 4012,
  tooManySockets: 4290,
  tooSlow: 4008,
  tryAgain: 1013,
} as const;

/** The arguments of an operation, with what is to run it: until it runs, for they live as long as a subscription. */
export type PreparedArgs = ExecutionArgs & { prepared: Prepared | null };

export interface Prepared {
  readonly id: string;
  readonly engine: OperationEngine;
  readonly live: Pick<LiveOperation, 'query' | 'viewer'>;
  readonly session: Session;
  /** What ends an analyst's query before its time; null for others, whose statements are short. */
  readonly end: QueryEnd | null;
}

/** Gives an operation its id, and waits for the rest of it. Never resolves where another took the id meanwhile. */
export async function taking<T>(prepared: Prepared, rest: () => T): Promise<Awaited<T>> {
  const { id, session } = prepared;
  session.running.set(id, prepared);
  try {
    const got = await rest();
    return session.running.get(id) === prepared ? got : await NEVER;
  } catch (error) {
    leave(prepared);
    throw error;
  }
}

/** Runs a query or a mutation. */
export async function run(args: ExecutionArgs, { log }: { log: Logger }): Promise<ExecutionResult> {
  const { prepared, rest } = taken(args);
  const execute = async () => prepared.engine.execute(rest) as ExecutionResult;
  const result = await (prepared.end?.watching(execute) ?? execute()).catch((error: unknown) => ({
    errors: [told(error, log)],
  }));
  return leave(prepared) ? result : NEVER;
}

/**
 * graphql-ws knows operations by their ids alone, and would answer and end the one that has the id now. What never
 * resolves is collected together with whoever waits for it.
 */
const NEVER = new Promise<never>(() => undefined);

/** Gives the id of an operation back; false where another one has it already. */
function leave(prepared: Prepared): boolean {
  const { id, session } = prepared;
  return session.running.get(id) === prepared && session.running.delete(id);
}

/** Begins a subscription. */
export async function subscribe(
  args: ExecutionArgs,
  { mask }: Pick<LiveOperation, 'mask'>,
): Promise<Outcome> {
  const { prepared, rest } = taken(args);
  try {
    const items = await subscribeLive({ args: rest, ...prepared.live, mask });
    if (Symbol.asyncIterator in items) {
      return await inPlace(items, prepared);
    }
    return leave(prepared) ? items : NEVER;
  } catch (error) {
    return leave(prepared) ? { errors: [mask(error)] } : NEVER;
  }
}

async function inPlace(
  items: AsyncIterableIterator<EncodedResult>,
  prepared: Prepared,
): Promise<AsyncIterableIterator<never>> {
  if (prepared.session.running.get(prepared.id) !== prepared) {
    await items.return?.();
    return NEVER;
  }
  return pushed(items, prepared);
}

function taken(args: ExecutionArgs): { prepared: Prepared; rest: ExecutionArgs } {
  const { prepared, ...rest } = args as PreparedArgs;
  if (prepared === null) {
    throw new Error('An operation runs once.');
  }
  (args as PreparedArgs).prepared = null;
  return { prepared, rest };
}

const OVER: IteratorResult<never> = { done: true, value: undefined };

/** Sends its items by itself, so that graphql-ws sees a subscription without any and sends what comes at its end. */
type Outcome = ExecutionResult | AsyncIterableIterator<never>;

function pushed(
  items: AsyncIterableIterator<EncodedResult>,
  prepared: Prepared,
): AsyncIterableIterator<never> {
  const {
    id,
    session: { socket, port },
  } = prepared;
  const head = `{"id":${JSON.stringify(id)},"type":"next","payload":`;
  let hasEnded = false;
  // (One that its client has completed is over for graphql-ws already.)
  const end = (): IteratorResult<never> | Promise<never> => (leave(prepared) && !hasEnded ? OVER : NEVER);

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
          if (!leave(prepared)) {
            return NEVER;
          }
          throw error;
        }
        // It is cut off: it comes back and goes on from the last cursor of each subscription.
        socket.close(CLOSE.tooSlow, 'Too slow: go on from the last cursor that you received');
        return end();
      }),
    async return() {
      hasEnded = true;
      leave(prepared);
      await items.return?.();
      return OVER;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** What of an error a client is told that no engine has masked. */
export function told(error: unknown, log: Logger): GraphQLError {
  if (error instanceof GraphQLError) {
    return error;
  }
  log.error({ err: error }, 'websocket.operation_failed');
  return failure('INTERNAL_SERVER_ERROR', 'Something went wrong on our side.');
}

/** An error with a code. */
export function failure(code: string, message: string): GraphQLError {
  return new GraphQLError(message, { extensions: { code } });
}
