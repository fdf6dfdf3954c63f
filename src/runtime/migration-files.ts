import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where this version's own migrations are. */
export const MIGRATIONS = fileURLToPath(new URL('../../prisma/migrations', import.meta.url));

/** One migration as it stands in a folder. */
export interface MigrationFile {
  /** The folder's name, <timestamp>_<name>: the order is that of the names. */
  readonly name: string;
  readonly sql: string;
  /** sha256 of the file, as Prisma computes it. */
  readonly checksum: string;
}

/** The migrations of a folder in their order. */
export function readMigrations(directory: string): MigrationFile[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort()
    .map((name) => {
      const sql = readFileSync(join(directory, name, 'migration.sql'), 'utf8');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    });
}
