import { Registry } from 'prom-client';
import { createWebhooks } from '../../src/jobs/webhooks.js';
import { openDatabase } from '../../src/services/platform/database.js';
import { createIdCodec } from '../../src/services/platform/ids.js';
import { createLogger } from '../../src/services/platform/logger.js';
import { createSecretBox } from '../../src/services/platform/secret-box.js';

// A process that does nothing but send webhooks, for a test that kills it.

const [url = '', key = ''] = process.argv.slice(2);
createWebhooks({
  db: openDatabase({ url }),
  ids: createIdCodec(key),
  secrets: createSecretBox(key),
  loopback: true,
  log: createLogger('error'),
  registry: new Registry(),
}).start();
