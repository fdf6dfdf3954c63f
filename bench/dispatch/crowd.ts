// The crowd of `npm run bench -- dispatch`, in a process of its own: workers who walk about a town and report where they are.
import { setPriority } from 'node:os';
import { Pool } from 'undici';
import { WebSocket } from 'ws';
import { loadDevelopmentKey, mintDevelopmentToken } from '../../src/services/access/development-key.js';
import { createIdCodec } from '../../src/services/platform/ids.js';
import { randomOf } from '../../src/services/platform/random.js';
import type { CrowdPlan, NumberedAnswer, NumberedOrder, Order, Sent } from './wire.js';
import { TOWN } from './world.js';

interface Worker {
  readonly token: string;
  readonly path: string;
  lat: number;
  lng: number;
}

const POST_FIXES = 5;
const POST_EVERY_MS = 20_000;
const TICK_MS = 10;
const OPENED_AT_ONCE = 100;
const SIGNED_AT_ONCE = 500;
const CONNECTIONS = 64;
/** Some ten metres a report. */
const STEP_DEGREES = 0.0001;

/** Phones take no processor from those who serve them; it is late rather, and says by how much. */
setPriority(5);

const random = randomOf(5, 'town');
let workers: Worker[] = [];
let socketed = 0;
let sockets: WebSocket[] = [];
let pool: Pool | null = null;
/** What sockets were told besides that they may begin: each is a refusal. */
let told = 0;

async function gather(plan: CrowdPlan): Promise<void> {
  const key = await loadDevelopmentKey(plan.dataDir);
  const ids = createIdCodec(plan.idKey);
  const member = async ({ subject, expertId }: CrowdPlan['workers'][number]): Promise<Worker> => ({
    token: await mintDevelopmentToken(key, { subject, tenantSlug: plan.slug, role: 'EXPERT' }),
    path: `/v1/workers/${ids.encode('Expert', BigInt(expertId))}/locations`,
    lat: TOWN.south + random() * (TOWN.north - TOWN.south),
    lng: TOWN.west + random() * (TOWN.east - TOWN.west),
  });
  workers = [];
  for (let at = 0; at < plan.workers.length; at += SIGNED_AT_ONCE) {
    workers.push(...(await Promise.all(plan.workers.slice(at, at + SIGNED_AT_ONCE).map(member))));
  }
  socketed = plan.socketed;
  pool = new Pool(plan.url, { connections: CONNECTIONS, pipelining: 1 });
  sockets = [];
  for (let at = 0; at < socketed; at += OPENED_AT_ONCE) {
    const some = workers.slice(at, Math.min(socketed, at + OPENED_AT_ONCE));
    sockets.push(...(await Promise.all(some.map(({ token }) => openSocket(plan.url, token)))));
  }
}

