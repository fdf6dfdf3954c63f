import type { Command } from 'commander';
import { acquireDatabase, prepareSchema } from '../runtime/acquire-database.js';
import { loadConfig, requireServable } from '../runtime/config.js';

interface ServeFlags {
  readonly port?: string;
  readonly host?: string;
  readonly empty?: boolean;
}

/** `touchstone serve`, which is `npm start` */
export function register(program: Command): void {
  program
    .command('serve')
    .description(
      'start the database (unless DATABASE_URL is set), the API and everything that runs by itself',
    )
    .option('--port <number>', 'port to listen on; 0 for any (default: PORT or 4000)')
    .option('--host <address>', 'address to listen on (default: HOST or 127.0.0.1)')
    .option('--empty', 'do not seed the demo tenant')
    .action(serve);
}

async function serve(flags: ServeFlags): Promise<void> {
  const config = loadConfig({ PORT: flags.port, HOST: flags.host });
  requireServable(config);
  const interrupted = untilInterrupted();
  const acquired = await acquireDatabase(config);
  try {
    await prepareSchema(acquired);
    process.stdout.write('The database is ready; this version has no API yet. Ctrl-C stops it.\n');
    await interrupted;
  } finally {
    await acquired.release();
  }
}

/** Listened for from the start, so that Ctrl-C while the database comes up stops it as well. */
function untilInterrupted(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
}
