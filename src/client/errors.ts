/** What kept a call from being answered by the API's own words. */
export type ClientErrorKind =
  /** No connection, or it broke: whether the server did the work is unknown. */
  | 'NETWORK'
  /** No complete answer within the time allowed. */
  | 'TIMEOUT'
  /** The server, or something before it, says that it cannot answer just now. */
  | 'UNAVAILABLE'
  /** The token was refused, and so was a fresh one. */
  | 'UNAUTHENTICATED'
  /** The server will not do this, however often it is asked. */
  | 'REJECTED'
  /** The address answers with a redirect; a call with a body and a token is not sent elsewhere. */
  | 'REDIRECTED'
  /** What answered does not speak this API. */
  | 'MALFORMED';

export interface ClientErrorDetails extends ErrorOptions {
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** `extensions.code` of the first GraphQL error, where there was one. */
  readonly code?: string | null;
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfterMs?: number | null;
}

/** A call that the API did not answer. Refusals of the API are answers: see `__typename` of a result. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly status: number | null;
  readonly code: string | null;
  readonly retryAfterMs: number | null;

  constructor(
    readonly kind: ClientErrorKind,
    message: string,
    details: ClientErrorDetails = {},
  ) {
    super(message, details);
    this.status = details.status ?? null;
    this.code = details.code ?? null;
    this.retryAfterMs = details.retryAfterMs ?? null;
  }

  /** Whether the very same call may succeed later. Every operation of this client can be sent again without harm. */
  get retryable(): boolean {
    return this.kind === 'NETWORK' || this.kind === 'TIMEOUT' || this.kind === 'UNAVAILABLE';
  }
}
