// One server process, to be killed: node --import tsx test/cli/support/server.ts. Says where it listens in one line.
import { loadConfig } from '../../../src/runtime/config.js';
import { startServer } from '../../../src/server.js';
import { createLogger } from '../../../src/services/platform/logger.js';

const config = loadConfig();
const { databaseUrl } = config;
if (databaseUrl === undefined) {
  throw new Error('Set DATABASE_URL.');
}
const server = await startServer({ config, databaseUrl, log: createLogger('error') });
process.stdout.write(`${server.url}\n`);
