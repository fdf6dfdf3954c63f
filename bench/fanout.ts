import { setTimeout as wait } from 'node:timers/promises';
import { createIdCodec } from '../src/services/platform/ids.js';
import { startMachine, TEMPLATE } from './claim/machine.js';
import { lineOf } from './claim/report.js';
import { type Crowd, startCrowd } from './fanout/crowd.js';
import { type MeasuredServer, startOurs, startRival } from './fanout/servers.js';
import { type Report, type SocketPlan, topicOf } from './fanout/wire.js';
import { makeWatchedWorld, startWriting, type WatchedWorld } from './fanout/world.js';

// Subscribers of one node: what a delivery costs, beside stock Yoga with graphql-ws and a bare broadcast of the same bytes;
// a storm of reconnects; a reader that stops reading. Prints a table, and last one line of JSON.

const SIZE = Number(argument('--sockets') ?? 4_000);
const TOPICS = SIZE / 2;
const ON_A_SOCKET = 5;
const SOCKETS_A_PERSON = 5;
/** A prime, so that all topics are dealt before one comes again. */
const STRIDE = 797;
const WINDOW_MS = Number(argument('--seconds') ?? 15) * 1_000;
const WARM_UP_MS = 8_000;
/** Nothing for so long: nothing more comes. */
const SETTLE_MS = 10_000;
/** Stock Yoga cannot take all of it on one core. */
const YOGA_SHARE = 5;
const STUCK_MS = 32_000;
const STUCK_CLOSED_SECONDS_MAX = 30;
const STUCK_A_SECOND = 200;
/** A process that grows by less than this in such a time has settled; what one does in so many times is as good as it gets. */
const WARM_MB = 0.5;
const WARM_ROUNDS_MAX = 6;
const PARTS = ['bare', 'yoga', 'ours', 'storm', 'stuck'] as const;
type Part = (typeof PARTS)[number];
/** `--only bare,ours`: these parts alone; the JSON of others is null. A storm needs `ours`. */
const ONLY = argument('--only')?.split(',') ?? PARTS;
const isAsked = (part: Part) => ONLY.includes(part);
const ID_KEY = 'the key of the bench';

interface Row {
  readonly what: string;
  /** Null: it did not come to that. */
  readonly value: number | null;
  readonly min?: number;
  readonly max?: number;
  readonly note?: string;
}
const say = (row: Row) => console.log(lineOf(row));

interface Result {
  readonly deliveredPerCpuSecond: number;
  readonly kbPerSubscription: number;
  readonly p99Ms: number;
  readonly wrong: number;
}

async function main(): Promise<void> {
  process.env.TOUCHSTONE_ID_KEY = ID_KEY;
  const machine = await startMachine();
  const crowd = startCrowd();
  try {
    const world = await makeWatchedWorld(machine.urlOf(TEMPLATE), {
      topics: TOPICS,
      operators: Math.ceil(SIZE / SOCKETS_A_PERSON),
    });
    console.log(`${'what'.padEnd(58)} ${'measured'.padStart(10)}  bar`);
    const bare = isAsked('bare') ? await measureRival(crowd, 'bare', 1) : null;
    const yoga = isAsked('yoga') ? await measureRival(crowd, 'yoga', YOGA_SHARE) : null;
    const ours = isAsked('ours') ? await measureOurs(crowd, world) : null;
    const stuckReaderRssMb = isAsked('stuck') ? await measureStuck(crowd, world) : null;
    console.log(
      JSON.stringify({
        deliveredPerCpuSecond: rounded(ours?.deliveredPerCpuSecond, 0),
        stockPerCpuSecond: rounded(yoga?.deliveredPerCpuSecond, 0),
        rawPerCpuSecond: rounded(bare?.deliveredPerCpuSecond, 0),
        kbPerSubscription: rounded(ours?.kbPerSubscription),
        p99Ms: rounded(ours?.p99Ms),
        lost: rounded(ours?.wrong),
        stormSeconds: rounded(ours?.stormSeconds),
        stuckReaderRssMb: rounded(stuckReaderRssMb),
      }),
    );
  } finally {
    crowd.stop();
    await machine.stop();
  }
}

