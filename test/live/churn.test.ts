// @once @apart: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement; its heap is what is looked at
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import type { WebSocket } from 'ws';
import { Cohort } from '../../src/live/cohort.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { useTestDb } from '../support/db.js';
import { useSites } from './site.js';
import { appendNumbers, type Node, numbersOf, startNode, take } from './streams.js';
import { makeWorld } from './world.js';

// Ten thousand who subscribe and vanish, some before they have heard anything, some while they wait.

const ctx = useTestDb();
const { site, socket } = useSites(ctx);
const CYCLES = 10_000;
const AT_ONCE = 50;
const STREAMS = 200;
const SOCKETS = 1_000;

let node: Node | undefined;
afterEach(() => node?.stop());

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

test('leave no listener behind, and the heap as it was', async () => {
  const bus = createLocalBus();
  node = startNode({ db: ctx.database, bus, sequencer: false });
  const { hub } = node;
  const { tenantId } = await makeWorld(ctx.admin, { tasks: 0, experts: 0 });
  const cycle = async (n: number) => {
    const items = numbersOf(hub, { tenantId, stream: `s/${n % STREAMS}` });
    if (n % 3 !== 0) {
      await take(items, 1);
    }
    const waiting = n % 2 === 0 ? items.next().catch(() => null) : null;
    await items.return?.();
    await waiting;
  };
  const churn = async (cycles: number) => {
    for (let first = 0; first < cycles; first += AT_ONCE) {
      await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => cycle(first + n)));
    }
  };
  await churn(CYCLES / 10); // What is compiled and pooled once is no leak.
  const before = heapAfterCollection();
  await churn(CYCLES);
  expect(hub.stats()).toEqual({ readers: 0, streams: 0 });
  expect(heapAfterCollection() / before).toBeLessThan(1.1);
});

test('a thousand sockets with a log and a state each, which vanish at any moment, leave nothing behind', async () => {
  const one = await site({ socketsAViewerMax: AT_ONCE });
  const { tenantId } = one.world;
  const ways = [
    (raw: WebSocket) => raw.terminate(),
    (raw: WebSocket) => raw.close(1000),
    (raw: WebSocket) => raw.send('no message of the protocol'), // We close it.
  ];
  const cycle = async (n: number) => {
    const { subscribe, message, send, raw, closed } = await socket(one.url);
    subscribe('log', 'subscription { numbers { n } }');
    subscribe('state', 'subscription { counts { n cursor } }');
    if (n % 4 > 0) {
      await message('next', 'log');
    }
    if (n % 4 > 1) {
      await message('next', 'state');
      subscribe('again', 'subscription { counts { n cursor } }');
    }
    if (n % 5 === 0) {
      send({ id: 'state', type: 'complete' });
    }
    if (n % 7 === 0) {
      // The id is another operation's before the first has answered.
      send({ id: 'log', type: 'complete' });
      subscribe('log', 'subscription { counts { n cursor } }');
      send({ id: 'log', type: 'complete' });
      subscribe('log', n % 2 === 0 ? 'query { __typename }' : 'subscription { numbers { n } }');
    }
    ways[n % ways.length]?.(raw);
    await closed;
  };
  for (let first = 0; first < SOCKETS; first += AT_ONCE) {
    const moving = appendNumbers(ctx.database.systemPool, one.bus, { tenantId, numbers: [first] });
    await Promise.all(Array.from({ length: AT_ONCE }, (_, n) => cycle(first + n)));
    await moving;
  }
  await expect
    .poll(() => ({
      ...one.hub.stats(),
      sockets: one.sockets.count(),
      present: one.present(),
      sharedReads: one.parts.sharedReads.size,
      cohorts: Cohort.count,
    }))
    .toEqual({ readers: 0, streams: 0, sockets: 0, present: 0, sharedReads: 0, cohorts: 0 });
  // Nor does anything hold who it was, and with that the socket: a few may still be in registers of compiled code.
  await expect.poll(() => (heapAfterCollection(), one.viewersHeld())).toBeLessThan(AT_ONCE / 10);
});

function heapAfterCollection(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
