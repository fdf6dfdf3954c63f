import { type IncomingMessage, request as requestHttp } from 'node:http';
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

/** From the connection to the status of the answer, and what is read of the answer then. */
export const POST_LIMIT_MS = 15_000;
/** Nobody looks at an answer's body: its status has said what became of the message. So much is read that the receiver can end in peace. */
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
      sent.destroy(
        Object.assign(new Error('The receiver did not answer in time.'), { name: 'TimeoutError' }),
      );
    }, POST_LIMIT_MS);
    let answer: Posted | null = null;
    // Once there is a status, it does not matter how the rest of the answer ends, or that it does not.
    const settle = (error: Error) => (answer === null ? reject(error) : resolve(answer));
    sent.on('error', settle);
    sent.once('close', () => {
      clearTimeout(limit);
      settle(new Error('The receiver closed the connection.'));
    });
    // (Without a listener the connection hangs until its time is over.)
    sent.once('upgrade', (response, socket) => {
      answer = answerOf(response);
      socket.destroy();
    });
    sent.once('response', (response) => {
      answer = answerOf(response);
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > ANSWER_BYTES_MAX) {
          sent.destroy();
        }
      });
      response.on('error', settle);
    });
    sent.end(body);
  });
}

function answerOf({ statusCode = 0, headers }: IncomingMessage): Posted {
  return { status: statusCode, retryAfterSeconds: secondsOf(headers['retry-after'], headers.date) };
}

/** Seconds, or the instant until which to wait, as HTTP has both; the latter counted from the instant that the receiver says it is. */
function secondsOf(header: string | undefined, date: string | undefined): number | null {
  if (header === undefined || /^\d{1,6}$/.test(header)) {
    return header === undefined ? null : Number(header);
  }
  const seconds = (Date.parse(header) - Date.parse(date ?? '')) / 1_000;
  return Number.isNaN(seconds) ? null : Math.max(0, seconds);
}