async function measureRival(crowd: Crowd, name: 'yoga' | 'bare', share: number): Promise<Result> {
  const topics = TOPICS / share;
  const server = await startRival(name, topics);
  try {
    const sockets = plans(SIZE / share, {
      tokens: [''],
      topics: Array.from({ length: topics }, (_, n) => topicOf(n)),
    });
    const connect = {
      kind: 'connect',
      url: `${server.url}/graphql`,
      sockets,
      sharedIds: name === 'bare',
    } as const;
    const beforeMb = server.rssMb();
    await crowd.tell(connect);
    const kbPerSubscription = kbEach(server, beforeMb, sockets);
    const window = await measureWindow(crowd, server);
    await crowd.tell({ kind: 'leave' });
    say({ what: `${name}: delivered a CPU second`, value: window.deliveredPerCpuSecond });
    say({ what: `${name}: KB a subscription`, value: kbPerSubscription });
    return { ...window, kbPerSubscription };
  } finally {
    await server.stop();
  }
}

async function measureOurs(
  crowd: Crowd,
  world: WatchedWorld,
): Promise<Result & { stormSeconds: number | null }> {
  const server = await startOurs(world);
  try {
    const sockets = plans(SIZE, { tokens: await server.tokens(), topics: namesOf(world) });
    await wait(WARM_UP_MS);
    const beforeMb = server.rssMb();
    const beganCpu = server.cpuSeconds();
    const connected = await crowd.tell({
      kind: 'connect',
      url: `${server.url}/graphql`,
      sockets,
      sharedIds: false,
    });
    const connectCpu = server.cpuSeconds() - beganCpu;
    say({
      what: 'seconds until all had their state',
      value: connected.seconds,
      note: `CPU: ${connectCpu.toFixed(1)} s`,
    });
    const kbPerSubscription = kbEach(server, beforeMb, sockets);
    const writing = await startWriting(world, { topics: TOPICS });
    const window = await measureWindow(crowd, server);
    say({ what: 'delivered a CPU second', value: window.deliveredPerCpuSecond, min: 40_000 });
    say({ what: 'delivered a second', value: window.delivered / window.seconds });
    say({ what: 'KB a subscription', value: kbPerSubscription, max: 20 });
    say({ what: 'from the row to the client, 99th percentile, ms', value: window.p99Ms, max: 500 });
    const stormSeconds = isAsked('storm') ? await measureStorm(crowd, server) : null;
    const written = await writing.stop();
    const wrong = window.wrong + (await wrongAtTheEnd(crowd, written.least));
    say({ what: 'lost or told twice', value: wrong, max: 0 });
    await crowd.tell({ kind: 'leave' });
    return { ...window, kbPerSubscription, stormSeconds, wrong };
  } finally {
    await server.stop();
  }
}

/** Null where not all are back in time. */
async function measureStorm(crowd: Crowd, server: MeasuredServer): Promise<number | null> {
  const beganCpu = server.cpuSeconds();
  const back = await crowd.tell({ kind: 'storm' }).catch(() => null);
  const value = back?.seconds ?? null;
  // (Whoever is closed again meanwhile comes back once more.)
  const { closed } = back ?? (await crowd.tell({ kind: 'report' }));
  const note = `CPU: ${(server.cpuSeconds() - beganCpu).toFixed(1)} s, closed again: ${closed.length} (${[...new Set(closed)]})`;
  say({ what: 'storm: seconds until all are back', value, max: 20, note });
  return value;
}

/** What was told amiss, and what the last of the crowd still miss when there is nothing to come any more. */
async function wrongAtTheEnd(crowd: Crowd, written: number): Promise<number> {
  let report: Report;
  let last: number;
  let moved = performance.now();
  report = await crowd.tell({ kind: 'report' });
  do {
    last = report.delivered;
    await wait(250);
    report = await crowd.tell({ kind: 'report' });
    moved = report.delivered > last ? performance.now() : moved;
  } while (report.lastMin < written && performance.now() - moved < SETTLE_MS);
  return report.wrong + Math.max(0, written - report.lastMin);
}

async function measureWindow(crowd: Crowd, server: MeasuredServer) {
  await wait(WARM_UP_MS);
  await crowd.tell({ kind: 'mark' });
  const beganCpu = server.cpuSeconds();
  await wait(WINDOW_MS);
  const cpuSeconds = server.cpuSeconds() - beganCpu;
  const report = await crowd.tell({ kind: 'report' });
  return { ...report, deliveredPerCpuSecond: report.delivered / cpuSeconds };
}

/**
 * One of ten readers of a busy topic stops: by how much the process grows beside what it had come to before, and when the
 * reader is closed. Then it reads again, and comes back.
 */
