import { createHash, randomBytes } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  PayloadCorruptError,
  PayloadMissingError,
  type PayloadStore,
  UploadTooLargeError,
} from '../../src/services/projects/payload-store.js';
import { openLocalPayloadStore } from '../../src/services/projects/payload-store-local.js';
import { createS3PayloadStore } from '../../src/services/projects/payload-store-s3.js';
import { type S3Server, startS3Server } from './support/s3-server.js';

const sha256 = (content: Uint8Array) => createHash('sha256').update(content).digest('hex');
const MiB = 1024 * 1024;

let directory: string;
let s3: S3Server;
const stores: Record<string, PayloadStore> = {};

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'touchstone-objects-'));
  s3 = await startS3Server();
  stores.local = await openLocalPayloadStore(directory);
  stores.s3 = createS3PayloadStore(s3.settings);
});

afterAll(async () => {
  stores.s3?.close();
  await s3[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

async function* inChunks(content: Uint8Array, size: number) {
  for (let at = 0; at < content.byteLength; at += size) {
    yield content.subarray(at, at + size);
  }
}

async function read(store: PayloadStore, tenantId: bigint, key: string) {
  const opened = await store.open(tenantId, key);
  const content = await buffer(opened.stream);
  expect(opened.bytes).toBe(content.byteLength);
  return content;
}

describe.each(['local', 's3'])('the %s payload store', (kind) => {
  const store = () => stores[kind] as PayloadStore;

  test('names content by its SHA-256 and gives back the same bytes', async () => {
    const content = randomBytes(1000);
    expect(await store().has(1n, sha256(content))).toBe(false);
    expect(await store().put(1n, content)).toEqual({ key: sha256(content), bytes: 1000 });
    expect(await store().has(1n, sha256(content))).toBe(true);
    expect(await read(store(), 1n, sha256(content))).toEqual(content);
  });

  test('stores nothing at all as content too', async () => {
    const { key } = await store().put(1n, Readable.from([]));
    expect(key).toBe(sha256(Buffer.alloc(0)));
    expect(await read(store(), 1n, key)).toEqual(Buffer.alloc(0));
  });

  test('takes an upload of several parts as a stream, and names it the same as the bytes at hand', async () => {
    const content = randomBytes(17 * MiB + 3);
    const { key, bytes } = await store().put(1n, inChunks(content, 61_007));
    expect({ key, bytes }).toEqual({ key: sha256(content), bytes: content.byteLength });
    expect(sha256(await read(store(), 1n, key))).toBe(key);
  });

  test('keeps tenants apart: the same content under another tenant is not there', async () => {
    const { key } = await store().put(7n, Buffer.from('for tenant 7 only'));
    expect(await store().has(8n, key)).toBe(false);
    await expect(store().open(8n, key)).rejects.toThrow(PayloadMissingError);
  });

  test('refuses an upload one byte over the limit, and accepts one at the limit', async () => {
    const content = randomBytes(9 * MiB);
    await expect(
      store().put(2n, inChunks(content, 100_000), { maxBytes: 9 * MiB - 1 }),
    ).rejects.toMatchObject({ code: 'UPLOAD_TOO_LARGE', maxBytes: 9 * MiB - 1 });
    await expect(store().put(2n, content, { maxBytes: 10 })).rejects.toThrow(UploadTooLargeError);
    expect(await store().has(2n, sha256(content))).toBe(false);
    await store().put(2n, inChunks(content, 100_000), { maxBytes: 9 * MiB });
    expect(await store().has(2n, sha256(content))).toBe(true);
  });

  test('keeps nothing of an upload whose sender vanished', async () => {
    async function* vanishing() {
      yield randomBytes(9 * MiB);
      throw new Error('connection reset');
    }
    await expect(store().put(3n, vanishing())).rejects.toThrow('connection reset');
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
  });

  test('puts the same content many times at once without harm', async () => {
    const content = randomBytes(2000);
    const puts = Array.from({ length: 20 }, () => store().put(4n, content));
    const many = Array.from({ length: 5 }, () => store().putMany(4n, [content, Buffer.from('x'), content]));
    expect(new Set((await Promise.all(puts)).map(({ key }) => key))).toEqual(new Set([sha256(content)]));
    for (const stored of await Promise.all(many)) {
      expect(stored.map(({ bytes }) => bytes)).toEqual([2000, 1, 2000]);
    }
    expect(await read(store(), 4n, sha256(content))).toEqual(content);
  });

  test('finds nothing under a name that is not a digest', async () => {
    for (const key of ['../../etc/passwd', '', 'A'.repeat(64), `${'0'.repeat(63)}/`]) {
      await expect(store().open(1n, key)).rejects.toThrow(PayloadMissingError);
    }
  });

  test('is ready', async () => {
    await store().check();
  });
});

describe('the local store', () => {
  test('never ends cleanly on content that has rotted, and heals a truncated file when it is put again', async () => {
    const content = randomBytes(200_000);
    const { key } = await (stores.local as PayloadStore).put(5n, content);
    const path = join(directory, '5', key.slice(0, 2), key);
    const rotten = Buffer.from(content);
    rotten[100_000] = (rotten[100_000] ?? 0) ^ 1;
    await writeFile(path, rotten);
    await expect(read(stores.local as PayloadStore, 5n, key)).rejects.toThrow(PayloadCorruptError);
    await writeFile(path, content.subarray(0, 10));
    await expect(read(stores.local as PayloadStore, 5n, key)).rejects.toThrow(PayloadCorruptError);
    await stores.local?.putMany(5n, [content]);
    expect(await read(stores.local as PayloadStore, 5n, key)).toEqual(content);
  });

  test('keeps nothing of a put that failed, and mends by itself once the cause is gone', async () => {
    const content = randomBytes(100);
    const { key } = await (stores.local as PayloadStore).put(9n, content);
    const obstacle = join(directory, '9', key.slice(0, 2));
    await rm(obstacle, { recursive: true });
    await writeFile(obstacle, '');
    await expect(stores.local?.putMany(9n, [content, randomBytes(10)])).rejects.toThrow(/ENOTDIR|EEXIST/);
    expect(await readdir(join(directory, 'incoming'))).toEqual([]);
    await rm(obstacle);
    await stores.local?.putMany(9n, [content]);
    expect(await read(stores.local as PayloadStore, 9n, key)).toEqual(content);
  });

  test('sweeps what a dead process left a day ago, and spares what is growing', async () => {
    const [old, young] = [join(directory, 'incoming', 'old'), join(directory, 'incoming', 'young')];
    await writeFile(old, 'x');
    await writeFile(young, 'x');
    const { mtimeMs } = await stat(young);
    await utimes(old, mtimeMs / 1000 - 90_000, mtimeMs / 1000 - 90_000);
    await openLocalPayloadStore(directory);
    expect(await readdir(join(directory, 'incoming'))).toEqual(['young']);
    await rm(young);
  });

  test('refuses to open where it may not write', async () => {
    const file = join(directory, 'a-file');
    await writeFile(file, '');
    await chmod(file, 0o400);
    await expect(openLocalPayloadStore(file)).rejects.toThrow(/ENOTDIR|EEXIST/);
  });
});

describe('the S3 store', () => {
  test('sends a request again after a failure of the service', async () => {
    s3.failNext('PUT', 503);
    s3.failNext('PUT', 500);
    const { key } = await (stores.s3 as PayloadStore).put(6n, Buffer.from('in the end'));
    expect(await read(stores.s3 as PayloadStore, 6n, key)).toEqual(Buffer.from('in the end'));
  });

  test('sends one part again, not the whole upload', async () => {
    const content = randomBytes(9 * MiB);
    const before = s3.seen.length;
    s3.failNext('PUT', 503);
    const { key } = await (stores.s3 as PayloadStore).put(6n, inChunks(content, 1_000_000));
    expect(sha256(await read(stores.s3 as PayloadStore, 6n, key))).toBe(key);
    // Two parts, the repeated one, and the copy to the final name.
    expect(s3.seen.slice(before).filter((method) => method === 'PUT')).toHaveLength(4);
  });

  test('aborts a multipart upload that fails, and says why it failed', async () => {
    const before = s3.seen.length;
    async function* vanishing() {
      yield randomBytes(9 * MiB);
      throw new Error('connection reset');
    }
    await expect((stores.s3 as PayloadStore).put(6n, vanishing())).rejects.toThrow('connection reset');
    expect(s3.seen.slice(before).at(-1)).toBe('DELETE');
  });
});
