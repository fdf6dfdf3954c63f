import type { Exchange } from './exchange.js';
import { HttpProblem } from './problem.js';
import type { Route } from './router.js';

/** What probes and collectors ask; nothing here needs a token, and nothing here tells of any tenant. */
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

async function metrics({ res, app }: Exchange): Promise<void> {
  const { registry } = app.telemetry;
  const text = await registry.metrics();
  res.writeHead(200, { 'Content-Type': registry.contentType, 'Cache-Control': 'no-store' });
  res.end(text);
}

function sendPlain(res: Exchange['res'], text: string): void {
  res.writeHead(200, { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' });
  res.end(text);
}
