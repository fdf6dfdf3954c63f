import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { forEachBounded } from '../platform/concurrency.js';
import {
  assertKey,
  isBytes,
  keyOf,
  MAX_UPLOAD_BYTES,
  measured,
  type OpenedObject,
  PayloadMissingError,
  type PayloadSource,
  type PayloadStore,
  type StoredObject,
  startMeasure,
  verified,
} from './payload-store.js';

/** Node runs file operations on four threads; a few more keep them busy without a crowd of open files. */
const PARALLEL_FILES = 16;

/** Where uploads grow until they are complete; on the same file system, so that a rename is atomic. */
const INCOMING = 'incoming';

/** A file in INCOMING that nobody has written to for so long belongs to a process that died. */
const ABANDONED_AFTER_MS = 24 * 60 * 60 * 1000;

/**
 * Opens the store that keeps objects as files under `directory`, making the directory if need be.
 * Throws the file system's error when the directory cannot be written to.
 *
 * Layout: `<tenant>/<first two digits>/<sha256>`. One level of 256 directories is enough (a million objects are 4,000
 * files each) and keeps the number of directories that a chunk of payloads must sync low; two levels made nearly
 * every payload pay for a directory of its own.
 */
export async function openLocalPayloadStore(directory: string): Promise<PayloadStore> {
  const root = resolve(directory);
  await makeDirectory(join(root, INCOMING));
  await sweepIncoming(join(root, INCOMING));
  return new LocalPayloadStore(root);
}

class LocalPayloadStore implements PayloadStore {
  /** Directories known to be durable; at most 256 a tenant. Whoever needs one that is being made waits for it. */
  private readonly durable = new Map<string, Promise<void>>();

  constructor(private readonly directory: string) {}

  async put(
    tenantId: bigint,
    source: PayloadSource,
    options: { maxBytes?: number } = {},
  ): Promise<StoredObject> {
    const chunks = isBytes(source) ? [source] : source;
    const measure = startMeasure();
    const temporary = this.temporaryPath();
    return await discardOnFailure(temporary, async () => {
      await writeSynced(temporary, measured(toAsync(chunks), options.maxBytes ?? MAX_UPLOAD_BYTES, measure));
      const key = measure.hash.digest('hex');
      const path = this.pathOf(tenantId, key);
      await this.publish([{ temporary, path }]);
      await syncDirectory(dirname(path));
      return { key, bytes: measure.bytes };
    });
  }

  async putMany(tenantId: bigint, contents: readonly Uint8Array[]): Promise<StoredObject[]> {
    const stored = contents.map((content) => ({ key: keyOf(content), bytes: content.byteLength, content }));
    const distinct = [...new Map(stored.map((object) => [object.key, object])).values()];
    const moves: Move[] = [];
    try {
      await forEachBounded(distinct, PARALLEL_FILES, async ({ key, content }) => {
        const path = this.pathOf(tenantId, key);
        if (!(await isWhole(path, content.byteLength))) {
          const temporary = this.temporaryPath();
          moves.push({ temporary, path });
          await writeSynced(temporary, toAsync([content]));
        }
      });
      await this.publish(moves);
    } catch (error) {
      await forEachBounded(moves, PARALLEL_FILES, ({ temporary }) => rm(temporary, { force: true }));
      throw error;
    }
    // Also for files that were there: the writer ahead of us may not have come to its directory sync yet.
    await syncDirectories(distinct.map(({ key }) => dirname(this.pathOf(tenantId, key))));
    return stored.map(({ key, bytes }) => ({ key, bytes }));
  }

  async open(tenantId: bigint, key: string): Promise<OpenedObject> {
    assertKey(key);
    const file = await orMissing(key, () => open(this.pathOf(tenantId, key), 'r'));
    const { size } = await file.stat();
    return { bytes: size, stream: verified(file.createReadStream(), key) };
  }

  async has(tenantId: bigint, key: string): Promise<boolean> {
    assertKey(key);
    return await stat(this.pathOf(tenantId, key)).then(
      () => true,
      () => false,
    );
  }

  async check(): Promise<void> {
    const probe = this.temporaryPath();
    await discardOnFailure(probe, () => writeSynced(probe, toAsync([])));
    await rm(probe);
  }

  close(): void {
    // Files are closed as they are read; nothing outlives a call.
  }

  private pathOf(tenantId: bigint, key: string): string {
    return join(this.directory, String(tenantId), key.slice(0, 2), key);
  }

  private temporaryPath(): string {
    return join(this.directory, INCOMING, randomUUID());
  }

  /** Gives finished files their names, durable once their directories are synced. Twice is a rename over itself. */
  private async publish(moves: readonly Move[]): Promise<void> {
    const directories = [...new Set(moves.map(({ path }) => dirname(path)))];
    try {
      await forEachBounded(directories, PARALLEL_FILES, (path) => this.ensureDirectory(path));
      await forEachBounded(moves, PARALLEL_FILES, ({ temporary, path }) => rename(temporary, path));
    } catch (error) {
      // Somebody may have removed a directory: the next try makes them again.
      this.durable.clear();
      throw error;
    }
  }

  private ensureDirectory(path: string): Promise<void> {
    const known = this.durable.get(path);
    if (known !== undefined) {
      return known;
    }
    const made = makeDirectory(path).catch((error: unknown) => {
      this.durable.delete(path);
      throw error;
    });
    this.durable.set(path, made);
    return made;
  }
}

interface Move {
  readonly temporary: string;
  readonly path: string;
}

async function* toAsync(
  chunks: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function discardOnFailure<T>(temporary: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** Writes a new file and returns once its bytes are on the disk. */
async function writeSynced(path: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const file: FileHandle = await open(path, 'wx', 0o600);
  try {
    for await (const chunk of chunks) {
      await file.writeFile(chunk);
    }
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A file of another size under the right name was damaged from outside; it is written anew. */
async function isWhole(path: string, bytes: number): Promise<boolean> {
  return await stat(path).then(
    (found) => found.size === bytes,
    () => false,
  );
}

/**
 * Makes a directory and its parents, each new entry synced: a file is only durable if its directory is. The two
 * levels that are ours are synced even where they exist, since another process may have made them a moment ago.
 */
async function makeDirectory(path: string): Promise<void> {
  const first = (await mkdir(path, { recursive: true, mode: 0o700 })) ?? dirname(path);
  for (let made = path; made.length >= first.length; made = dirname(made)) {
    await syncDirectory(dirname(made));
  }
}

async function syncDirectories(paths: readonly string[]): Promise<void> {
  await forEachBounded([...new Set(paths)], PARALLEL_FILES, syncDirectory);
}

async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

async function orMissing<T>(key: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
      throw new PayloadMissingError(key);
    }
    throw error;
  }
}

/** Removes what dead processes left. "Now" is the file system's own: the time of a file made for the purpose. */
async function sweepIncoming(incoming: string): Promise<void> {
  const probe = join(incoming, randomUUID());
  await writeSynced(probe, toAsync([]));
  const { mtimeMs: now } = await stat(probe);
  await rm(probe);
  for (const name of await readdir(incoming)) {
    const path = join(incoming, name);
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && now - found.mtimeMs > ABANDONED_AFTER_MS) {
      await rm(path, { force: true });
    }
  }
}
