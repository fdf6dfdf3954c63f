import type { ServerResponse } from 'node:http';

/** What a problem says, and what goes with it. */
export interface ProblemText {
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** More members of the body. */
  readonly extra?: Readonly<Record<string, unknown>>;
}

/** An answer of the plain HTTP calls that is not what was asked for: RFC 9457, with a code to match. */
export class HttpProblem extends Error {
  readonly headers: Readonly<Record<string, string>>;
  readonly extra: Readonly<Record<string, unknown>>;

  constructor(
    readonly status: number,
    readonly code: string,
    text: string | ProblemText,
  ) {
    const { message, headers = {}, extra = {} } = typeof text === 'string' ? { message: text } : text;
    super(message);
    this.name = 'HttpProblem';
    this.headers = headers;
    this.extra = extra;
  }
}

/** The request is not well-formed. */
export function badRequest(message: string, extra: Readonly<Record<string, unknown>> = {}): HttpProblem {
  return new HttpProblem(400, 'BAD_REQUEST', { message, extra });
}

/** There is nothing here, or nothing for this caller. */
export function notFound(message = 'There is nothing here.'): HttpProblem {
  return new HttpProblem(404, 'NOT_FOUND', message);
}

/** Sends a problem, unless an answer has begun already. */
export function sendProblem(res: ServerResponse, problem: HttpProblem): void {
  if (res.headersSent) {
    res.destroy();
    return;
  }
  const { status, code, message, extra } = problem;
  res.writeHead(status, {
    'Content-Type': 'application/problem+json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    ...problem.headers,
  });
  res.end(JSON.stringify({ type: 'about:blank', title: titleOf(status), status, code, message, ...extra }));
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  409: 'Conflict',
  410: 'Gone',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function titleOf(status: number): string {
  return TITLES[status] ?? 'Error';
}
