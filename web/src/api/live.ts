import type { TypedDocumentNode } from '@graphql-typed-document-node/core';
import { stringifyDocument } from '@urql/core';
import { type Client, createClient } from 'graphql-ws';
import { sleep } from '../../../src/client/abort.js';
import { waitBeforeRetry } from '../../../src/client/backoff.js';
import { session } from './session.js';

/** Whether what is shown is as it is just now. */
export type Liveness =
  | { readonly kind: 'CONNECTING' }
  | { readonly kind: 'LIVE' }
  /** Not connected: what is shown is of `since` (milliseconds since 1970, this machine's clock). */
  | { readonly kind: 'AWAY'; readonly since: number };

export interface LiveOptions<Data, Variables, Item> {
  readonly document: TypedDocumentNode<Data, Variables>;
  readonly variables: Variables;
  readonly itemOf: (data: Data) => Item;
  readonly onItem: (item: Item) => void;
  readonly onLiveness: (liveness: Liveness) => void;
  /** The server will not tell this, however often it is asked. */
  readonly onRefused: (message: string) => void;
  readonly signal: AbortSignal;
}

const CLOSED_FOR_TOKEN = 4403;
const RETRY = { baseMs: 500, capMs: 15_000 };

/**
 * Listens until the signal is aborted: comes back after a lost connection, a laptop's sleep or a new token. Each time the
 * server first tells what is so now, which says that it is live again also where nothing has happened (from a cursor it would
 * say nothing until something does). So it is for what is shown as it is now, not for who needs each change.
 */
export async function listen<Data, Variables, Item>(
  options: LiveOptions<Data, Variables, Item>,
): Promise<void> {
  let failures = 0;
  options.onLiveness({ kind: 'CONNECTING' });
  while (!options.signal.aborted) {
    const refusal = await once(options, (item) => {
      failures = 0;
      options.onLiveness({ kind: 'LIVE' });
      options.onItem(item);
    });
    options.onLiveness({ kind: 'AWAY', since: socket.heardAt });
    if (refusal !== null) {
      options.onRefused(refusal);
      return;
    }
    failures += 1;
    await pause(waitBeforeRetry(RETRY, failures), options.signal);
  }
}

/** A wait that ends early where the network comes back. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const end = () => over.abort();
  addEventListener('online', end, { signal: over.signal });
  signal.addEventListener('abort', end, { signal: over.signal });
  await sleep(ms, over.signal).catch(() => undefined);
  end();
}

/** One subscription to its end; a message where it was refused for good, null where it may be taken up again. */
function once<Data, Variables, Item>(
  { document, variables, itemOf, signal }: LiveOptions<Data, Variables, Item>,
  onItem: (item: Item) => void,
): Promise<string | null> {
  return new Promise<string | null>((resolve) => {
    const ended = new AbortController();
    const end = (refusal: string | null) => {
      ended.abort();
      resolve(refusal);
    };
    const stop = sockets().subscribe<Data>(
      { query: stringifyDocument(document), variables: variables as Record<string, unknown> },
      {
        next: ({ data, errors }) => {
          if (errors?.length) {
            end(refusalOf(errors));
            stop();
          } else if (data) {
            onItem(itemOf(data));
          }
        },
        error: (error) => end(Array.isArray(error) ? refusalOf(error) : null),
        complete: () => end(null),
      },
    );
    signal.addEventListener('abort', stop, { once: true, signal: ended.signal });
  });
}

/** What will be answered alike however often it is asked. Everything else (a node that stops, a limit, a bug) may pass. */
const FINAL_CODES: ReadonlySet<unknown> = new Set([
  'FORBIDDEN',
  'NOT_FOUND',
  'BAD_USER_INPUT',
  'GRAPHQL_PARSE_FAILED',
  'GRAPHQL_VALIDATION_FAILED',
]);

function refusalOf(
  errors: readonly { message: string; extensions?: { code?: unknown } | undefined }[],
): string | null {
  return FINAL_CODES.has(errors[0]?.extensions?.code) ? (errors[0]?.message ?? 'The server refused.') : null;
}

const PING_EVERY_MS = 12_000;
/** A socket that answers no ping for so long is none, whatever the browser says of it (sleep, another network). */
const PONG_WITHIN_MS = 8_000;
/** After so long without a word, as after a sleep, one does not wait for a ping to find that out. */
const SILENT_MS = 60_000;

/** What the one socket of this page was last heard to say, on this machine's clock. */
const socket = { heardAt: Date.now() };

let client: Client | undefined;
let refused: string | null = null;

function sockets(): Client {
  client ??= opened();
  return client;
}

function opened(): Client {
  let deadline: ReturnType<typeof setTimeout> | undefined;
  const heard = () => {
    clearTimeout(deadline);
    socket.heardAt = Date.now();
  };
  const made = createClient({
    url: '/graphql',
    connectionParams: async () => {
      const token = await session.token({ refused });
      refused = null;
      return { authorization: `Bearer ${token}` };
    },
    // `listen` comes back by itself.
    retryAttempts: 0,
    keepAlive: PING_EVERY_MS,
    on: {
      message: heard,
      ping: (isReceived) => {
        if (!isReceived) {
          clearTimeout(deadline);
          deadline = setTimeout(() => made.terminate(), PONG_WITHIN_MS);
        }
      },
      closed: (event) => {
        clearTimeout(deadline);
        const state = session.state();
        const { code } = event as CloseEvent;
        refused = code === CLOSED_FOR_TOKEN && state.kind === 'SIGNED_IN' ? state.token : null;
      },
    },
  });
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden && Date.now() - socket.heardAt > SILENT_MS) {
      made.terminate();
    }
  });
  return made;
}
