import http from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import type { Fetch, FetchInit, FetchResponse } from '../../client/transport.js';

/** The connection of one client, as a browser has it: kept alive, nobody else's, and it can be cut. */
export interface Connection {
  readonly fetch: Fetch;
  /** Cuts it: whatever is under way gets no answer. The next call connects anew. */
  drop(): void;
}

/**
 * Opens nothing until it is used. Not the platform's `fetch`, whose connections are shared by the whole process, so
 * that a client could not vanish with its own.
 */
export function createConnection(): Connection {
  const options = { keepAlive: true, maxSockets: 4, keepAliveMsecs: 10_000 };
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) };
  return {
    fetch(url, init) {
      const target = new URL(url);
      return target.protocol === 'https:'
        ? answered(https.request(target, { ...requestOf(init), agent: agents['https:'] }), init)
        : answered(http.request(target, { ...requestOf(init), agent: agents['http:'] }), init);
    },
    drop() {
      agents['http:'].destroy();
      agents['https:'].destroy();
    },
  };
}

function requestOf({ method, headers, body, signal }: FetchInit) {
  return { method, headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) }, signal };
}

function answered(request: http.ClientRequest, { body }: FetchInit): Promise<FetchResponse> {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      resolve({
        status: response.statusCode ?? 0,
        headers: { get: (name) => headerOf(response, name) },
        text: () => text(response),
      });
    });
    request.end(body);
  });
}

function headerOf({ headers }: http.IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  return value === undefined ? null : String(value);
}
