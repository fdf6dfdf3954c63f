// The crowd of `npm run bench -- fanout`, in a process of its own: sockets that subscribe, count and come back.
import { randomUUID } from 'node:crypto';
import { WebSocket } from 'ws';
import {
  type NumberedOrder,
  type NumberedReport,
  type Order,
  QUERY,
  type Report,
  type SocketPlan,
  seenIn,
} from './wire.js';

interface Subscription {
  readonly topic: string;
  readonly id: string;
  cursor: string | null;
  seq: number;
}

interface Client {
  readonly plan: SocketPlan;
  readonly subscriptions: readonly Subscription[];
  socket: WebSocket | null;
}

const CONNECTING_MAX = 200;
const RETRY_MS = 400;
const LATENCY_MS_MAX = 20_000;

let url = '';
let clients: Client[] = [];
let leaving = false;
let delivered = 0;
let wrong = 0;
let markedMs = performance.now();
const latencies = new Uint32Array(LATENCY_MS_MAX + 1);
let closed: number[] = [];
/** Subscriptions that have not been told anything since they (re)connected, and what to do when there is none. */
const silent = new Set<Subscription>();
let onAllHeard: () => void = () => undefined;

function open(client: Client, opened: () => void = () => undefined): void {
  const socket = new WebSocket(url.replace('http', 'ws'), 'graphql-transport-ws', {
    perMessageDeflate: false,
  });
  client.socket = socket;
  const byId = new Map(client.subscriptions.map((subscription) => [subscription.id, subscription]));
  socket.on('error', () => undefined);
  socket.once('open', () => {
    opened();
    socket.send(
      JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${client.plan.token}` } }),
    );
  });
  socket.on('message', (data) => hear(client, { socket, byId, text: String(data) }));
  socket.once('close', (code) => {
    opened();
    if (!leaving && client.socket === socket) {
      closed.push(code);
      setTimeout(() => open(client), RETRY_MS * (0.5 + Math.random()));
    }
  });
}

interface Heard {
  readonly socket: WebSocket;
  readonly byId: ReadonlyMap<string, Subscription>;
  readonly text: string;
}

function hear({ subscriptions }: Client, { socket, byId, text }: Heard): void {
  if (text.startsWith('{"type":"connection_ack"')) {
    for (const { id, topic, cursor } of subscriptions) {
      const payload = { query: QUERY, variables: { id: topic, after: cursor } };
      socket.send(JSON.stringify({ id, type: 'subscribe', payload }));
    }
    return;
  }
  const subscription = byId.get(text.slice(7, text.indexOf('"', 7)));
  const seen = seenIn(text);
  if (subscription === undefined || seen === null) {
    wrong += 1;
    process.stderr.write(`${text.slice(0, 300)}\n`);
    return;
  }
  if (seen.atMs !== null) {
    delivered += 1;
    wrong += subscription.seq >= 0 && seen.seq !== subscription.seq + 1 ? 1 : 0;
    const latency = Math.max(0, Math.min(LATENCY_MS_MAX, Date.now() - seen.atMs));
    latencies[latency] = (latencies[latency] ?? 0) + 1;
  } else if (subscription.seq >= 0) {
    wrong += 1; // It was to go on, and was told to begin.
  }
  subscription.seq = seen.seq;
  subscription.cursor = seen.cursor;
  if (silent.delete(subscription) && silent.size === 0) {
    onAllHeard();
  }
}

/** Resolves when every subscription has been told something. */
function allHeard(): Promise<void> {
  return new Promise((resolve) => {
    onAllHeard = resolve;
    silent.clear();
    for (const { subscriptions } of clients) {
      for (const subscription of subscriptions) {
        silent.add(subscription);
      }
    }
  });
}

/** Opens sockets, so many at a time. */
function openAll(atOnce: number): void {
  const left = [...clients];
  const next = () => {
    const client = left.shift();
    if (client !== undefined) {
      let done = false;
      open(client, () => {
        if (!done) {
          done = true;
          next();
        }
      });
    }
  };
  for (let n = 0; n < atOnce; n++) {
    next();
  }
}

function clear(): void {
  delivered = 0;
  wrong = 0;
  closed = [];
  latencies.fill(0);
  markedMs = performance.now();
}

function report(): Report {
  const last = clients.flatMap(({ subscriptions }) => subscriptions.map(({ seq }) => seq));
  const total = latencies.reduce((sum, count) => sum + count, 0);
  let [ms, seen] = [0, 0];
  while (ms < LATENCY_MS_MAX && seen + (latencies[ms] ?? 0) < total * 0.99) {
    seen += latencies[ms] ?? 0;
    ms += 1;
  }
  return {
    delivered,
    wrong,
    closed,
    p99Ms: ms,
    lastMin: last.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY),
    lastMax: last.reduce((a, b) => Math.max(a, b), -1),
    seconds: (performance.now() - markedMs) / 1000,
  };
}

async function obey(order: Order): Promise<Report> {
  switch (order.kind) {
    case 'connect': {
      url = order.url;
      leaving = false;
      clients = order.sockets.map((plan) => ({
        plan,
        socket: null,
        subscriptions: plan.topics.map(({ id }) => ({
          topic: id,
          id: order.sharedIds ? id : randomUUID(),
          cursor: null,
          seq: -1,
        })),
      }));
      clear();
      const heard = allHeard();
      openAll(CONNECTING_MAX);
      await heard;
      break;
    }
    case 'storm': {
      clear();
      const heard = allHeard();
      const sockets = clients.map(({ socket }) => socket);
      for (const client of clients) {
        client.socket = null;
      }
      for (const socket of sockets) {
        socket?.terminate();
      }
      openAll(clients.length);
      await heard;
      break;
    }
    case 'pause':
      clients[0]?.socket?.pause();
      break;
    case 'resume':
      clients[0]?.socket?.resume();
      break;
    case 'leave':
      leaving = true;
      for (const { socket } of clients) {
        socket?.terminate();
      }
      break;
    case 'mark':
      clear();
      break;
    case 'report':
  }
  return report();
}

process.on('message', ({ number, order }: NumberedOrder) => {
  void obey(order).then((told) => process.send?.({ number, report: told } satisfies NumberedReport));
});
process.on('disconnect', () => process.exit());
