import { Agent, request } from 'node:http';
import { WebSocket } from 'ws';
import { randomOf } from '../../src/services/platform/random.js';

/** A worker of the crowd. */
export interface Reporter {
  readonly token: string;
  /** Opaque. */
  readonly expertId: string;
}

/** What a crowd has sent. */
export interface Sent {
  fixes: number;
  /** Posts that were not answered 200, and sockets that were refused or closed. */
  failures: number;
}

const POST_FIXES = 5;
const POST_EVERY_MS = 20_000;
const TICK_MS = 10;
const OPENED_AT_ONCE = 50;

const random = randomOf(5, 'city');
/** Somewhere in a city thirty kilometres wide. */
const place = (deviceMs: number) => ({
  lat: 52.38 + random() * 0.27,
  lng: 13.18 + random() * 0.44,
  deviceMs,
  accuracyMetres: 8,
});

/** Opens a socket for each of these workers, some at a time. */
export async function openSockets(url: string, reporters: readonly Reporter[]): Promise<WebSocket[]> {
  const sockets: WebSocket[] = [];
  for (let at = 0; at < reporters.length; at += OPENED_AT_ONCE) {
    const some = reporters.slice(at, at + OPENED_AT_ONCE).map(({ token }) => openSocket(url, token));
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

function openSocket(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/fixes`, {
    headers: { Authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('message', () => resolve(socket)); // "ready"
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`A socket was closed with ${code}.`)));
  });
}

/** Each socket reports once a second, spread over it, until the time is over. */
export function reportBySocket(sockets: readonly WebSocket[], forMs: number): Promise<Sent> {
  const sent: Sent = { fixes: 0, failures: 0 };
  for (const socket of sockets) {
    socket.on('message', () => {
      sent.failures += 1;
    });
  }
  return paced({ perSecond: sockets.length, forMs }, (n) => {
    sockets[n % sockets.length]?.send(JSON.stringify(place(Date.now())));
    sent.fixes += 1;
  }).then(() => sent);
}

/** Each worker posts five fixes every twenty seconds, spread over them, until the time is over and all are answered. */
export async function reportByPost(
  url: string,
  reporters: readonly Reporter[],
  forMs: number,
): Promise<Sent> {
  const sent: Sent = { fixes: 0, failures: 0 };
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const answers: Promise<void>[] = [];
  const perSecond = (reporters.length * 1_000) / POST_EVERY_MS;
  await paced({ perSecond, forMs }, (n) => {
    const reporter = reporters[n % reporters.length];
    if (reporter !== undefined) {
      sent.fixes += POST_FIXES;
      answers.push(
        post(url, reporter, agent).then((status) => {
          sent.failures += status === 200 ? 0 : 1;
        }),
      );
    }
  });
  await Promise.all(answers);
  agent.destroy();
  return sent;
}

function post(url: string, { token, expertId }: Reporter, agent: Agent): Promise<number> {
  const now = Date.now();
  const fixes = Array.from({ length: POST_FIXES }, (_, n) => place(now - (POST_FIXES - 1 - n) * 4_000));
  const body = JSON.stringify({ fixes });
  return new Promise((resolve) => {
    const sending = request(`${url}/v1/workers/${expertId}/locations`, {
      method: 'POST',
      agent,
      headers: {
        Authorization: `Bearer ${token}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(body),
      },
    });
    sending.on('response', (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sending.on('error', () => resolve(0));
    sending.end(body);
  });
}

/** Calls `send` with 0, 1, 2 … as many a second, by the clock: what a turn of the loop came late for is made up at once. */
function paced(
  { perSecond, forMs }: { perSecond: number; forMs: number },
  send: (n: number) => void,
): Promise<void> {
  const began = performance.now();
  let n = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const passedMs = Math.min(forMs, performance.now() - began);
      const due = (passedMs / 1_000) * perSecond;
      for (; n < due; n++) {
        send(n);
      }
      if (passedMs >= forMs) {
        clearInterval(timer);
        resolve();
      }
    }, TICK_MS);
  });
}
