import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { answerWithWeb } from '../../../src/http/web-pages.js';
import type { WebBundle, WebState } from '../../../src/runtime/web-bundle.js';

/** Serves the pages of a bundle and nothing else, until the test has finished; returns where. */
export async function serve(web: WebBundle | undefined): Promise<string> {
  const server = createServer((req, res) => {
    if (!answerWithWeb({ req, res, url: new URL(req.url ?? '/', 'http://test.invalid') }, web)) {
      res.writeHead(404).end();
    }
  }).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** {@link serve} of a bundle that stays in a state. */
export const servedAs = (state: WebState): Promise<string> =>
  serve({ state: () => state, prepare: async () => undefined, close: () => undefined });
