import type { IncomingMessage } from 'node:http';
import { type ExecutionArgs, type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import type { WebSocket } from 'ws';
import type { Viewer } from '../services/access/viewer.js';
import { TOO_SLOW } from './close-codes.js';
import type { EncodedResult } from './encoded.js';
import { type EncodedItems, isTooSlow, type LiveOperation, subscribeLive } from './live-operation.js';
import type { QueryEnd } from './query-end.js';
import type { SocketPort } from './socket.js';
import { textFrame, utf8Of } from './text-frame.js';

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
  readonly running: Map<string, Place>;
  /** What runs at all: also what its client has completed and has not ended yet. */
  readonly atOnce: Set<Place>;
  /** Aborted when the socket has gone. */
  readonly gone: AbortController;
  /** To be called when the client has begun. */
  readonly begun: () => void;
  /** Undoes what the session holds: its timer, its place among the viewer's sockets. Told whether the client took leave. */
  end?: (goodbye: boolean) => void;
}

/** The arguments of an operation, with what is to run it: until it runs, for they live as long as a subscription. */
export type PreparedArgs = ExecutionArgs & { prepared: Prepared | null };

export interface Prepared {
  readonly place: Place;
  /** Null of a subscription that was known. */
  readonly execute: OperationEngine['execute'] | null;
  readonly live: Pick<LiveOperation, 'query' | 'viewer'>;
  /** What ends an analyst's query before its time; null for others, whose statements are short. */
  readonly end: QueryEnd | null;
}

/** An operation as it runs. A subscription keeps no more of what it was prepared with, for that is most of its memory. */
export interface Place {
  readonly id: string;
  readonly session: Session;
}

/** Lets an operation in among those that run at once on its socket. @returns whether there was room */
export function enter(place: Place, max: number): boolean {
  const { atOnce } = place.session;
  const hasRoom = atOnce.size < max;
  if (hasRoom) {
    atOnce.add(place);
  }
  return hasRoom;
}

/** Makes room for another one. */
export function runsNoMore(place: Place): void {
  place.session.atOnce.delete(place);
}

/** Gives an operation its id, and waits for the rest of it. Never resolves where another took the id meanwhile. */
export async function taking<T>(place: Place, rest: () => T): Promise<Awaited<T>> {
  const { id, session } = place;
  session.running.set(id, place);
  try {
    const got = await rest();
    if (isRunning(place)) {
      return got;
    }
  } catch (error) {
    leave(place);
    throw error;
  }
  runsNoMore(place);
  return never();
}

/** Runs a query or a mutation. */
export async function run(args: ExecutionArgs, { log }: { log: Logger }): Promise<ExecutionResult> {
  const { prepared, rest } = taken(args);
  const execute = async () => (prepared.execute ?? neverExecuted)(rest) as ExecutionResult;
  const result = await (prepared.end?.watching(execute) ?? execute()).catch((error: unknown) => ({
    errors: [told(error, log)],
  }));
  runsNoMore(prepared.place);
  return leave(prepared.place) ? result : never();
}

function neverExecuted(): never {
  throw new Error('Only subscriptions are known without an engine.');
}

/**
 * graphql-ws knows operations by their ids alone, and would answer and end the one that has the id now. A new one each time: what never
 * resolves is collected together with whoever waits for it, and one for all would hold all who ever did.
 */
const never = (): Promise<never> => new Promise(() => undefined);

/** Whether the operation has its id still. */
function isRunning(place: Place): boolean {
  return place.session.running.get(place.id) === place;
}

/** Gives the id of an operation back; false where another one has it already. */
function leave(place: Place): boolean {
  return isRunning(place) && place.session.running.delete(place.id);
}

/** Begins a subscription. */
export async function subscribe(
  args: ExecutionArgs,
  { mask, shared }: Pick<LiveOperation, 'mask' | 'shared'>,
): Promise<Outcome> {
  const {
    prepared: { place, live },
    rest,
  } = taken(args);
  try {
    const items = await subscribeLive({ args: rest, ...live, shared, mask });
    if (Symbol.asyncIterator in items) {
      return await inPlace(items, place);
    }
    runsNoMore(place);
    return leave(place) ? items : never();
  } catch (error) {
    runsNoMore(place);
    return leave(place) ? { errors: [mask(error)] } : never();
  }
}

async function inPlace(items: EncodedItems, place: Place): Promise<AsyncIterableIterator<never>> {
  if (!isRunning(place)) {
    runsNoMore(place);
    await items.return?.();
    return never();
  }
  return pushed(items, place);
}

function taken(args: ExecutionArgs): { prepared: Prepared; rest: ExecutionArgs } {
  const { prepared, ...rest } = args as PreparedArgs;
  if (prepared === null) {
    throw new Error('An operation runs once.');
  }
  // graphql-ws holds them for as long as the operation runs.
  Object.assign(args, { prepared: null, contextValue: null, variableValues: null });
  return { prepared, rest };
}

const OVER: IteratorResult<never> = { done: true, value: undefined };

/** Sends its items by itself, so that graphql-ws sees a subscription without any and sends what comes at its end. */
type Outcome = ExecutionResult | AsyncIterableIterator<never>;

function pushed(items: EncodedItems, place: Place): AsyncIterableIterator<never> {
  const {
    id,
    session: { socket, port },
  } = place;
  const head = utf8Of(`{"id":${JSON.stringify(id)},"type":"next","payload":`);
  let hasEnded = false;
  // (One that its client has completed is over for graphql-ws already.)
  const end = (): IteratorResult<never> | Promise<never> => (leave(place) && !hasEnded ? OVER : never());

  const send = ({ messageEnd }: EncodedResult) => port.push(textFrame(head, messageEnd));
  // A socket that has no room is waited for below, and what comes meanwhile waits in the bounds of the subscription.
  items.handTo((item) => {
    const takes = !hasEnded && port.hasRoom();
    if (takes) {
      void send(item); // (Whoever comes next sees that it is full.)
    }
    return takes;
  });

  async function push(): Promise<void> {
    for (;;) {
      const { done, value } = await items.next();
      if (done || hasEnded) {
        return;
      }
      const full = send(value);
      if (full !== null) {
        await full;
      }
    }
  }

  return {
    next: () =>
      push()
        .finally(() => runsNoMoreOnceRead(items, place))
        .then(end, (error: unknown) => {
          if (!isTooSlow(error)) {
            if (!leave(place)) {
              return never();
            }
            throw error;
          }
          socket.close(...TOO_SLOW);
          return end();
        }),
    async return() {
      hasEnded = true;
      runsNoMoreOnceRead(items, place);
      leave(place);
      await items.return?.();
      return OVER;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** What was completed counts for as long as something is read for it, or there would be no end to what one socket has read at once. */
function runsNoMoreOnceRead(items: EncodedItems, place: Place): void {
  const reading = items.reading();
  if (reading === null) {
    runsNoMore(place);
  } else {
    void reading.then(() => runsNoMore(place));
  }
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
