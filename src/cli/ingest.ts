import type { Command } from 'commander';
import { acquireDatabase, prepareSchema } from '../runtime/acquire-database.js';
import { loadConfig, requireServable } from '../runtime/config.js';
import { onInterruption } from './interruption.js';

interface IngestFlags {
  readonly port: string;
  readonly host?: string;
}

/** `touchstone ingest` */
export function register(program: Command): void {
  program
    .command('ingest')
    .description("take workers' fixes in a process of its own (needs REDIS_URL; `serve` takes them as well)")
    .option('--port <number>', 'port to listen on; 0 for any', '4001')
    .option('--host <address>', 'address to listen on (default: HOST or 127.0.0.1)')
    .action(ingest);
}

async function ingest(flags: IngestFlags): Promise<void> {
  const config = loadConfig({ PORT: flags.port, HOST: flags.host });
  requireServable(config);
  const interrupted = new Promise(onInterruption);
  const acquired = await acquireDatabase(config);
  try {
    await prepareSchema(acquired);
    const [{ startIngest }, { createLogger }] = await Promise.all([
      import('../ingest.js'),
      import('../services/platform/logger.js'),
    ]);
    const log = createLogger(config.logLevel);
    const ingesting = await startIngest({ config, databaseUrl: acquired.url, log });
    process.stdout.write(
      `Fixes are taken at ${ingesting.url}: WebSocket /v1/fixes, POST /v1/workers/{id}/locations.\nCtrl-C stops it.\n`,
    );
    await interrupted;
    await ingesting.close();
  } finally {
    await acquired.release();
  }
}
