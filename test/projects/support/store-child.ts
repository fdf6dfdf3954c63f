/** A node that stores one batch and nothing else, to be killed: `store-child.ts <database url> <directory> <batch id>`. */
import { openDatabase } from '../../../src/services/platform/database.js';
import { createIdCodec } from '../../../src/services/platform/ids.js';
import { openLocalPayloadStore } from '../../../src/services/projects/payload-store-local.js';
import { ID_SECRET, store } from './intake-world.js';

const [url = '', directory = '', batchId = ''] = process.argv.slice(2);
const db = openDatabase({ url });
await store(
  { db, ids: createIdCodec(ID_SECRET), store: await openLocalPayloadStore(directory) },
  BigInt(batchId),
);
await db.close();
