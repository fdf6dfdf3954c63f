import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { jitter } from '../services/platform/retry.js';

// The response of server-sent events: how it begins, how it is written to, and how it ends.

/** A client whose response we end has so long to take what was written to it last. */
const GOODBYE_MS = 1_000;
/** When to come back after the response has ended: spread, for a server that stops ends all of them at once. */
const RETRY_MS = 2_000;

/** How a response is written to. */
export interface Writing {
  /** Aborts when the response is over. */
  readonly gone: AbortSignal;
  /** A client that takes nothing for so long is cut off. */
  readonly stuckMs: number;
}

/**
 * Ends a response without completion; a client that does not take the rest of it is cut off. Also where nothing was written yet it ends as an
 * event stream does: anything else is final to an EventSource, which then never comes back.
 */
export function endSoon(res: ServerResponse, ms = GOODBYE_MS): void {
  if (res.destroyed) {
    return;
  }
  if (!res.headersSent) {
    res.write(begun(res));
  }
  res.end();
  const late = setTimeout(() => res.destroy(), ms);
  res.once('close', () => clearTimeout(late));
}

/** Begins a response. @returns what it is to begin with */
export function begun(res: ServerResponse): string {
  res.writeHead(200, {
    'Content-Type': 'text/event-stream; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Accel-Buffering': 'no',
    'X-Content-Type-Options': 'nosniff',
  });
  return `retry: ${Math.round(jitter(RETRY_MS))}\n\n`;
}

/** Resolves when there is room for more; a client that takes nothing for a while is cut off. */
export async function write(res: ServerResponse, text: string, { gone, stuckMs }: Writing): Promise<void> {
  if (gone.aborted || res.write(text)) {
    return;
  }
  const stuck = setTimeout(() => res.destroy(), stuckMs);
  // (Rejected where the response is over: there is nothing more to wait for.)
  await once(res, 'drain', { signal: gone }).catch(() => undefined);
  clearTimeout(stuck);
}
