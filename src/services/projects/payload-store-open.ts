import type { PayloadStore } from './payload-store.js';
import { openLocalPayloadStore } from './payload-store-local.js';
import type { S3Settings } from './payload-store-s3.js';

/**
 * Opens the store that the configuration asks for: a bucket where there are S3 settings, else a local directory.
 * Throws when a local directory cannot be written to.
 */
export async function openPayloadStore(place: S3Settings | { directory: string }): Promise<PayloadStore> {
  if ('directory' in place) {
    return await openLocalPayloadStore(place.directory);
  }
  // The S3 client takes about half a second to load, which a start on a local directory should not pay.
  const { createS3PayloadStore } = await import('./payload-store-s3.js');
  return createS3PayloadStore(place);
}
