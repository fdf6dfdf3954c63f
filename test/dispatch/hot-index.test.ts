// @once: looks at no database
import { latLngToCell } from 'h3-js';
import { afterEach, beforeEach, describe, expect, inject, test } from 'vitest';
import { metresBetween } from '../../src/services/dispatch/eta/distance.js';
import {
  AHEAD_MS_MAX,
  clockFault,
  DEVICE_AGE_MS_MAX,
  type Fix,
  parseReport,
} from '../../src/services/dispatch/fixes/fix.js';
import type { HotIndex, HotIndexParts } from '../../src/services/dispatch/fixes/hot-index.js';
import { createLocalHotIndex } from '../../src/services/dispatch/fixes/hot-index-local.js';
import { createSharedHotIndex } from '../../src/services/dispatch/fixes/hot-index-redis.js';
import type { Around } from '../../src/services/dispatch/ports.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { randomOf } from '../../src/services/platform/random.js';
import { connectRedis, type RedisConnection } from '../../src/services/platform/redis.js';
import { unique } from '../support/factories.js';
import { redisUrl } from '../support/redis.js';

// One set of promises, two indexes: in this process, and in Redis.

const START = 1_790_000_000_000;
const BERLIN = { latitude: 52.5, longitude: 13.4 };
const log = createLogger('silent');

const fixOf = (
  expertId: number,
  { lat = 52.5, lng = 13.4, deviceMs = START, receivedMs = START, tenantId = 1n }: Partial<Fix> = {},
): Fix => ({
  tenantId,
  expertId: BigInt(expertId),
  lat,
  lng,
  deviceMs,
  receivedMs,
  accuracyMetres: null,
  cell: latLngToCell(lat, lng, 8),
});

interface Made {
  readonly index: HotIndex;
  readonly redis?: RedisConnection;
  /** Takes away all that Redis has of it. */
  readonly flush?: () => Promise<unknown>;
}

const FLUSH = "for _, key in ipairs(redis.call('KEYS', ARGV[1] .. ':*')) do redis.call('DEL', key) end";

const KINDS: [string, (parts: HotIndexParts) => Made][] = [
  ['in this process', (parts) => ({ index: createLocalHotIndex(parts) })],
  [
    'in Redis',
    (parts) => {
      const prefix = unique('fixes');
      const redis = connectRedis({ url: redisUrl(), prefix, log });
      const flush = redis.script('flush', FLUSH);
      const index = createSharedHotIndex({ ...parts, redis, log });
      return { redis, index, flush: () => flush([], [prefix]) };
    },
  ],
];

