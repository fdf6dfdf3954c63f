// @once: what it looks at is the protocol and the node, not what PostgreSQL makes of a statement
import { afterEach, describe, expect, test } from 'vitest';
import { createCursorCodec } from '../../src/live/cursor.js';
import { subscription } from '../../src/live/subscription.js';
import { createLocalBus } from '../../src/services/events/bus.js';
import { useTestDb } from '../support/db.js';
import { countsOf, HOLD_UP, heldUpReads } from './number-engine.js';
import { useSites } from './site.js';
import { appendNumbers, type Node, numbersOf, startNode, take } from './streams.js';
import { makeWorld, viewerOf } from './world.js';

// Whoever leaves, or is made to, is gone at once: whatever their peer does, and whatever is still read for them.

const ctx = useTestDb();
const { site, socket } = useSites(ctx);
const nodes: Node[] = [];
afterEach(async () => {
  await letGo();
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

/** Less than what a peer that answers nothing has in `ws`, half a minute, and more than a busy machine needs. */
const SOON = { timeout: 20_000 };

let isHeldUp = false;
async function holdUpReads(): Promise<void> {
  await ctx.admin.query('select pg_advisory_lock($1)', [HOLD_UP]);
  isHeldUp = true;
}

async function letGo(): Promise<void> {
  if (isHeldUp) {
    isHeldUp = false;
    await ctx.admin.query('select pg_advisory_unlock($1)', [HOLD_UP]);
  }
}

const heldUp = (sinceMs = 0) => heldUpReads(ctx.admin, sinceMs);

describe('a socket that we close', () => {
  test('holds its place and its subscriptions no longer than a second, whether its peer answers or not', async () => {
    const one = await site({ socketsAViewerMax: 1 });
    const deaf = await socket(one.url);
    deaf.subscribe('a', 'subscription { numbers { n } }');
    await deaf.message('next', 'a');
    deaf.raw.send('no message of the protocol');
    deaf.raw.pause();
    await expect
      .poll(() => [one.present(), one.hub.stats().readers, one.sockets.count()], SOON)
      .toEqual([0, 0, 0]);
    await socket(one.url);
    deaf.raw.resume();
    expect(await deaf.closed).toBe(4400);
  });
});

describe('a socket that has gone', () => {
  test('holds no place while a state is still read for it', async () => {
    const one = await site();
    await holdUpReads();
    const { subscribe, raw } = await socket(one.url);
    subscribe('a', 'subscription { counts { n } }');
    await expect.poll(heldUp).toBe(1);
    raw.terminate();
    await expect
      .poll(() => [one.present(), one.hub.stats().readers, one.parts.sharedReads.size], SOON)
      .toEqual([0, 0, 0]);
    expect(await heldUp()).toBe(1);
  });
});

describe('operations at once on a socket', () => {
  test.each([
    ['queries', '{ count }'],
    ['states', 'subscription { counts { n } }'],
    ['logs', 'subscription { counted { n } }'],
  ])(
    'are those that run, also %s that their client has completed',
    { timeout: 60_000 },
    async (_what, query) => {
      const one = await site({ subscriptionsMax: 2 });
      await holdUpReads();
      const { subscribe, send, message } = await socket(one.url);
      for (const [n, id] of ['a', 'b'].entries()) {
        subscribe(id, query);
        await expect.poll(heldUp).toBe(n + 1);
        send({ id, type: 'complete' });
      }
      subscribe('c', '{ hello }');
      expect(JSON.stringify(await message('error', 'c'))).toContain('TOO_MANY_SUBSCRIPTIONS');
      await letGo();
      await expect.poll(heldUp).toBe(0);
      let tries = 0;
      await expect
        .poll(async () => {
          tries += 1;
          const id = `d${tries}`;
          subscribe(id, '{ hello }');
          return (await Promise.race([message('next', id), message('error', id)])).type;
        })
        .toBe('next');
    },
  );

  test('have room again when one ends, however it does', async () => {
    const one = await site({ subscriptionsMax: 1 });
    const { subscribe, send, message } = await socket(one.url);
    for (let n = 0; n < 3; n += 1) {
      subscribe('q', '{ hello }');
      await message('complete', 'q');
      subscribe('broken', '{');
      await message('error', 'broken');
      subscribe('boom', 'subscription { boom }');
      await Promise.race([message('error', 'boom'), message('complete', 'boom')]);
      subscribe('late', 'subscription { late }');
      await message('error', 'late');
      subscribe('s', 'subscription { counts { n } }');
      await message('next', 's');
      send({ id: 's', type: 'complete' });
    }
  });
});

describe('a state', () => {
  async function counting({ expiresAtMs = Number.MAX_SAFE_INTEGER } = {}) {
    const world = await makeWorld(ctx.admin, { tasks: 0, experts: 0 });
    const node = startNode({ db: ctx.database, bus: createLocalBus() });
    nodes.push(node);
    const { tenantId } = world;
    const items = countsOf(node.parts, { ...viewerOf(world, 'CUSTOMER'), expiresAtMs });
    const append = () => appendNumbers(ctx.database.systemPool, node.bus, { tenantId, numbers: [1] });
    return { node, tenantId, items, append };
  }

  test('whose reader leaves while it is read lets them go at once', { timeout: 30_000 }, async () => {
    const { node, items } = await counting();
    await holdUpReads();
    const first = items.next();
    await expect.poll(heldUp).toBe(1);
    await items.return?.();
    expect(await first).toMatchObject({ done: true });
    expect([node.hub.stats().readers, node.parts.sharedReads.size]).toEqual([0, 0]);
    expect(await heldUp()).toBe(1);
  });

  test('is not told to a token that ended while it was read', { timeout: 30_000 }, async () => {
    const { items } = await counting({ expiresAtMs: Date.now() + 500 });
    await holdUpReads();
    await expect(items.next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
    expect(await heldUp()).toBe(1);
  });

  test('is not told after the rest to one who was ended in it, and the rest ends with them', async () => {
    const { node, tenantId, items, append } = await counting();
    await holdUpReads();
    const first = items.next();
    await expect.poll(() => heldUp(1_000)).toBe(1); // The rest after it is ten times as long.
    await letGo();
    expect(await first).toMatchObject({ value: { value: 0 } });
    const log = numbersOf(node.hub, { tenantId });
    await take(log, 1);
    const second = items.next();
    await append();
    await take(log, 1);
    const beganMs = performance.now();
    await node.hub.close();
    expect(await second).toMatchObject({ done: true });
    expect(performance.now() - beganMs).toBeLessThan(5_000);
  });
});

test('a log tells nothing of a state that was still read when the token ended', {
  timeout: 20_000,
}, async () => {
  const { tenantId } = await makeWorld(ctx.admin, { tasks: 0, experts: 0 });
  const node = startNode({ db: ctx.database, bus: createLocalBus(), sequencer: false });
  nodes.push(node);
  const source = { tenantId, stream: 's' };
  const items = subscription<number>({
    reader: node.hub.open(source, null),
    cursors: createCursorCodec('secret', source),
    after: null,
    expiresAtMs: Date.now() + 500,
    async *state() {
      yield 1;
      await new Promise(() => undefined);
      yield 2;
    },
    change: () => null,
  });
  await expect(items.next()).rejects.toMatchObject({ code: 'UNAUTHENTICATED' });
  expect(node.hub.stats().readers).toBe(0);
});
