import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { answerTo } from './answers.js';
import { gridNetwork } from './grid.js';
import { networkOfMap } from './network.js';

// A road router as a process of its own, with OSRM's HTTP API and OSRM's habits, which tests can make fail:
// `serve.ts <map.osm.gz | grid>`. It prints where it listens. POST /behave with {"how": …, "delayMs": …} decides what it does.

/** What the router does with the next requests. */
type Behaviour = 'answer' | 'hang' | 'reset' | 'fail' | 'garble' | 'noSegment' | 'noRoute';

/** As osrm-routed: so many requests on one connection, then it is closed. */
const REQUESTS_A_CONNECTION = 512;
const IDLE_MS = 5_000;

const [, , map = 'grid'] = process.argv;
const network = map === 'grid' ? gridNetwork() : networkOfMap(map);
const served = new WeakMap<Socket, number>();
let behaviour: Behaviour = 'answer';
let delayMs = 0;
let requests = 0;
let connections = 0;

const server = createServer((req, res) => {
  if (req.url === '/behave') {
    void behave(req, res);
    return;
  }
  requests += 1;
  setTimeout(() => serve(req, res), delayMs);
});
server.keepAliveTimeout = IDLE_MS;
server.on('connection', () => {
  connections += 1;
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);

async function behave(req: IncomingMessage, res: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) {
    chunks.push(chunk as Buffer);
  }
  const told = JSON.parse(Buffer.concat(chunks).toString() || '{}') as { how?: Behaviour; delayMs?: number };
  behaviour = told.how ?? behaviour;
  delayMs = told.delayMs ?? delayMs;
  send(res, { status: 200, body: { requests, connections } });
}

function serve(req: IncomingMessage, res: ServerResponse): void {
  switch (behaviour) {
    case 'hang':
      return;
    case 'reset':
      req.socket.resetAndDestroy();
      return;
    case 'fail':
      send(res, { status: 500, body: { code: 'InternalError' } });
      return;
    case 'garble':
      res.writeHead(200, { 'Content-Type': 'application/json' }).end('{"code":"Ok","durations":[[');
      return;
    case 'noSegment':
      send(res, {
        status: 400,
        body: { code: 'NoSegment', message: 'Could not find a matching segment for coordinate 0' },
      });
      return;
    case 'noRoute':
      send(res, { status: 400, body: { code: 'NoRoute', message: 'Impossible route between points' } });
      return;
    case 'answer':
      send(res, answerTo(network, new URL(`http://router.invalid${req.url}`)));
      endUsed(req.socket, res);
  }
}

function send(res: ServerResponse, { status, body }: { status: number; body: object }): void {
  const text = JSON.stringify(body);
  res.writeHead(status, {
    'Content-Type': 'application/json; charset=UTF-8',
    'Content-Length': Buffer.byteLength(text),
  });
  res.end(text);
}

/** Without a word in the answer, as the real one does. */
function endUsed(socket: Socket, res: ServerResponse): void {
  const count = (served.get(socket) ?? 0) + 1;
  served.set(socket, count);
  if (count >= REQUESTS_A_CONNECTION) {
    res.once('finish', () => socket.destroy());
  }
}
