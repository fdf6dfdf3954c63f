import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { readJson } from '../http/body.js';
import { HttpProblem, notFound, sendProblem } from '../http/problem.js';
import { problemOf } from '../http/refusals.js';
import { reportUnexpected } from '../http/unexpected.js';
import { type Authenticator, bearerToken } from '../services/access/authenticator.js';
import type { Fixes } from '../services/dispatch/fixes/open-fixes.js';
import type { IdCodec } from '../services/platform/ids.js';
import type { Telemetry } from '../services/platform/telemetry.js';
import { takePost } from './desk.js';

/** What the ingest process answers with. */
export interface FixServerParts {
  readonly fixes: Fixes;
  readonly authenticator: Authenticator;
  readonly ids: IdCodec;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  /** Whether a collector may read metrics, by its Authorization header. */
  readonly mayCollect: (authorization: string | undefined) => boolean;
  /** Throws where fixes cannot be taken just now. */
  readonly checkReady: () => Promise<void>;
}

const POST_PATH = /^\/v1\/workers\/([\w-]{22})\/locations$/;
const HEADERS_MS = 10_000;
const CONNECTIONS_CHECK_MS = 2_000;

/**
 * The HTTP server of the ingest process: posts of fixes, health and metrics, and nothing of the API: each of two thousand posts
 * a second would pay for it.
 */
export function createFixServer(parts: FixServerParts): Server {
  const server = createServer({ connectionsCheckingInterval: CONNECTIONS_CHECK_MS }, (req, res) => {
    answer(parts, req, res).catch((error: unknown) => fail(parts, { req, res }, error));
  });
  server.headersTimeout = HEADERS_MS;
  server.requestTimeout = 0;
  server.keepAliveTimeout = 65_000;
  server.maxRequestsPerSocket = 0;
  return server;
}

async function answer(parts: FixServerParts, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const path = (req.url ?? '').split('?', 1)[0] ?? '';
  const expert = POST_PATH.exec(path)?.[1];
  if (expert !== undefined) {
    await post(parts, { req, res }, expert);
    return;
  }
  switch (path) {
    case '/healthz':
      sendText(res, 'ok\n');
      return;
    case '/readyz':
      await parts.checkReady();
      sendText(res, 'ready\n');
      return;
    case '/metrics':
      await metrics(parts, req, res);
      return;
    default:
      throw notFound();
  }
}

interface Io {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
}

async function post(parts: FixServerParts, { req, res }: Io, opaque: string): Promise<void> {
  if (req.method !== 'POST') {
    throw new HttpProblem(405, 'METHOD_NOT_ALLOWED', {
      message: 'Only POST is answered here.',
      headers: { Allow: 'POST' },
    });
  }
  const { fixes, authenticator, ids } = parts;
  const viewer = await authenticator.authenticate(bearerToken(req.headers.authorization), randomUUID());
  const decoded = ids.decode(opaque);
  if (decoded?.type !== 'Expert') {
    throw notFound('There is no such worker.');
  }
  const text = JSON.stringify(
    await takePost(fixes, viewer, { expertId: decoded.id, body: await readJson(req) }),
  );
  res.writeHead(200, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  });
  res.end(text);
}

async function metrics({ telemetry, mayCollect }: FixServerParts, req: IncomingMessage, res: ServerResponse) {
  if (!mayCollect(req.headers.authorization)) {
    throw new HttpProblem(401, 'UNAUTHENTICATED', {
      message: 'Send the token of collectors: Authorization: Bearer …',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  const { registry } = telemetry;
  const text = await registry.metrics();
  res.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
  res.end(text);
}

function sendText(res: ServerResponse, text: string): void {
  res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
  res.end(text);
}

function fail(parts: FixServerParts, { req, res }: Io, error: unknown): void {
  if (res.destroyed && !res.writableFinished) {
    return; // the client has left
  }
  const known = problemOf(error, parts.ids);
  if (known !== null) {
    sendProblem(res, known);
    return;
  }
  const requestId = randomUUID();
  const { code, message, errorId } = reportUnexpected(parts, error, { requestId, path: req.url ?? '' });
  const status = code === 'INTERNAL_SERVER_ERROR' ? 500 : 503;
  const headers: Record<string, string> = status === 503 ? { 'Retry-After': '2' } : {};
  sendProblem(res, new HttpProblem(status, code, { message, headers, extra: { errorId } }));
}
