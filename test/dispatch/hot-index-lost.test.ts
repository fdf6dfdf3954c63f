// @once: looks at no database
import { latLngToCell } from 'h3-js';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { type Fix, regionOf } from '../../src/services/dispatch/fixes/fix.js';
import type { HotIndex } from '../../src/services/dispatch/fixes/hot-index.js';
import { createSharedHotIndex } from '../../src/services/dispatch/fixes/hot-index-redis.js';
import { createHotIndexStore } from '../../src/services/dispatch/fixes/hot-index-store.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { randomOf } from '../../src/services/platform/random.js';
import { connectRedis, type RedisConnection } from '../../src/services/platform/redis.js';
import { unique } from '../support/factories.js';
import { redisUrl } from '../support/redis.js';

// What becomes of the index where Redis loses something of it: what is missing is never taken for nobody.

const START = 1_790_000_000_000;
const BERLIN = { latitude: 52.5, longitude: 13.4 };
const REGION = regionOf(latLngToCell(52.5, 13.4, 8));
const log = createLogger('silent');

const fixOf = (expertId: number, { lat = 52.5, lng = 13.4, deviceMs = START }: Partial<Fix> = {}): Fix => ({
  tenantId: 1n,
  expertId: BigInt(expertId),
  lat,
  lng,
  deviceMs,
  receivedMs: deviceMs,
  accuracyMetres: null,
  cell: latLngToCell(lat, lng, 8),
});
const many = (count: number, of: Partial<Fix> = {}) => Array.from({ length: count }, (_, n) => fixOf(n, of));

const FLUSH = "for _, key in ipairs(redis.call('KEYS', ARGV[1] .. ':*')) do redis.call('DEL', key) end";

