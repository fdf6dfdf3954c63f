import { join } from 'node:path';
import type { StoringParts } from '../services/projects/batch-storing.js';
import { type CommandContext, withDatabase } from './with-database.js';

/** What a command works with that reads or writes stored content. */
export interface StoreContext extends CommandContext {
  readonly parts: StoringParts;
}

/** `withDatabase`, with the object storage and the ids of this installation. */
export function withStore<T>(work: (context: StoreContext) => Promise<T>): Promise<T> {
  return withDatabase(async (context) => {
    const { openPayloadStore } = await import('../services/projects/payload-store-open.js');
    const { createIdCodec } = await import('../services/platform/ids.js');
    const { loadIdKey } = await import('../runtime/id-key.js');
    const { config, database: db } = context;
    const ids = createIdCodec(await loadIdKey(config));
    const store = await openPayloadStore(config.s3 ?? { directory: join(config.dataDir, 'objects') });
    try {
      return await work({ ...context, parts: { db, store, ids } });
    } finally {
      store.close();
    }
  });
}
