import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { guardedLookup, hostOf, isAllowed, RefusedAddressError } from './address.js';

/** One message and where it goes. */
export interface Posting {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether this machine itself is allowed: in development. */
  readonly loopback: boolean;
  /** Gives the attempt up. */
  readonly signal: AbortSignal;
}

/** What a receiver answered. */
export interface Posted {
  readonly status: number;
  /** What it asked us to wait, in seconds. */
  readonly retryAfterSeconds: number | null;
}

/** From the connection to the end of the answer. */
export const POST_LIMIT_MS = 15_000;
/** Nobody looks at an answer's body; so much of it is read that the receiver can end in peace. */
const ANSWER_BYTES_MAX = 64 * 1024;

/**
 * Posts a message; follows no redirect, reads little of the answer.
 * @throws Error where the receiver was not reached, was refused, or did not answer in time
 */
export function post({ url, headers, body, loopback, signal }: Posting): Promise<Posted> {
  const target = new URL(url);
  const host = hostOf(target);
  if (isIP(host) !== 0 && !isAllowed(host, loopback)) {
    return Promise.reject(new RefusedAddressError()); // no name is looked up for it
  }
  const request = target.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const sent = request(target, {
      method: 'POST',
      agent: false,
      lookup: guardedLookup(loopback),
      signal,
      headers: {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'Touchstone-Webhook',
      },
    });
    // A timer of our own: a timeout that only AbortSignal.any holds may be collected before it fires (Node 20).
    const limit = setTimeout(() => {
      reject(Object.assign(new Error('The receiver did not answer in time.'), { name: 'TimeoutError' }));
      sent.destroy();
    }, POST_LIMIT_MS);
    sent.once('close', () => clearTimeout(limit));
    sent.once('error', reject);
    sent.once('response', (response) => {
      const answer = {
        status: response.statusCode ?? 0,
        retryAfterSeconds: secondsOf(response.headers['retry-after']),
      };
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) {
          sent.destroy();
          resolve(answer);
        }
      });
      response.once('end', () => resolve(answer));
      response.once('error', reject);
    });
    sent.end(body);
  });
}

function secondsOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,6}$/.test(header) ? Number(header) : null;
}
