import { createHash } from 'node:crypto';
import { pipeline, type Readable, Transform, type TransformCallback } from 'node:stream';
import { DomainError } from '../platform/errors.js';

/** The name of some content (its SHA-256 in hex) and how many bytes it has. */
export interface StoredObject {
  readonly key: string;
  readonly bytes: number;
}

/** Content being read back. The stream fails with PayloadCorruptError instead of ending on other bytes. */
export interface OpenedObject {
  readonly bytes: number;
  readonly stream: Readable;
}

/** Bytes at hand, or bytes that arrive: an upload is never held in memory whole. */
export type PayloadSource = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Content-addressed storage of payloads and uploads. Objects are immutable, so the same content is stored once a
 * tenant, a repeated put is harmless, and concurrent puts need no lock. Tenants share nothing: the tenant's id is
 * the first part of every path, and whoever asks with another tenant's id finds nothing.
 */
export interface PayloadStore {
  /**
   * Stores the content and returns its name once it is durable. `maxBytes` bounds what arrives (default: 2 GiB);
   * one byte more throws UploadTooLargeError and leaves nothing behind.
   */
  put(tenantId: bigint, source: PayloadSource, options?: { maxBytes?: number }): Promise<StoredObject>;
  /** Stores many small contents, durable together when it returns; names come in the order of `contents`. */
  putMany(tenantId: bigint, contents: readonly Uint8Array[]): Promise<StoredObject[]>;
  /** Opens stored content for reading. Throws PayloadMissingError if there is none under that name. */
  open(tenantId: bigint, key: string): Promise<OpenedObject>;
  /** Whether there is content under that name; whether it is intact shows when it is read. */
  has(tenantId: bigint, key: string): Promise<boolean>;
  /** Throws when the storage cannot be reached; for readiness. */
  check(): Promise<void>;
  /** Gives connections back. */
  close(): void;
}

/** The largest upload accepted. S3 copies objects of at most 5 GiB in one request; a million rows of 2 KiB fit. */
export const MAX_UPLOAD_BYTES = 2 * 1024 ** 3;

/** More bytes were sent than an upload may have. */
export class UploadTooLargeError extends DomainError {
  readonly code = 'UPLOAD_TOO_LARGE';
  constructor(readonly maxBytes: number) {
    super(`An upload may have at most ${maxBytes} bytes. Split it into several batches.`);
  }
}

/** Nothing is stored under that name. Not a refusal: what the database names must exist. */
export class PayloadMissingError extends Error {
  override readonly name = 'PayloadMissingError';
  constructor(readonly key: string) {
    super(`No object is stored under ${key}.`);
  }
}

/** What is stored under that name is not what was put there. */
export class PayloadCorruptError extends Error {
  override readonly name = 'PayloadCorruptError';
  constructor(readonly key: string) {
    super(`The object ${key} does not match its digest.`);
  }
}

/** The name of some content. */
export function keyOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Throws unless `key` has the form of a name; so no name can walk out of its directory. */
export function assertKey(key: string): void {
  if (!/^[0-9a-f]{64}$/.test(key)) {
    throw new PayloadMissingError(key.slice(0, 80));
  }
}

/** Passes bytes through while it counts them, hashes them, and stops at the limit. */
export async function* measured(
  source: AsyncIterable<Uint8Array>,
  maxBytes: number,
  measure: Measure,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of source) {
    measure.bytes += chunk.byteLength;
    if (measure.bytes > maxBytes) {
      throw new UploadTooLargeError(maxBytes);
    }
    measure.hash.update(chunk);
    yield chunk;
  }
}

/** What `measured` has seen so far. */
export interface Measure {
  bytes: number;
  readonly hash: ReturnType<typeof createHash>;
}

/** A measure of nothing yet. */
export function startMeasure(): Measure {
  return { bytes: 0, hash: createHash('sha256') };
}

/**
 * Passes content through and compares its digest, always: SHA-256 runs at hundreds of megabytes a second, far above
 * what disk or network deliver, and a payload that has rotted must not be answered as if it were the customer's.
 * The last chunk is held back until the digest is known, so corrupt content never looks complete.
 */
export function verified(source: Readable, key: string): Readable {
  const hash = createHash('sha256');
  let held: Buffer | undefined;
  const check = new Transform({
    transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback) {
      hash.update(chunk);
      const previous = held;
      held = chunk;
      done(null, previous);
    },
    flush(done: TransformCallback) {
      if (hash.digest('hex') === key) {
        done(null, held);
      } else {
        done(new PayloadCorruptError(key));
      }
    },
  });
  // pipeline ties their fates: an error or a reader that leaves destroys both. The reader sees the error on `check`.
  pipeline(source, check, () => {});
  return check;
}

/** Whether the content was handed over whole. */
export function isBytes(source: PayloadSource): source is Uint8Array {
  return source instanceof Uint8Array;
}
