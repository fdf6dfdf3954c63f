import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { App } from '../context.js';
import { inRequestSpan } from '../services/platform/tracing.js';
import type { Exchange, HttpParts } from './exchange.js';
import { graphiqlRoutes } from './graphiql/page.js';
import { handleGraphQL } from './graphql-route.js';
import { healthRoutes } from './health.js';
import { HttpProblem, notFound, sendProblem } from './problem.js';
import { problemOf } from './refusals.js';
import { matchRoute, type Route } from './router.js';
import { reportUnexpected } from './unexpected.js';
import { v1Routes } from './v1/routes.js';
import { answerWithWeb } from './web-pages.js';

const routes: readonly Route[] = [
  { method: 'GET', path: '/graphql', handle: handleGraphQL },
  { method: 'POST', path: '/graphql', handle: handleGraphQL },
  ...graphiqlRoutes,
  ...healthRoutes,
  ...v1Routes,
];

/** A request line and headers arrive within this time. Bodies have limits of their own, for uploads may take long. */
const HEADERS_MS = 10_000;
/** How often that is looked at; Node's own half a minute would make it thirty seconds more. */
const HEADERS_CHECK_MS = 2_000;
/** What is still arriving for a request that was answered already is read away for so long. */
const LINGER_MS = 2_000;

/** Makes the HTTP server: everything but WebSockets, which src/live takes from its `upgrade` event. */
export function createHttpServer(app: App, parts: HttpParts): Server {
  const server = createServer({ connectionsCheckingInterval: HEADERS_CHECK_MS }, (req, res) => {
    void answer(app, parts, { req, res });
  });
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = 0;
  server.keepAliveTimeout = 65_000;
  server.maxRequestsPerSocket = 0;
  return server;
}

async function answer(
  app: App,
  parts: HttpParts,
  io: { req: IncomingMessage; res: ServerResponse },
): Promise<void> {
  const { req, res } = io;
  const requestId = randomUUID();
  res.setHeader('X-Request-Id', requestId);
  const label = { route: 'none', method: req.method ?? '', status: '' };
  const end = app.telemetry.httpSeconds.startTimer();
  res.once('close', () => {
    end({ ...label, status: String(res.statusCode) });
    if (req.method === 'POST') {
      parts.poke();
    }
    letGo(req);
  });
  await inRequestSpan({ method: label.method, headers: req.headers }, async (span) => {
    try {
      const url = urlOf(req);
      const match = matchRoute(routes, req.method === 'HEAD' ? 'GET' : (req.method ?? ''), url.pathname);
      if (match === null && answerWithWeb({ req, res, url }, parts.web)) {
        label.route = 'web';
        return;
      }
      if (match === null) {
        throw notFound();
      }
      label.route = match.route.path;
      span?.updateName(`${label.method} ${label.route}`).setAttribute('http.route', label.route);
      await match.route.handle({ req, res, url, app, parts, requestId }, match.id);
    } catch (error) {
      fail({ req, res, app, requestId }, error);
    }
    span?.setAttribute('http.response.status_code', res.statusCode);
  });
}

function fail(
  { req, res, app, requestId }: Pick<Exchange, 'req' | 'res' | 'app' | 'requestId'>,
  error: unknown,
): void {
  if (res.destroyed && !res.writableFinished) {
    return; // the client has left: there is nobody to tell, and nothing went wrong here
  }
  const known = problemOf(error, app.ids);
  if (known !== null) {
    sendProblem(res, known);
    return;
  }
  const { code, message, errorId } = reportUnexpected(app, error, {
    requestId,
    // A payload's URL is a secret while its lease lives.
    path: req.url?.split('?', 1)[0]?.replace(/^(\/v1\/payloads\/).*/, '$1…') ?? '',
  });
  const status = code === 'INTERNAL_SERVER_ERROR' ? 500 : 503;
  const headers: Record<string, string> = status === 503 ? { 'Retry-After': '2' } : {};
  sendProblem(res, new HttpProblem(status, code, { message, headers, extra: { errorId } }));
}

/** A target that is no path of ours (absolute form, `*`, bad escapes) is answered like any unknown one. */
function urlOf(req: IncomingMessage): URL {
  try {
    return new URL(`http://touchstone.invalid${req.url?.startsWith('/') ? req.url : '/'}`);
  } catch {
    throw notFound();
  }
}

/** Reads away what is still arriving, so that the client sees its answer and not a reset; but not for long. */
function letGo(req: IncomingMessage): void {
  if (req.complete || req.destroyed) {
    return;
  }
  const timer = setTimeout(() => req.destroy(), LINGER_MS);
  timer.unref();
  req.once('close', () => clearTimeout(timer));
  req.resume();
}