describe.skipIf(inject('redisUrl') === '')('an index of which something is lost', () => {
  let redis: RedisConnection;
  let prefix: string;
  let nowMs: () => number;
  let latest: () => Promise<Fix[]>;
  let builds: number;

  beforeEach(async () => {
    prefix = unique('fixes');
    redis = connectRedis({ url: redisUrl(), prefix, log });
    nowMs = () => START;
    latest = async () => [];
    builds = 0;
    await expect.poll(() => redis.isUp()).toBe(true);
  });
  afterEach(() => redis.close());

  /** One of several processes; they share what is stored. */
  const newIndex = (waitMs = 10_000): HotIndex =>
    createSharedHotIndex({
      redis,
      log,
      waitMs,
      nowMs: () => nowMs(),
      latest: () => {
        builds += 1;
        return latest();
      },
    });
  const ask = (lua: string, ...args: string[]) => redis.script(unique('ask'), lua)([], args);
  const flush = () => ask(FLUSH, prefix);
  const region = () => redis.key('fixes/1', 'near', REGION);
  const found = async (index: HotIndex, limit = 2_000) =>
    (await index.nearby(1n, { place: BERLIN, metres: 10_000, limit, atMost: 10 * limit })).seen.map(
      ({ expertId }) => Number(expertId),
    );

  test('a region in which everybody stands still does not lapse under them', async () => {
    const index = newIndex();
    await index.apply(1n, many(3));
    expect(await found(index)).toHaveLength(3);
    await ask("return redis.call('EXPIRE', ARGV[1], 60)", region());
    await index.apply(1n, [fixOf(1, { deviceMs: START + 1_000 })]);
    expect(await ask("return redis.call('TTL', ARGV[1])", region())).toBeGreaterThan(800);
  });

  test('a region that was lost alone is noticed by who looks, and everybody is in it again', async () => {
    const index = newIndex();
    await index.apply(1n, [...many(700), fixOf(900, { lat: 48.1, lng: 11.6 })]);
    expect(await found(index)).toHaveLength(700);
    await ask("return redis.call('DEL', ARGV[1])", region());
    expect(await found(index)).toHaveLength(700);
  });

  test('a region that was lost alone is not taken for whole because somebody has come into it since', async () => {
    const index = newIndex();
    await index.apply(1n, many(700));
    expect(await found(index)).toHaveLength(700);
    await ask("return redis.call('DEL', ARGV[1])", region());
    await index.apply(1n, [fixOf(7, { lat: 52.51, deviceMs: START + 1 })]);
    expect(await found(index)).toHaveLength(700);
  });

  test('a region that everybody has left is not looked for', async () => {
    const index = newIndex();
    await index.apply(1n, many(3));
    expect(await found(index)).toHaveLength(3);
    await index.apply(1n, many(3, { lat: 48.1, lng: 11.6, deviceMs: START + 1 }));
    const before = builds;
    expect(await found(index)).toEqual([]);
    await index.apply(1n, many(3, { deviceMs: START + 2 }));
    nowMs = () => START + 400_000;
    expect(await index.sweep()).toBe(3);
    expect(await found(index)).toEqual([]);
    expect(builds).toBe(before);
  });

  test('where everybody is stale nobody looks through all of the city', async () => {
    const index = newIndex();
    const random = randomOf(3, 'stale');
    const all = Array.from({ length: 4_000 }, (_, n) =>
      fixOf(n, { lat: 52.5 + random() / 20, lng: 13.4 + random() / 20 }),
    );
    await index.apply(1n, all);
    nowMs = () => START + 60_000;
    expect(await found(index, 20)).toHaveLength(200);
    const { scripts, key, regionsOf } = createHotIndexStore({ redis, log, nowMs: () => START, latest });
    const args = ['token', 13.4, 52.5, START + 30_000, 20, 200, 500, 10_000].map(String);
    const answer = await scripts.nearby([key(1n, 'last'), regionsOf(1n) + REGION], args);
    // Whether it is whole, that it is not all, and one worker more than were wanted with where they are.
    expect(answer).toHaveLength(2 + 2 * 201);
    expect((answer as string[]).slice(0, 2)).toEqual(['WHOLE', '0']);
  });

  test('all who are gone are swept away, however many', async () => {
    const index = newIndex();
    await index.apply(1n, many(2_300));
    nowMs = () => START + 400_000;
    expect(await index.sweep()).toBe(2_300);
    expect((await index.counts()).workers).toBe(0);
  });

  test('who looks while somebody builds waits for the end of it', async () => {
    const [builder, reader] = [newIndex(), newIndex()];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    latest = async () => {
      await held;
      return many(50);
    };
    await builder.apply(1n, [fixOf(7, { deviceMs: START + 1 })]);
    await expect.poll(() => builds).toBe(1);
    let isTold = false;
    const answer = found(reader).finally(() => {
      isTold = true;
    });
    await ask("return redis.call('PING')");
    expect(isTold).toBe(false);
    release();
    expect(await answer).toHaveLength(50);
    expect(builds).toBe(1);
  });

  test('who waits for too long is told that it cannot be said, and not that nobody is there', async () => {
    const [builder, reader] = [newIndex(), newIndex(100)];
    latest = () => new Promise(() => undefined);
    await builder.apply(1n, [fixOf(7)]);
    await expect.poll(() => builds).toBe(1);
    await expect(found(reader)).rejects.toMatchObject({ code: 'HOT_INDEX_UNAVAILABLE' });
    await expect(reader.lastSeen(1n, [7n])).rejects.toMatchObject({ code: 'HOT_INDEX_UNAVAILABLE' });
  });

  test('a build that Redis is emptied under is not taken for one that has ended', async () => {
    const [index, reader] = [newIndex(), newIndex(300)];
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    latest = async () => {
      await (builds === 1 ? null : held);
      return many(1_200);
    };
    let batches = 0;
    nowMs = () => {
      batches += 1;
      if (batches === 3) {
        void flush(); // Goes out before the second batch of the build.
      }
      return START;
    };
    await index.apply(1n, [fixOf(7)]);
    await expect.poll(() => builds).toBe(2);
    await expect(found(reader)).rejects.toMatchObject({ code: 'HOT_INDEX_UNAVAILABLE' });
    release();
    expect(await found(index)).toHaveLength(1_200);
  });

  test('emptied again and again among fixes and looks: whoever looks finds everybody', async () => {
    const [one, other] = [newIndex(), newIndex()];
    latest = async () => many(60);
    for (let round = 1; round <= 25; round++) {
      const moved = many(60, { lat: 52.5 + round / 10_000, deviceMs: START + round });
      const [, , before, after] = await Promise.all([
        one.apply(1n, moved.slice(0, 30)),
        round % 3 === 0 ? flush() : null,
        found(other),
        found(one),
        other.apply(1n, moved.slice(30)),
      ]);
      expect([before.length, after.length]).toEqual([60, 60]);
    }
  });
});
