import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';

/**
 * Bytes of one part, all that is held of an upload at a time. S3 wants at least 5 MiB in every part but the last and
 * at most 10,000 parts, so this carries 80 GB.
 */
export const PART_BYTES = 8 * 1024 * 1024;

/** Gathers chunks into parts of exactly PART_BYTES; the last one is what remains, if anything. */
export async function* inParts(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let held: Uint8Array[] = [];
  let size = 0;
  for await (const arrived of source) {
    let chunk = arrived;
    while (size + chunk.byteLength >= PART_BYTES) {
      const missing = PART_BYTES - size;
      yield Buffer.concat([...held, chunk.subarray(0, missing)]);
      chunk = chunk.subarray(missing);
      held = [];
      size = 0;
    }
    held.push(chunk);
    size += chunk.byteLength;
  }
  if (size > 0) {
    yield Buffer.concat(held);
  }
}

/** One object that is uploaded in parts. */
export interface MultipartTarget {
  readonly client: S3Client;
  readonly bucket: string;
  readonly key: string;
}

/**
 * Uploads `first` and then `rest` one after another, so that memory holds one part. Each part is bytes at hand, so
 * the client can send it again. When anything fails the upload is aborted and the first failure is thrown.
 */
export async function uploadParts(
  target: MultipartTarget,
  first: Buffer,
  rest: AsyncIterable<Buffer>,
): Promise<void> {
  const place = { Bucket: target.bucket, Key: target.key };
  const { UploadId } = await target.client.send(new CreateMultipartUploadCommand(place));
  const parts: { ETag: string | undefined; PartNumber: number }[] = [];
  const send = async (body: Buffer) => {
    const PartNumber = parts.length + 1;
    const command = new UploadPartCommand({ ...place, UploadId, PartNumber, Body: body });
    parts.push({ PartNumber, ETag: (await target.client.send(command)).ETag });
  };
  try {
    await send(first);
    for await (const part of rest) {
      await send(part);
    }
    await target.client.send(
      new CompleteMultipartUploadCommand({ ...place, UploadId, MultipartUpload: { Parts: parts } }),
    );
  } catch (error) {
    // A failed abort leaves parts to the bucket's lifecycle rule; the caller needs to hear of the first failure.
    await target.client.send(new AbortMultipartUploadCommand({ ...place, UploadId })).catch(() => undefined);
    throw error;
  }
}
