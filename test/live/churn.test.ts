// @once @apart: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement; its heap is what is looked at
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, expect, test } from 'vitest';
import { createLocalBus } from '../../src/services/events/bus.js';
import { useTestDb } from '../support/db.js';
import { type Node, numbersOf, startNode, take } from './streams.js';
import { makeWorld } from './world.js';

// Ten thousand who subscribe and vanish, some before they have heard anything, some while they wait.

const ctx = useTestDb();
const CYCLES = 10_000;
const AT_ONCE = 50;
const STREAMS = 200;

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

function heapAfterCollection(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
