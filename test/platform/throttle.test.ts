import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectRedis, type RedisConnection } from '../../src/services/platform/redis.js';
import { createLocalThrottle, type Throttle } from '../../src/services/platform/throttle.js';
import { createSharedThrottle } from '../../src/services/platform/throttle-redis.js';
import { PACE } from '../../src/services/routing/pace.js';
import { type OwnRedis, ownRedis } from '../live/redis-server.js';
import { silentLog } from '../live/waiting.js';
import { describeWithRedis } from '../support/redis.js';

const LIMITS = { perSecond: 1, patience: 3, patiencePerSecond: 0.1 };

/** What holds wherever it is counted. */
async function keepsTheRule(node: Throttle, other: Throttle): Promise<void> {
  expect(await node.ask('a', 'any')).toEqual({ waitMs: 0, isEarly: false });
  expect(await other.ask('a', null)).toEqual({ waitMs: 0, isEarly: false });
  const refused = await node.ask('a', 'any');
  expect(refused.waitMs).toBeGreaterThan(0);
  expect(refused.waitMs).toBeLessThanOrEqual(1_000);
  expect((await node.ask('b', 'any')).waitMs).toBe(0);
}

describe('in the process', () => {
  test('calls beyond the pace wait', async () => {
    const throttle = createLocalThrottle(LIMITS);
    await keepsTheRule(throttle, throttle);
  });

  test('time gives calls back, and no more than two seconds of them', async () => {
    let now = 0;
    const throttle = createLocalThrottle({ ...LIMITS, perSecond: 10 }, () => now);
    const burst = async () => {
      for (let n = 0; ; n++) {
        if ((await throttle.ask('a', null)).waitMs > 0) {
          return n;
        }
      }
    };
    expect(await burst()).toBe(20);
    now += 500;
    expect(await burst()).toBe(5);
    now += 60_000;
    expect(await burst()).toBe(20);
  });

  test('early calls cost patience, which comes back; another topic and the time itself cost none', async () => {
    let now = 0;
    const throttle = createLocalThrottle({ ...LIMITS, perSecond: 100 }, () => now);
    const ask = async (topic = 'any') => (await throttle.ask('a', topic)).waitMs;
    await throttle.rest('a', 'any', 60);
    expect([await ask(), await ask(), await ask()]).toEqual([0, 0, 0]);
    expect(await ask()).toBe(60_000);
    expect(await ask('7')).toBe(0);
    now += 10_000;
    expect(await ask()).toBe(0);
    expect(await ask()).toBe(50_000);
    now += 50_000;
    expect(await ask()).toBe(0);
  });

  test('by default who asks four times a second is never refused, and who asks 25 times is after seconds', async () => {
    let now = 0;
    const throttle = createLocalThrottle(PACE, () => now);
    const refusedWithin = async (subject: string, everyMs: number) => {
      for (let asked = 0; asked * everyMs < 600_000; asked++, now += everyMs) {
        if ((await throttle.ask(subject, 'any')).waitMs > 0) {
          return asked * everyMs;
        }
        await throttle.rest(subject, 'any', 60);
      }
      return null;
    };
    expect(await refusedWithin('patient', 250)).toBeNull();
    expect(await refusedWithin('impatient', 40)).toBeLessThan(5_000);
  });

  test('an early call that was right costs nothing', async () => {
    const throttle = createLocalThrottle({ ...LIMITS, perSecond: 100, patience: 1 });
    for (let n = 0; n < 5; n++) {
      await throttle.rest('a', 'any', 60);
      expect(await throttle.ask('a', 'any')).toEqual({ waitMs: 0, isEarly: true });
      await throttle.wake('a', 'any');
    }
  });
});

describeWithRedis('in Redis', () => {
  let server: OwnRedis;
  const open: RedisConnection[] = [];
  let fallbacks = 0;

  beforeEach(async () => {
    server = await ownRedis();
    fallbacks = 0;
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((redis) => redis.close()));
    await server.kill();
  });

  async function node(limits = LIMITS) {
    const redis = connectRedis({ url: server.url, log: silentLog });
    open.push(redis);
    await expect.poll(() => redis.isUp()).toBe(true);
    const onFallback = () => {
      fallbacks += 1;
    };
    return createSharedThrottle({ redis, limits, local: createLocalThrottle(limits), onFallback });
  }

  test('nodes count together', async () => {
    await keepsTheRule(await node(), await node());
    expect(fallbacks).toBe(0);
  });

  test('who was told to wait by one node is early at another, until patience ends', async () => {
    const limits = { ...LIMITS, perSecond: 100, patience: 3 };
    const [a, b] = [await node(limits), await node(limits)];
    await a.rest('a', 'any', 60);
    expect(await b.ask('a', 'any')).toEqual({ waitMs: 0, isEarly: true });
    await b.wake('a', 'any');
    expect(await a.ask('a', 'any')).toEqual({ waitMs: 0, isEarly: false });
    await a.rest('a', 'any', 60);
    for (let n = 0; n < 3; n++) {
      expect((await b.ask('a', 'any')).waitMs).toBe(0);
    }
    const { waitMs, isEarly } = await a.ask('a', 'any');
    expect(isEarly).toBe(true);
    expect(waitMs).toBeGreaterThan(50_000);
    expect((await a.ask('a', '7')).waitMs).toBe(0);
    expect(fallbacks).toBe(0);
  });

  test('without Redis each node goes on by itself, counts that, and comes back to it', async () => {
    const throttle = await node();
    await server.kill();
    expect((await throttle.ask('a', null)).waitMs).toBe(0);
    expect((await throttle.ask('a', null)).waitMs).toBe(0);
    expect((await throttle.ask('a', null)).waitMs).toBeGreaterThan(0);
    expect(fallbacks).toBe(3);
    await server.start();
    const judgedByRedis = async () => {
      const before = fallbacks;
      await throttle.ask('b', null);
      return fallbacks === before;
    };
    await expect.poll(judgedByRedis).toBe(true);
  });
});
