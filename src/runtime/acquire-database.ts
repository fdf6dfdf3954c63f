import type { Config } from './config.js';
import { ensureEmbeddedPostgres } from './embedded-postgres.js';
import { migrate, requireMigrated } from './migrate.js';

/** The database of this installation, for as long as it is needed. */
export interface AcquiredDatabase {
  /** Login of the pools. */
  readonly url: string;
  /** Login that may migrate. */
  readonly migrateUrl: string;
  readonly embedded: boolean;
  /** Gives it back: an embedded server that nobody else uses is stopped. */
  release(): Promise<void>;
}

/** DATABASE_URL, or the embedded PostgreSQL of the data directory: adopted where it runs, else started. */
export async function acquireDatabase(config: Config): Promise<AcquiredDatabase> {
  if (config.databaseUrl !== undefined) {
    return {
      url: config.databaseUrl,
      migrateUrl: config.migrateDatabaseUrl ?? config.databaseUrl,
      embedded: false,
      release: async () => undefined,
    };
  }
  const postgres = await ensureEmbeddedPostgres({ dataDir: config.dataDir });
  return {
    url: postgres.adminUrl,
    migrateUrl: postgres.adminUrl,
    embedded: true,
    release: () => postgres.stop(),
  };
}

/**
 * Brings an embedded database up to date. One that others may be using is only checked: when to migrate it is their
 * operator's decision (`touchstone migrate`).
 * @returns the migrations that were applied
 */
export async function prepareSchema(database: AcquiredDatabase): Promise<string[]> {
  if (database.embedded) {
    return migrate({ url: database.migrateUrl });
  }
  await requireMigrated({ url: database.url });
  return [];
}
