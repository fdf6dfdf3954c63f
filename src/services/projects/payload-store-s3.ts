import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
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
  UploadTooLargeError,
  verified,
} from './payload-store.js';
import { inParts, PART_BYTES, uploadParts } from './payload-store-s3-parts.js';

/** Where the bucket is and who may write to it. */
export interface S3Settings {
  /** Base URL of the service, for example `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string;
  readonly bucket: string;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Requests in flight for one chunk of payloads. S3 answers a small put in 20-50 ms, so 32 give about 1,000/s. */
const PARALLEL_REQUESTS = 32;

/** Attempts for one request, by the SDK, with growing and jittered pauses: an outage of seconds is ridden out. */
const MAX_ATTEMPTS = 5;

/**
 * Creates the store that keeps objects in a bucket of any S3 API, under `<tenant>/<sha256>`. The bucket must exist.
 *
 * An upload whose name is not known until its last byte grows under `incoming/` and is then copied by the service to
 * its name. A node that dies in between leaves an object there: give the bucket a lifecycle rule that expires
 * `incoming/` and aborts unfinished multipart uploads after a day.
 */
export function createS3PayloadStore(settings: S3Settings): PayloadStore {
  return new S3PayloadStore(createClient(settings), settings.bucket);
}

class S3PayloadStore implements PayloadStore {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  async put(
    tenantId: bigint,
    source: PayloadSource,
    options: { maxBytes?: number } = {},
  ): Promise<StoredObject> {
    const maxBytes = options.maxBytes ?? MAX_UPLOAD_BYTES;
    if (isBytes(source)) {
      if (source.byteLength > maxBytes) {
        throw new UploadTooLargeError(maxBytes);
      }
      return await this.putBytes(tenantId, source);
    }
    const measure = startMeasure();
    const parts = inParts(measured(source, maxBytes, measure));
    try {
      const first = (await parts.next()).value ?? Buffer.alloc(0);
      if (first.byteLength < PART_BYTES) {
        return await this.putBytes(tenantId, first);
      }
      const incoming = `incoming/${randomUUID()}`;
      await uploadParts({ client: this.client, bucket: this.bucket, key: incoming }, first, parts);
      const key = measure.hash.digest('hex');
      await this.settle(incoming, pathOf(tenantId, key));
      return { key, bytes: measure.bytes };
    } finally {
      // Ends the source too, so that a sender whose upload failed is not left waiting.
      await parts.return(undefined);
    }
  }

  async putMany(tenantId: bigint, contents: readonly Uint8Array[]): Promise<StoredObject[]> {
    const stored = contents.map((content) => ({ key: keyOf(content), bytes: content.byteLength, content }));
    const distinct = [...new Map(stored.map((object) => [object.key, object])).values()];
    await forEachBounded(distinct, PARALLEL_REQUESTS, ({ content }) => this.putBytes(tenantId, content));
    return stored.map(({ key, bytes }) => ({ key, bytes }));
  }

  async open(tenantId: bigint, key: string): Promise<OpenedObject> {
    assertKey(key);
    const command = new GetObjectCommand({ Bucket: this.bucket, Key: pathOf(tenantId, key) });
    const found = await this.client.send(command).catch((error: unknown) => {
      throw isNotFound(error) ? new PayloadMissingError(key) : error;
    });
    if (!(found.Body instanceof Readable)) {
      throw new Error('The S3 client answered without a body.');
    }
    return { bytes: found.ContentLength ?? 0, stream: verified(found.Body, key) };
  }

  async has(tenantId: bigint, key: string): Promise<boolean> {
    assertKey(key);
    const command = new HeadObjectCommand({ Bucket: this.bucket, Key: pathOf(tenantId, key) });
    return await this.client.send(command).then(
      () => true,
      (error: unknown) => {
        if (isNotFound(error)) {
          return false;
        }
        throw error;
      },
    );
  }

  async check(): Promise<void> {
    await this.client.send(new HeadBucketCommand({ Bucket: this.bucket }));
  }

  close(): void {
    this.client.destroy();
  }

  /** Stores bytes at hand. No look whether they are there already: one put costs less than a look and a put. */
  private async putBytes(tenantId: bigint, content: Uint8Array): Promise<StoredObject> {
    const key = keyOf(content);
    await this.client.send(
      new PutObjectCommand({ Bucket: this.bucket, Key: pathOf(tenantId, key), Body: content }),
    );
    return { key, bytes: content.byteLength };
  }

  /** Gives a complete upload its name. */
  private async settle(incoming: string, path: string): Promise<void> {
    await this.client.send(
      new CopyObjectCommand({ Bucket: this.bucket, Key: path, CopySource: `${this.bucket}/${incoming}` }),
    );
    await this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key: incoming }));
  }
}

function createClient(settings: S3Settings): S3Client {
  return new S3Client({
    endpoint: settings.endpoint,
    region: settings.region,
    credentials: { accessKeyId: settings.accessKeyId, secretAccessKey: settings.secretAccessKey },
    // Buckets as host names need wildcard DNS, which other vendors' servers seldom have.
    forcePathStyle: true,
    maxAttempts: MAX_ATTEMPTS,
    // The SDK's default adds CRC trailers that many S3 APIs refuse. Ours is the stronger check: the name of an
    // object is its SHA-256, signed with the request and compared whenever it is read.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5_000,
      // An idle limit, not one for the whole request: a part may take long on a slow line as long as it moves.
      socketTimeout: 30_000,
      httpAgent: { keepAlive: true, maxSockets: PARALLEL_REQUESTS * 2 },
      httpsAgent: { keepAlive: true, maxSockets: PARALLEL_REQUESTS * 2 },
    },
  });
}

function pathOf(tenantId: bigint, key: string): string {
  return `${tenantId}/${key}`;
}

function isNotFound(error: unknown): boolean {
  return error instanceof Error && ['NoSuchKey', 'NotFound'].includes(error.name);
}
