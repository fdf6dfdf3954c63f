import { join } from 'node:path';
import type { Command } from 'commander';
import type { RuleFinding } from '../services/platform/rules.js';
import { type CommandContext, withDatabase } from './with-database.js';

interface VerifyFlags {
  readonly json?: boolean;
  readonly payloads?: boolean;
}

/** `touchstone verify [--payloads] [--json]` */
export function register(program: Command): void {
  program
    .command('verify')
    .description('check every rule on the live database; exit code 1 if a row breaks one')
    .option('--payloads', 'also read every payload from storage and compare it with its digest')
    .option('--json', 'one line of JSON a check')
    .action(run);
}

async function run(flags: VerifyFlags): Promise<void> {
  const findings = await withDatabase(async (context) => {
    const { verify } = await import('../services/verify.js');
    const found = await verify(context.database);
    return flags.payloads ? [...found, await payloads(context)] : found;
  });
  process.stdout.write(
    flags.json ? findings.map((f) => `${JSON.stringify(f)}\n`).join('') : report(findings),
  );
  if (findings.some((finding) => finding.broken > 0)) {
    process.exitCode = 1;
  }
}

async function payloads({ config, database }: CommandContext): Promise<RuleFinding> {
  const { openPayloadStore } = await import('../services/projects/payload-store-open.js');
  const { verifyPayloads } = await import('../services/projects/verify-payloads.js');
  const store = await openPayloadStore(config.s3 ?? { directory: join(config.dataDir, 'objects') });
  try {
    return await verifyPayloads(database, store);
  } finally {
    store.close();
  }
}

function report(findings: readonly RuleFinding[]): string {
  const lines = findings.flatMap((finding) => [
    `rule ${String(finding.rule).padStart(2)}  ${count(finding.looked)} looked at  ${count(finding.broken)} broken  ${finding.claim}`,
    ...finding.examples.map((example) => `           ${example}`),
  ]);
  const broken = findings.filter((finding) => finding.broken > 0).length;
  const sum =
    broken === 0 ? 'Every rule holds.' : `${broken} of ${findings.length} checks found broken rows.`;
  return `${lines.join('\n')}\n${sum}\n`;
}

function count(n: number): string {
  return n.toLocaleString('en').padStart(11);
}