function openSocket(url: string, token: string): Promise<WebSocket> {
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/fixes`, {
    headers: { Authorization: `Bearer ${token}` },
    perMessageDeflate: false,
  });
  return new Promise((resolve, reject) => {
    socket.once('message', () => {
      socket.on('message', () => {
        told += 1;
      });
      resolve(socket); // "ready"
    });
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`A socket was closed with ${code}.`)));
  });
}

/** Everybody walks on a little, and back where the town ends. */
function fixOf(worker: Worker, deviceMs: number): string {
  worker.lat = within(worker.lat + (random() - 0.5) * STEP_DEGREES, TOWN.south, TOWN.north);
  worker.lng = within(worker.lng + (random() - 0.5) * STEP_DEGREES, TOWN.west, TOWN.east);
  return `{"lat":${worker.lat.toFixed(6)},"lng":${worker.lng.toFixed(6)},"deviceMs":${deviceMs},"accuracyMetres":8}`;
}

const within = (value: number, from: number, to: number): number => Math.min(to, Math.max(from, value));

/** Each socket reports once a second, spread over it, until the time is over. */
async function reportBySocket(forMs: number): Promise<Sent> {
  const sent: Sent = { fixes: 0, failures: 0, lateMs: 0, tookMs: 0 };
  const before = told;
  sent.lateMs = await paced({ perSecond: sockets.length, forMs }, (n) => {
    const index = n % sockets.length;
    const worker = workers[index];
    if (worker !== undefined) {
      sockets[index]?.send(fixOf(worker, Date.now()));
      sent.fixes += 1;
    }
  });
  sent.failures = told - before;
  return sent;
}

/** Where the posts of the last time ended: whoever has not posted for longest is next. */
let nextPoster = 0;

/** Each worker posts five fixes every twenty seconds, spread over them, until the time is over and all are answered. */
async function reportByPost(forMs: number): Promise<Sent> {
  const sent: Sent = { fixes: 0, failures: 0, lateMs: 0, tookMs: 0 };
  const posters = workers.length - socketed;
  const answers = new Set<Promise<void>>();
  const perSecond = (posters * 1_000) / POST_EVERY_MS;
  const first = nextPoster;
  sent.lateMs = await paced({ perSecond, forMs }, (n) => {
    const worker = workers[socketed + ((first + n) % posters)];
    nextPoster = (first + n + 1) % posters;
    if (worker !== undefined) {
      sent.fixes += POST_FIXES;
      const answer = post(worker).then((status) => {
        sent.failures += status === 200 ? 0 : 1;
        answers.delete(answer);
      });
      answers.add(answer);
    }
  });
  await Promise.all(answers);
  return sent;
}

async function post(worker: Worker): Promise<number> {
  const now = Date.now();
  const fixes = Array.from({ length: POST_FIXES }, (_, n) =>
    fixOf(worker, now - (POST_FIXES - 1 - n) * 4_000),
  );
  try {
    const answer = await pool?.request({
      method: 'POST',
      path: worker.path,
      headers: { authorization: `Bearer ${worker.token}`, 'content-type': 'application/json' },
      body: `{"fixes":[${fixes.join(',')}]}`,
    });
    await answer?.body.dump();
    return answer?.statusCode ?? 0;
  } catch {
    return 0;
  }
}

/**
 * Calls `send` with 0, 1, 2 … as many a second, by the clock: what a turn of the loop came late for is made up at once.
 * @returns how late the latest turn was
 */
function paced(
  { perSecond, forMs }: { perSecond: number; forMs: number },
  send: (n: number) => void,
): Promise<number> {
  const began = performance.now();
  let n = 0;
  let [lastMs, lateMs] = [0, 0];
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const passedMs = Math.min(forMs, performance.now() - began);
      lateMs = Math.max(lateMs, passedMs - lastMs - TICK_MS);
      lastMs = passedMs;
      const due = (passedMs / 1_000) * perSecond;
      for (; n < due; n++) {
        send(n);
      }
      if (passedMs >= forMs) {
        clearInterval(timer);
        resolve(lateMs);
      }
    }, TICK_MS);
  });
}

async function obey(order: Order): Promise<Sent | null> {
  switch (order.kind) {
    case 'gather':
      await gather(order.crowd);
      return null;
    case 'report': {
      const began = performance.now();
      const parts = await Promise.all([
        order.sockets ? reportBySocket(order.forMs) : null,
        order.posts ? reportByPost(order.forMs) : null,
      ]);
      const all = parts.filter((part) => part !== null);
      return {
        fixes: all.reduce((sum, { fixes }) => sum + fixes, 0),
        failures: all.reduce((sum, { failures }) => sum + failures, 0),
        lateMs: Math.max(0, ...all.map(({ lateMs }) => lateMs)),
        tookMs: performance.now() - began,
      };
    }
    case 'leave':
      for (const socket of sockets) {
        socket.terminate();
      }
      await pool?.destroy();
      return null;
  }
}

process.on('message', ({ number, order }: NumberedOrder) => {
  void obey(order).then((sent) => process.send?.({ number, sent } satisfies NumberedAnswer));
});
process.on('disconnect', () => process.exit());