describe.skipIf(inject('redisUrl') === '').each(KINDS)('where workers were seen last, %s', (_, make) => {
  let made: Made;
  let index: HotIndex;
  let nowMs: number;
  let latest: Fix[];
  let builds: number;

  beforeEach(async () => {
    nowMs = START;
    latest = [];
    builds = 0;
    made = make({
      nowMs: () => nowMs,
      latest: async () => {
        builds += 1;
        return latest;
      },
    });
    index = made.index;
    await expect.poll(() => made.redis?.isUp() ?? true).toBe(true);
  });
  afterEach(() => made.redis?.close());

  const seen = (id: number) => index.lastSeen(1n, [BigInt(id)]).then(([one]) => one);
  const ids = async (limit = 10, metres = 10_000) =>
    (await look({ limit, metres })).seen.map(({ expertId }) => Number(expertId));
  const look = (around: Partial<Around> = {}) =>
    index.nearby(1n, { place: BERLIN, metres: 10_000, limit: 10, atMost: 1_000, ...around });

  test('a newer fix replaces an older one, an older one nothing, whatever comes first', async () => {
    expect(await index.apply(1n, [fixOf(1)])).toEqual({ newer: 1, older: 0 });
    expect(await index.apply(1n, [fixOf(1, { lat: 52.6, deviceMs: START - 1 })])).toEqual({
      newer: 0,
      older: 1,
    });
    expect(await index.apply(1n, [fixOf(1, { lat: 52.7, deviceMs: START })])).toEqual({ newer: 0, older: 1 });
    expect((await seen(1))?.place.latitude).toBe(52.5);
    expect(await index.apply(1n, [fixOf(1, { lat: 52.8, deviceMs: START + 1 })])).toEqual({
      newer: 1,
      older: 0,
    });
    expect((await seen(1))?.place.latitude).toBe(52.8);
  });

  test('of several fixes of one worker in a batch the newest stays', async () => {
    const at = (lat: number, deviceMs: number) => fixOf(1, { lat, deviceMs: START + deviceMs });
    await index.apply(1n, [at(52.51, 1), at(52.53, 3), at(52.52, 2)]);
    expect((await seen(1))?.place.latitude).toBe(52.53);
    expect(await ids()).toEqual([1]);
  });

  test('whose fix is old by either clock is not fresh, though it has just come', async () => {
    await index.apply(1n, [
      fixOf(1),
      fixOf(2, { deviceMs: START - 40_000, receivedMs: START }),
      fixOf(3, { deviceMs: START - 29_000, receivedMs: START }),
    ]);
    const fresh = async () =>
      (await look({ metres: 1_000 })).seen
        .filter(({ isFresh }) => isFresh)
        .map(({ expertId }) => Number(expertId));
    expect(new Set(await fresh())).toEqual(new Set([1, 3]));
    nowMs += 29_000;
    expect(await fresh()).toEqual([1]);
    nowMs += 2_000;
    expect(await fresh()).toEqual([]);
    expect((await seen(1))?.ageSeconds).toBe(31);
  });

  test('who says nothing for five minutes is gone, and swept away', async () => {
    await index.apply(1n, [fixOf(1), fixOf(2)]);
    nowMs += 200_000;
    await index.apply(1n, [fixOf(2, { deviceMs: nowMs, receivedMs: nowMs })]);
    nowMs = START + 301_000;
    expect(await ids()).toEqual([2]);
    expect(await seen(1)).toBeUndefined();
    expect(await index.sweep()).toBe(1);
    expect(await index.sweep()).toBe(0);
    expect((await index.counts()).workers).toBe(1);
    nowMs += 60_000;
    await index.apply(1n, [fixOf(1, { deviceMs: nowMs, receivedMs: nowMs })]);
    expect(new Set(await ids())).toEqual(new Set([1, 2]));
  });

  test('a worker who crosses into another region is in that one only', async () => {
    await index.apply(1n, [fixOf(1)]);
    await index.apply(1n, [fixOf(1, { lat: 48.1, lng: 11.6, deviceMs: START + 1 })]);
    expect(await ids()).toEqual([]);
    const munich = { latitude: 48.1, longitude: 11.6 };
    const found = await look({ place: munich, metres: 1_000, limit: 1 });
    expect(found.seen.map(({ expertId }) => expertId)).toEqual([1n]);
  });

  test('another tenant in the same cell is never seen', async () => {
    await index.apply(1n, [fixOf(1)]);
    await index.apply(2n, [fixOf(2, { tenantId: 2n })]);
    expect(await ids()).toEqual([1]);
    expect(await index.lastSeen(1n, [2n])).toEqual([]);
    const theirs = await index.nearby(2n, { place: BERLIN, metres: 1_000, limit: 10, atMost: 100 });
    expect(theirs.seen.map(({ expertId }) => expertId)).toEqual([2n]);
  });

  test('what was lost is built again from the latest fixes, and what has come since stands', async () => {
    await index.apply(1n, [fixOf(7, { lat: 52.51, deviceMs: START + 5 })]);
    await expect.poll(() => builds).toBe(1);
    latest = [fixOf(7), fixOf(8)];
    await made.flush?.();
    if (made.flush === undefined) {
      index = createLocalHotIndex({ nowMs: () => nowMs, latest: async () => latest });
    }
    await index.apply(1n, [fixOf(7, { lat: 52.52, deviceMs: START + 6 })]);
    await expect.poll(() => ids().then((found) => found.toSorted())).toEqual([7, 8]);
    expect((await seen(7))?.place.latitude).toBe(52.52);
  });

  test('the nearest are found as by looking at everybody, near and far, dense and sparse', async () => {
    const random = randomOf(7, 'places');
    const between = (from: number, to: number) => from + random() * (to - from);
    const fixes = Array.from({ length: 3_000 }, (_, n) => {
      const isDense = n % 2 === 0;
      const lat = isDense ? between(52.49, 52.51) : between(52.2, 52.8);
      const lng = isDense ? between(13.38, 13.42) : between(12.9, 13.9);
      const receivedMs = n % 5 === 0 ? START - 60_000 : START;
      return fixOf(n, {
        lat: Number(lat.toFixed(6)),
        lng: Number(lng.toFixed(6)),
        deviceMs: receivedMs,
        receivedMs,
      });
    });
    await index.apply(1n, fixes);
    for (let round = 0; round < 40; round++) {
      const place = { latitude: between(52.2, 52.8), longitude: between(12.9, 13.9) };
      const metres = between(300, 30_000);
      const limit = 1 + (round % 20);
      const sorted = fixes
        .map((fix) => ({ fix, metres: metresBetween(place, { latitude: fix.lat, longitude: fix.lng }) }))
        .filter((one) => one.metres <= metres)
        .toSorted((a, b) => a.metres - b.metres);
      const fresh = sorted.filter(({ fix }) => fix.receivedMs === START);
      const last = fresh.length < limit ? Number.POSITIVE_INFINITY : (fresh[limit - 1]?.metres ?? 0);
      const wanted = sorted.filter((one) => one.metres <= last).map(({ fix }) => fix.expertId);
      const found = await look({ place, metres, limit, atMost: fixes.length });
      expect(found.seen.map(({ expertId }) => expertId)).toEqual(wanted);
      expect(found.isAll).toBe(wanted.length === sorted.length);
    }
  });

  const stale = (count: number, of: Partial<Fix> = {}) =>
    Array.from({ length: count }, (__, n) => fixOf(n + 1, { deviceMs: START - 60_000, ...of }));
  /** So many metres north of the middle. */
  const north = (metres: number) => ({ lat: BERLIN.latitude + metres / 111_195 });

  test('a look that ended before whoever stands behind stale ones says that it is not all', async () => {
    await index.apply(1n, [...stale(700, north(800)), fixOf(9_000, north(3_000))]);
    const cut = await look({ limit: 60, atMost: 600 });
    expect([cut.seen.length, cut.isAll]).toEqual([600, false]);
    const all = await look({ limit: 60, atMost: 701 });
    expect([all.seen.length, all.isAll]).toEqual([701, true]);
    expect(all.seen.at(-1)).toMatchObject({ expertId: 9_000n, isFresh: true });
  });

  test('in one small circle, too, everybody is looked at, or it says that not', async () => {
    await index.apply(1n, [...stale(300, north(100)), fixOf(9_000, north(300))]);
    const all = await look({ metres: 500, limit: 60, atMost: 600 });
    expect([all.seen.length, all.isAll, all.seen.at(-1)?.isFresh]).toEqual([301, true, true]);
    const cut = await look({ metres: 500, limit: 60, atMost: 300 });
    expect([cut.seen.length, cut.isAll]).toEqual([300, false]);
  });

  test('as many as may be looked at are all, where nobody else is there', async () => {
    await index.apply(1n, [...stale(200), ...stale(400).slice(200)]);
    expect(await look({ limit: 60, atMost: 400 })).toMatchObject({ isAll: true });
    expect(await look({ limit: 60, atMost: 399 })).toMatchObject({ isAll: false });
  });

  test('enough fresh ones are not all, where others are there; nobody is', async () => {
    expect(await look()).toEqual({ seen: [], isAll: true });
    await index.apply(1n, [fixOf(1), fixOf(2, north(600))]);
    expect(await look({ limit: 1 })).toMatchObject({ seen: [{ expertId: 1n }], isAll: false });
    expect(await look({ limit: 3 })).toMatchObject({ isAll: true });
  });

  test('farther than it reaches it does not say that nobody is there', async () => {
    await index.apply(1n, [fixOf(1, north(60_000))]);
    expect(await look({ metres: 50_000 })).toEqual({ seen: [], isAll: true });
    expect(await look({ metres: 100_000 })).toEqual({ seen: [], isAll: false });
  });

  test('a city in which everybody is stale is not looked through', async () => {
    await index.apply(1n, stale(20_000, north(400)));
    const { seen: found, isAll } = await look({ limit: 60, atMost: 600 });
    expect([found.length, isAll]).toEqual([600, false]);
  });
});

