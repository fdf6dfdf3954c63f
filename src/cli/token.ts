import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../services/access/viewer.js';

interface TokenFlags {
  readonly role: Role;
  readonly tenant: string;
}

/** `touchstone token SUBJECT [--role ROLE] [--tenant SLUG]` */
export function register(program: Command): void {
  program
    .command('token')
    .description(
      'print a development token: of the demo (demo-ben), or of whoever was made with that subject',
    )
    .argument('<subject>', 'whose token: the subject that the identity was made with')
    .addOption(new Option('--role <role>', 'the acting role').choices(ROLES).default('EXPERT'))
    .option('--tenant <slug>', 'the short name of the tenant', 'demo')
    .action(run);
}

async function run(subject: string, { role, tenant }: TokenFlags): Promise<void> {
  const { loadConfig } = await import('../runtime/config.js');
  const { StartupError } = await import('../runtime/startup-error.js');
  const { findDevelopmentKey, mintDevelopmentToken } = await import('../services/access/development-key.js');
  const config = loadConfig();
  if (config.mode === 'production') {
    throw new StartupError(
      'A server in production takes no development tokens.',
      'Ask the identity provider for one.',
    );
  }
  const key = await findDevelopmentKey(config.dataDir);
  if (key === null) {
    throw new StartupError(
      `There is no development key in ${config.dataDir}.`,
      'Start the server here once, or set TOUCHSTONE_DATA_DIR to where it keeps its data.',
    );
  }
  process.stdout.write(`${await mintDevelopmentToken(key, { subject, tenantSlug: tenant, role })}\n`);
}
