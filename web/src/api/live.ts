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

/** What every item of a live field has. */
interface LiveItem {
  readonly cursor: string;
  readonly reset: boolean;
}

export interface LiveOptions<Data, Variables, Item extends LiveItem> {
  readonly document: TypedDocumentNode<Data, Variables>;
  /** Without `after`, which is kept here. */
  readonly variables: Omit<Variables, 'after'>;
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
 * Listens until the signal is aborted: comes back after a lost connection, a laptop's sleep or a new token, from the last
 * cursor, so that nothing is missed. A `reset` item says that what is known is to be forgotten.
 */
export async function listen<Data, Variables, Item extends LiveItem>(
  options: LiveOptions<Data, Variables, Item>,
): Promise<void> {
  let after: string | undefined;
  let failures = 0;
  options.onLiveness({ kind: 'CONNECTING' });
  while (!options.signal.aborted) {
    const refusal = await once(options, after, (item) => {
      after = item.cursor;
      failures = 0;
      options.onLiveness({ kind: 'LIVE' });
      options.onItem(item);
    });
    if (refusal !== null) {
      options.onRefused(refusal);
      return;
    }
    options.onLiveness({ kind: 'AWAY', since: Date.now() });
    failures += 1;
    await sleep(waitBeforeRetry(RETRY, failures), options.signal).catch(() => undefined);
  }
}

/** One subscription to its end; a message where it was refused for good, null where it may be taken up again. */
function once<Data, Variables, Item extends LiveItem>(
  { document, variables, itemOf, signal }: LiveOptions<Data, Variables, Item>,
  after: string | undefined,
  onItem: (item: Item) => void,
): Promise<string | null> {
  return new Promise((resolve) => {
    const stop = sockets().subscribe<Data>(
      { query: stringifyDocument(document), variables: { ...variables, after } },
      {
        next: ({ data, errors }) => {
          if (errors?.length) {
            resolve(errors[0]?.message ?? 'The server refused.');
          } else if (data) {
            onItem(itemOf(data));
          }
        },
        error: (error) => resolve(Array.isArray(error) ? refusalOf(error) : null),
        complete: () => resolve(null),
      },
    );
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Being too slow is answered like a refusal, and is none. */
function refusalOf(errors: readonly { message: string; extensions?: { code?: unknown } }[]): string | null {
  const code = errors[0]?.extensions?.code;
  const mayPass = code === 'SLOW_CONSUMER' || code === 'OVERLOADED' || code === 'INTERNAL_SERVER_ERROR';
  return mayPass ? null : (errors[0]?.message ?? 'The server refused.');
}

let client: Client | undefined;
let refused: string | null = null;

function sockets(): Client {
  client ??= createClient({
    url: '/graphql',
    connectionParams: async () => {
      const token = await session.token({ refused });
      refused = null;
      return { authorization: `Bearer ${token}` };
    },
    // `listen` comes back by itself, from its cursor.
    retryAttempts: 0,
    keepAlive: 12_000,
    on: {
      closed: (event) => {
        const state = session.state();
        const { code } = event as CloseEvent;
        refused = code === CLOSED_FOR_TOKEN && state.kind === 'SIGNED_IN' ? state.token : null;
      },
    },
  });
  return client;
}
