import { ClientError } from './errors.js';

interface Head {
  readonly status: number;
  readonly retryAfterMs: number | null;
}

interface GraphQLAnswer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message?: unknown;
    readonly extensions?: { readonly code?: unknown };
  }[];
}

/** Codes of top-level errors after which the same call may succeed later. */
const PASSING_CODES = new Set(['INTERNAL_SERVER_ERROR', 'SERVICE_UNAVAILABLE', 'OVERLOADED', 'RATE_LIMITED']);

/** Statuses after which the same call may succeed later: too many calls, too slow, or a server in trouble. */
const isPassing = (status: number) => status === 408 || status === 425 || status === 429 || status >= 500;

/** The `data` of a GraphQL answer over HTTP. Throws {@link ClientError} for everything else. */
export function checkedPayload(head: Head, text: string): unknown {
  // Browsers hide a redirect that was not followed behind status 0.
  if (head.status === 0 || (head.status >= 300 && head.status < 400)) {
    throw new ClientError(
      'REDIRECTED',
      'The address redirects; give the address that it redirects to.',
      head,
    );
  }
  const answer = parsed(text);
  const failure = answer?.errors?.[0];
  if (failure !== undefined) {
    throw errorOf(head, failure);
  }
  if (head.status >= 200 && head.status < 300 && answer !== null && isObject(answer.data)) {
    return answer.data;
  }
  throw unspoken(head);
}

/** `Retry-After` in milliseconds: seconds, or a date. Null where there is none that can be read. */
export function retryAfterOf(header: string | null): number | null {
  if (header === null) {
    return null;
  }
  if (/^\d{1,9}$/.test(header.trim())) {
    return Number(header) * 1000;
  }
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, at - Date.now());
}

function errorOf(head: Head, failure: NonNullable<GraphQLAnswer['errors']>[number]): ClientError {
  const code = typeof failure.extensions?.code === 'string' ? failure.extensions.code : null;
  const message = typeof failure.message === 'string' ? failure.message : 'The server refused the call.';
  if (head.status === 401 || code === 'UNAUTHENTICATED') {
    return new ClientError('UNAUTHENTICATED', message, { ...head, code });
  }
  const passing = code === null ? isPassing(head.status) : PASSING_CODES.has(code) || isPassing(head.status);
  return new ClientError(passing ? 'UNAVAILABLE' : 'REJECTED', message, { ...head, code });
}

function unspoken(head: Head): ClientError {
  if (head.status === 401) {
    return new ClientError('UNAUTHENTICATED', 'The server refuses the token.', head);
  }
  if (isPassing(head.status)) {
    return new ClientError('UNAVAILABLE', `The server answers with status ${head.status}.`, head);
  }
  const answered = head.status >= 200 && head.status < 300;
  return answered
    ? new ClientError('MALFORMED', 'The address does not answer GraphQL.', head)
    : new ClientError('REJECTED', `The server answers with status ${head.status}.`, head);
}

function parsed(text: string): GraphQLAnswer | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? (value as GraphQLAnswer) : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
