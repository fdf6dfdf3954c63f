import { deadlineAfter } from './abort.js';
import { ClientError } from './errors.js';
import { checkedPayload, retryAfterOf } from './response.js';

/** An operation as text that knows the types of its variables and its result (what code generation writes). */
export interface TypedOperation<Result, Variables> {
  __apiType?: ((variables: Variables) => Result) | undefined;
  toString(): string;
}

/** A token, or where to get one: asked before the first call, and again after the server refused the last one. */
export type TokenSource = string | ((request: { refused: string | null }) => string | Promise<string>);

/** The part of `fetch` that this client needs. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  readonly method: 'POST';
  readonly headers: Record<string, string>;
  readonly body: string;
  readonly redirect: 'manual';
  readonly signal: AbortSignal;
}

export interface FetchResponse {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

export interface TransportOptions {
  /** Address of the GraphQL endpoint. */
  readonly url: string;
  readonly token: TokenSource;
  /** Time for one try, from sending to the last byte (default 30,000). */
  readonly timeoutMs?: number | undefined;
  /** Default: the platform's own. */
  readonly fetch?: Fetch | undefined;
}

/** Sends one operation once. Throws {@link ClientError}, or the signal's reason. */
export type Send = <Result, Variables>(
  operation: TypedOperation<Result, Variables>,
  variables: Variables,
  signal?: AbortSignal,
) => Promise<Result>;

/** Calls of one token to one address. A refused token is renewed once a call. */
export function createTransport(options: TransportOptions): Send {
  const tokens = createTokens(options.token);
  return async (operation, variables, signal) => {
    const body = JSON.stringify({ query: operation.toString(), variables });
    const token = await tokens.current();
    try {
      return (await post(options, { body, token, signal })) as never;
    } catch (error) {
      if (!(error instanceof ClientError && error.kind === 'UNAUTHENTICATED' && tokens.renewable)) {
        throw error;
      }
      return (await post(options, { body, token: await tokens.renewed(token), signal })) as never;
    }
  };
}

/** The token in use. Calls that were refused at the same moment share one renewal. */
function createTokens(source: TokenSource) {
  const renewable = typeof source === 'function';
  const ask = async (refused: string | null) => (typeof source === 'function' ? source({ refused }) : source);
  let held: { token: string | null; pending: Promise<string> } | null = null;
  const start = (refused: string | null) => {
    const next = { token: null as string | null, pending: ask(refused) };
    held = next;
    next.pending.then(
      (token) => {
        next.token = token;
      },
      () => {
        held = held === next ? null : held; // a source that failed is asked again by the next call
      },
    );
    return next.pending;
  };
  return {
    renewable,
    current: () => held?.pending ?? start(null),
    renewed: (refused: string) => (held !== null && held.token !== refused ? held.pending : start(refused)),
  };
}

interface Try {
  readonly body: string;
  readonly token: string;
  readonly signal: AbortSignal | undefined;
}

const DEFAULT_TIMEOUT_MS = 30_000;

async function post(options: TransportOptions, { body, token, signal }: Try): Promise<unknown> {
  const send: Fetch = options.fetch ?? fetch;
  signal?.throwIfAborted();
  const deadline = deadlineAfter(options.timeoutMs ?? DEFAULT_TIMEOUT_MS, signal);
  try {
    const response = await send(options.url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/graphql-response+json, application/json',
        authorization: `Bearer ${token}`,
      },
      body,
      // A redirect would turn the POST into a GET, or carry the token to whoever answers there.
      redirect: 'manual',
      signal: deadline.signal,
    });
    return checkedPayload(
      { status: response.status, retryAfterMs: retryAfterOf(response.headers.get('retry-after')) },
      await response.text(),
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof ClientError ? error : unanswered(error, deadline.passed, options.url);
  } finally {
    deadline.release();
  }
}

function unanswered(error: unknown, timedOut: boolean, url: string): ClientError {
  return timedOut
    ? new ClientError('TIMEOUT', `${url} did not answer in time.`, { cause: error })
    : new ClientError('NETWORK', `${url} cannot be reached.`, { cause: error });
}
