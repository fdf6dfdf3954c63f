// @once: looks at no database
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { HotIndexUnavailableError } from '../../src/services/dispatch/fixes/errors.js';
import { createSharedHotIndex } from '../../src/services/dispatch/fixes/hot-index-redis.js';
import { connectRedis, type RedisConnection } from '../../src/services/platform/redis.js';
import { type OwnRedis, ownRedis } from '../live/redis-server.js';
import { describeWithRedis } from '../support/redis.js';

// Why Redis did not do something is told apart: to whoever asked, in metrics, and in the log, where nothing of the command stands.

interface Line {
  readonly fault: string;
  readonly asked: string;
  readonly said: string;
}

describeWithRedis('what Redis does not do', () => {
  let server: OwnRedis;
  let redis: RedisConnection;
  let admin: Redis;
  let faults: string[];
  let lines: Line[];

  beforeEach(async () => {
    server = await ownRedis();
    admin = new Redis(server.url);
    faults = [];
    lines = [];
    const warn = (line: Line, message?: string) => void (message === 'redis.refused' && lines.push(line));
    const log = { info: () => undefined, debug: () => undefined, warn } as unknown as Logger;
    redis = connectRedis({ url: server.url, log, onFault: (fault) => faults.push(fault) });
    await expect.poll(() => redis.isUp()).toBe(true);
    faults.length = 0;
  });
  afterEach(async () => {
    admin.disconnect();
    await redis.close();
    await server.kill();
  });

  const fault = (work: Promise<unknown>) =>
    work.then(
      () => null,
      (error) => `${error.name} ${error.fault}`,
    );
  const write = () =>
    redis.script('write', "return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])")(redis.key('a', 'b'), [
      '42.507654',
      1,
    ]);

  test('a server that is full', async () => {
    await admin.config('SET', 'maxmemory', '1');
    expect(await fault(write())).toBe('RedisUnavailableError NO_MEMORY');
    expect(faults).toEqual(['NO_MEMORY']);
  });

  test('one that takes no writes', async () => {
    await admin.config('SET', 'min-replicas-to-write', '1');
    expect(await fault(write())).toBe('RedisUnavailableError READ_ONLY');
    await admin.config('SET', 'min-replicas-to-write', '0');
    await admin.call('REPLICAOF', '127.0.0.1', '1');
    expect(await fault(write())).toBe('RedisUnavailableError READ_ONLY');
    expect(faults).toEqual(['READ_ONLY', 'READ_ONLY']);
  });

  test('something else under our key', async () => {
    await admin.set(redis.key('a', 'b'), 'text');
    expect(await fault(write())).toBe('RedisUnavailableError WRONG_TYPE');
    expect(faults).toEqual(['WRONG_TYPE']);
  });

  test('a script that fails', async () => {
    const run = redis.script('fails', 'return 1 + nil')(redis.key('a'), ['42.507654']);
    expect(await fault(run)).toBe('RedisUnavailableError SCRIPT');
    expect(faults).toEqual(['SCRIPT']);
  });

  test('a login that may not', async () => {
    await admin.call('ACL', 'SETUSER', 'default', '-hset');
    expect(await fault(write())).toBe('RedisUnavailableError NOT_ALLOWED');
    await admin.call('ACL', 'SETUSER', 'default', '-eval', '-evalsha');
    expect(await fault(write())).toBe('RedisUnavailableError NOT_ALLOWED');
    expect(faults).toEqual(['NOT_ALLOWED', 'NOT_ALLOWED']);
  });

  test('no server', async () => {
    admin.disconnect();
    await server.kill();
    await expect.poll(() => fault(write())).toBe('RedisUnavailableError NO_SERVER');
    expect(new Set(faults)).toEqual(new Set(['NO_SERVER']));
    expect(lines).toEqual([]);
  });

  test('each kind is logged once a minute, and no word of what was asked', async () => {
    await admin.set(redis.key('a', 'b'), 'text');
    for (let n = 0; n < 5; n++) {
      await fault(write());
    }
    await admin.config('SET', 'maxmemory', '1');
    await fault(write());
    expect(lines.map(({ fault: why, asked }) => [why, asked])).toEqual([
      ['WRONG_TYPE', 'write'],
      ['NO_MEMORY', 'write'],
    ]);
    expect(JSON.stringify(lines)).not.toContain('42.507654');
    expect(faults).toHaveLength(6);
  });

  test('whoever asks where workers are is told whether that passes, or waits for a person', async () => {
    const log = { info: () => undefined, debug: () => undefined, warn: () => undefined } as unknown as Logger;
    const index = createSharedHotIndex({ redis, log, nowMs: Date.now, latest: async () => [] });
    const around = { place: { latitude: 42.5, longitude: 1.5 }, metres: 1_000, limit: 5, atMost: 5 };
    const asked = async () => {
      const error = await index.nearby(1n, around).catch((caught) => caught);
      expect(error).toBeInstanceOf(HotIndexUnavailableError);
      return [error.code, error.fault, error.retryAfterSeconds];
    };
    await admin.set(redis.key('fixes/1', 'last'), 'text');
    expect(await asked()).toEqual(['HOT_INDEX_BROKEN', 'WRONG_TYPE', 60]);
    await admin.del(redis.key('fixes/1', 'last'));
    await admin.config('SET', 'maxmemory', '1');
    expect(await asked()).toEqual(['HOT_INDEX_UNAVAILABLE', 'NO_MEMORY', 2]);
    await admin.config('SET', 'maxmemory', '0');
    expect((await index.nearby(1n, around)).seen).toEqual([]);
  });
});
