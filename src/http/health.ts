import { createHash, timingSafeEqual } from 'node:crypto';
import type { Exchange } from './exchange.js';
import { HttpProblem } from './problem.js';
import type { Route } from './router.js';

/** What probes and collectors ask. Metrics name tenants and their skills, so that they can be kept for those with a token. */
export const healthRoutes: readonly Route[] = [
  { method: 'GET', path: '/healthz', handle: alive },
  { method: 'GET', path: '/readyz', handle: ready },
  { method: 'GET', path: '/metrics', handle: metrics },
];

async function alive({ res }: Exchange): Promise<void> {
  sendPlain(res, 'ok\n');
}

async function ready({ res, parts }: Exchange): Promise<void> {
  try {
    await parts.checkReady();
  } catch (error) {
    const message = error instanceof HttpProblem ? error.message : 'A part that it needs cannot be reached.';
    throw new HttpProblem(503, 'NOT_READY', { message, headers: { 'Retry-After': '2' } });
  }
  sendPlain(res, 'ready\n');
}

async function metrics({ req, res, app, parts }: Exchange): Promise<void> {
  if (!mayCollect(req.headers.authorization, parts.metricsToken)) {
    throw new HttpProblem(401, 'UNAUTHENTICATED', {
      message: 'Send the token of collectors: Authorization: Bearer …',
      headers: { 'WWW-Authenticate': 'Bearer' },
    });
  }
  const { registry } = app.telemetry;
  const text = await registry.metrics();
  res.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
  res.end(text);
}

/** Whether a collector shows the token. Digests have one length, so that the comparison tells nothing of it. */
export function mayCollect(authorization: string | undefined, token: string | undefined): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return token === undefined || timingSafeEqual(digest(authorization ?? ''), digest(`Bearer ${token}`));
}

function sendPlain(res: Exchange['res'], text: string): void {
  res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
  res.end(text);
}
