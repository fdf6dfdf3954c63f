import type { ServerResponse } from 'node:http';

/** Aborts when the client goes before it has its answer, or after `limitMs`. */
export function clientSignal(res: ServerResponse, limitMs?: number): AbortSignal {
  const gone = new AbortController();
  if (res.destroyed) {
    gone.abort();
    return gone.signal;
  }
  const timer = limitMs === undefined ? undefined : setTimeout(() => gone.abort(tookTooLong()), limitMs);
  res.once('close', () => {
    clearTimeout(timer);
    if (!res.writableFinished) {
      gone.abort(); // an abort is an exception with a stack: not after every answer
    }
  });
  return gone.signal;
}

const tookTooLong = () => new DOMException('This took too long and was given up.', 'TimeoutError');
