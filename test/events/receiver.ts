import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** A message as a receiver got it. */
export interface Received {
  readonly id: string;
  readonly timestamp: number;
  readonly signatures: readonly string[];
  readonly body: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What a receiver makes of a message: a status, or whatever it does with the response. */
export type Reply = (message: Received, res: ServerResponse) => number | undefined;

/** A receiver of webhooks on this machine, which goes with the test. It takes everything unless told otherwise. */
export async function openReceiver(reply: Reply = () => 204) {
  const received: Received[] = [];
  const waiting: (() => void)[] = [];
  let answer = reply;
  const server = createServer(async (req, res) => {
    const message = await read(req);
    received.push(message);
    for (const wake of waiting.splice(0)) {
      wake();
    }
    const status = answer(message, res);
    if (status !== undefined) {
      res.writeHead(status).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`,
    received,
    /** From now on. */
    reply: (next: Reply) => {
      answer = next;
    },
    /** Resolves when so many messages have come. */
    async came(count: number) {
      while (received.length < count) {
        await new Promise<void>((resolve) => waiting.push(resolve));
      }
      return received;
    },
  };
}

async function read(req: IncomingMessage): Promise<Received> {
  let body = '';
  for await (const chunk of req) {
    body += String(chunk);
  }
  const { type, data } = JSON.parse(body);
  return {
    id: String(req.headers['webhook-id']),
    timestamp: Number(req.headers['webhook-timestamp']),
    signatures: String(req.headers['webhook-signature']).split(' '),
    ...{ body, type, data },
  };
}
