import { type AcquiredDatabase, acquireDatabase, prepareSchema } from '../runtime/acquire-database.js';
import { type Config, loadConfig } from '../runtime/config.js';
import type { Database } from '../services/platform/database.js';
import { exitCodeOf, onInterruption } from './interruption.js';

/** What a command works with. */
export interface CommandContext {
  readonly config: Config;
  /** The pools that services take. */
  readonly database: Database;
}

/**
 * Gives a command its database, schema up to date, for as long as `work` runs: DATABASE_URL, or the embedded one, which
 * is left running when a server beside us uses it. Ctrl-C gives it back as well.
 */
export async function withDatabase<T>(work: (context: CommandContext) => Promise<T>): Promise<T> {
  return withAcquiredDatabase(async (config, acquired) => {
    await prepareSchema(acquired);
    const { openDatabase } = await import('../services/platform/database.js');
    const database = openDatabase({ url: acquired.url });
    try {
      return await work({ config, database });
    } finally {
      await database.close();
    }
  });
}

/** {@link withDatabase} before its schema is looked at: for `migrate` itself. */
export async function withAcquiredDatabase<T>(
  work: (config: Config, acquired: AcquiredDatabase) => Promise<T>,
): Promise<T> {
  const config = loadConfig();
  const acquired = await acquireDatabase(config);
  const stopListening = onInterruption((signal) => {
    void acquired.release().finally(() => process.exit(exitCodeOf(signal)));
  });
  try {
    return await work(config, acquired);
  } finally {
    stopListening();
    await acquired.release();
  }
}
