import type { Command } from 'commander';
import { prepareAccessLog } from '../runtime/access-log-months.js';
import { migrate, migrationStatus } from '../runtime/migrate.js';
import { withAcquiredDatabase } from './with-database.js';

/** `touchstone migrate [--status]` */
export function register(program: Command): void {
  program
    .command('migrate')
    .description(
      'apply the migrations that are pending (MIGRATE_DATABASE_URL, DATABASE_URL or the embedded database)',
    )
    .option('--status', 'only list them; exit code 1 unless all are applied')
    .action((options: { status?: boolean }) => (options.status ? showStatus() : applyPending()));
}

async function applyPending(): Promise<void> {
  const { applied, months } = await withAcquiredDatabase(async (_config, { migrateUrl: url }) => ({
    applied: await migrate({ url }),
    months: await prepareAccessLog(url),
  }));
  for (const name of applied) {
    print(`applied  ${name}`);
  }
  if (months > 0) {
    print(`The access log has partitions for ${months} more month(s).`);
  }
  print(applied.length === 0 ? 'Nothing to apply.' : `${applied.length} applied.`);
}

async function showStatus(): Promise<void> {
  const status = await withAcquiredDatabase((_config, { migrateUrl }) =>
    migrationStatus({ url: migrateUrl }),
  );
  for (const { name, state } of status) {
    print(`${state.padEnd(8)} ${name}`);
  }
  if (status.some(({ state }) => state !== 'applied')) {
    process.exitCode = 1;
  }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