test('reports that are not of this world, or of this map, are told from those that are', () => {
  const bounds = { west: 1.4, south: 42.4, east: 1.8, north: 42.7 };
  const good = { lat: 42.5, lng: 1.5, deviceMs: START };
  expect(parseReport(good, bounds)).toEqual({ ...good, accuracyMetres: null });
  expect(parseReport({ ...good, accuracyMetres: 8.5 }, null)).toEqual({ ...good, accuracyMetres: 8.5 });
  for (const off of [{ lat: 0, lng: 0 }, { lat: 89 }, { lng: 181 }, { lat: 41 }, { lng: 2.1 }]) {
    expect(parseReport({ ...good, ...off }, bounds)).toBe('OFF_MAP');
  }
  for (const bad of [
    null,
    7,
    'here',
    {},
    { ...good, lat: '42.5' },
    { ...good, lng: Number.NaN },
    { ...good, deviceMs: 1.5 },
    { ...good, deviceMs: 1_790_000_000 },
    { ...good, accuracyMetres: -1 },
  ]) {
    expect(parseReport(bad, bounds)).toBe('MALFORMED');
  }
});

test('a clock may be wrong by a little, and no more: a fix from the future would keep all later ones out', () => {
  const at = (deviceMs: number) => clockFault({ deviceMs: START + deviceMs }, START);
  expect(at(AHEAD_MS_MAX)).toBe(null);
  expect(at(AHEAD_MS_MAX + 1)).toBe('AHEAD_OF_TIME');
  expect(at(-DEVICE_AGE_MS_MAX)).toBe(null);
  expect(at(-DEVICE_AGE_MS_MAX - 1)).toBe('TOO_OLD');
});
