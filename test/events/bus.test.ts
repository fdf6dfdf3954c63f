import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRedisBus, type EventBus, type StreamHead } from '../../src/services/events/bus.js';
import { connectRedis, type RedisConnection } from '../../src/services/platform/redis.js';
import { type OwnRedis, ownRedis } from '../live/redis-server.js';
import { heard, silentLog } from '../live/waiting.js';
import { describeWithRedis } from '../support/redis.js';

describeWithRedis('a bus over Redis', () => {
  let server: OwnRedis;
  const open: { redis: RedisConnection; bus: EventBus }[] = [];

  beforeEach(async () => {
    server = await ownRedis();
  });
  afterEach(async () => {
    for (const { redis, bus } of open.splice(0)) {
      bus.close();
      await redis.close();
    }
    await server.kill();
  });

  /** A node whose channels are heard. */
  async function node(prefix = 'a') {
    const redis = connectRedis({ url: server.url, prefix, log: silentLog });
    const bus = createRedisBus({ redis, log: silentLog });
    open.push({ redis, bus });
    await listening(bus);
    await expect.poll(() => redis.isUp()).toBe(true);
    return { bus, redis };
  }
  const listening = (bus: EventBus) =>
    heard<void>(
      (l) => bus.onResync(() => l(undefined)),
      () => true,
    );
  const head = (seq: number): StreamHead => ({
    tenantId: 9_007_199_254_740_993n,
    stream: 's/1',
    epoch: 2,
    seq,
  });
  const hears = (bus: EventBus, seq: number) =>
    heard<readonly StreamHead[]>(bus.onHeads, (heads) => heads.some((one) => one.seq === seq));

  test('tells other nodes which streams moved, with tenants beyond 2^53', async () => {
    const [a, b] = [await node(), await node()];
    const told = hears(b.bus, 7);
    a.bus.publishHeads([head(7)]);
    expect(await told).toEqual([head(7)]);
  });

  test('tells itself at once and once', async () => {
    const [a, b] = [await node(), await node()];
    const own: number[] = [];
    a.bus.onHeads((heads) => own.push(...heads.map((one) => one.seq)));
    a.bus.publishHeads([head(1)]);
    expect(own).toEqual([1]);
    const answered = hears(a.bus, 99);
    const told = hears(b.bus, 2);
    a.bus.publishHeads([head(2)]);
    await told;
    b.bus.publishHeads([head(99)]);
    await answered; // by now its own messages would have come back to it
    expect(own).toEqual([1, 2, 99]);
  });

  test('pokes the other nodes', async () => {
    const [a, b] = [await node(), await node()];
    const poked = heard<void>(
      (l) => b.bus.onPoke(() => l(undefined)),
      () => true,
    );
    a.bus.poke();
    await poked;
  });

  test('works alone while Redis is down, and says so when all is heard again', async () => {
    const [a, b] = [await node(), await node()];
    await server.kill();
    const own = hears(a.bus, 3);
    a.bus.publishHeads([head(3)]);
    await own;
    expect(await a.redis.isUp()).toBe(false);
    const back = Promise.all([listening(a.bus), listening(b.bus)]);
    await server.start();
    await back;
    await expect.poll(() => a.redis.isUp()).toBe(true);
    const told = hears(b.bus, 4);
    a.bus.publishHeads([head(4)]);
    await told;
  });

  test('a listener that was cut is told to look again', async () => {
    const { bus } = await node();
    const again = listening(bus);
    await server.killListeners();
    await again;
  });

  test('what is no message of ours is left alone; another installation is not heard', async () => {
    const [a, other] = [await node(), await node('b')];
    const heads: number[] = [];
    a.bus.onHeads((moved) => heads.push(...moved.map((one) => one.seq)));
    const told = hears(a.bus, 5);
    other.bus.publishHeads([head(4)]);
    await other.redis.publish(a.redis.key('events', 'wake'), '{"node":1');
    await other.redis.publish(
      a.redis.key('events', 'wake'),
      JSON.stringify({ node: 'x', heads: [['1', 's', 1, 5]] }),
    );
    await told;
    expect(heads).toEqual([5]);
  });

  test('keys of one tag fall into one slot of a cluster', async () => {
    const { redis } = await node();
    expect(redis.key('tenant-1', 'x')).toBe('a:{tenant-1}:x');
  });
});