async function measureStuck(crowd: Crowd, world: WatchedWorld): Promise<number> {
  const server = await startOurs(world);
  try {
    const sockets = plans(10, { tokens: await server.tokens(), topics: namesOf(world).slice(0, 1) });
    await crowd.tell({ kind: 'connect', url: `${server.url}/graphql`, sockets, sharedIds: false });
    const writing = await startWriting(world, { topics: 1, aSecond: STUCK_A_SECOND });
    const warm = await settled(server, sockets.length);
    await crowd.tell({ kind: 'mark' });
    await crowd.tell({ kind: 'pause' });
    const stuck = await watched(server, STUCK_MS, sockets.length);
    const { wrong } = await crowd.tell({ kind: 'report' });
    await crowd.tell({ kind: 'resume' });
    const { least } = await writing.stop();
    const wrongInAll = await wrongAtTheEnd(crowd, least);
    const { closed } = await crowd.tell({ kind: 'report' });
    const grown = Math.max(0, stuck.peakMb - warm.peakMb);
    say({ what: 'a reader that stops: the process grows by MB', value: grown, max: 2 });
    say({ what: 'a reader that stops: what others lost', value: wrong, max: 0 });
    say({
      what: 'a reader that stops: seconds until it is closed',
      value: stuck.closedAfterSeconds,
      max: STUCK_CLOSED_SECONDS_MAX,
      note: `code: ${closed}`,
    });
    say({ what: 'a reader that reads again: lost or told twice', value: wrongInAll, max: 0 });
    await crowd.tell({ kind: 'leave' });
    return grown;
  } finally {
    await server.stop();
  }
}

/**
 * The process once it grows no more by itself: code that becomes hot is compiled, and the heap finds its size, for minutes. Looked at
 * for as long as the stuck reader will be, again until one time reached no more than the one before.
 */
async function settled(server: MeasuredServer, sockets: number): Promise<Watched> {
  let before = await watched(server, STUCK_MS, sockets);
  for (let round = 1; round < WARM_ROUNDS_MAX; round++) {
    const now = await watched(server, STUCK_MS, sockets);
    if (now.peakMb <= before.peakMb + WARM_MB) {
      return now.peakMb > before.peakMb ? now : before;
    }
    before = now;
  }
  return before;
}

interface Watched {
  readonly peakMb: number;
  /** When there were fewer sockets than before; null where there were not. */
  readonly closedAfterSeconds: number | null;
}

async function watched(server: MeasuredServer, ms: number, sockets: number): Promise<Watched> {
  let peakMb = 0;
  let closedAfterSeconds: number | null = null;
  const beganMs = performance.now();
  for (; performance.now() < beganMs + ms; await wait(500)) {
    peakMb = Math.max(peakMb, server.rssMb());
    if (closedAfterSeconds === null && (await server.sockets()) < sockets) {
      closedAfterSeconds = (performance.now() - beganMs) / 1_000;
    }
  }
  return { peakMb, closedAfterSeconds };
}

function namesOf({ projectIds }: WatchedWorld): string[] {
  const ids = createIdCodec(ID_KEY);
  return projectIds.map((id) => ids.encode('Project', id));
}

/**
 * The topics of each socket, each on as many sockets as any other. Those of one socket are far apart in the order in which
 * they are written to: what comes to it together would cost less.
 */
function plans(
  count: number,
  { tokens, topics }: { tokens: readonly string[]; topics: readonly string[] },
): SocketPlan[] {
  const onASocket = Math.min(ON_A_SOCKET, topics.length);
  return Array.from({ length: count }, (_, socket) => ({
    token: tokens[Math.floor(socket / SOCKETS_A_PERSON) % tokens.length] ?? '',
    topics: Array.from({ length: onASocket }, (_none, n) => ({
      id: topics[((socket * onASocket + n) * STRIDE) % topics.length] ?? '',
    })),
  }));
}

function kbEach(server: MeasuredServer, beforeMb: number, sockets: readonly SocketPlan[]): number {
  const subscriptions = sockets.reduce((sum, { topics }) => sum + topics.length, 0);
  return ((server.rssMb() - beforeMb) * 1024) / subscriptions;
}

function argument(name: string): string | undefined {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
}

/** Null where it was not measured. */
function rounded(value: number | null | undefined, digits = 2): number | null {
  return value === null || value === undefined ? null : Math.round(value * 10 ** digits) / 10 ** digits;
}

await main();
