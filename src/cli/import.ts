import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { loadConfig } from '../runtime/config.js';
import { StartupError } from '../runtime/startup-error.js';
import { counted } from '../services/platform/counted.js';
import type { CrowdSet } from '../services/projects/crowd-set.js';
import { readableFile } from './readable-file.js';
import { withStore } from './with-store.js';

interface ImportFlags {
  readonly replay?: boolean;
  readonly json?: boolean;
  readonly name?: string;
  readonly tenant: string;
}

/** `touchstone import FILE` */
export function register(program: Command): void {
  program
    .command('import')
    .description('import a CSV of crowd labels (columns item, worker, label) as a project')
    .argument('<file>', 'the file; importing it again gives the same project')
    .option('--replay', 'reserve each task for the workers recorded for it, for `touchstone replay`')
    .option('--json', 'print {"projectId": "…"} and nothing else on standard output')
    .option('--name <name>', 'name of the project; another name makes another project')
    .option('--tenant <slug>', 'tenant to import into; made if it is new', 'demo')
    .action(importFile);
}

async function importFile(file: string, flags: ImportFlags): Promise<void> {
  requireDevelopment();
  // Opened before anything is made, so that a mistyped name leaves nothing behind.
  const body = await readableFile(file);
  const { projectId, set } = await withStore(async ({ parts }) => {
    const { importCrowdLabels } = await import('../services/projects/import.js');
    const { DEVELOPMENT_ISSUER } = await import('../services/access/development-key.js');
    const imported = await importCrowdLabels(parts, {
      tenantSlug: flags.tenant,
      issuer: DEVELOPMENT_ISSUER,
      defaultName: nameOf(file),
      name: flags.name ?? null,
      replay: flags.replay ?? false,
      body,
    });
    return { projectId: parts.ids.encode('Project', imported.projectId), set: imported.set };
  });
  report(set);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ projectId })}\n`
      : `Project ${projectId}\nNext: npx touchstone ${flags.replay ? 'replay' : 'export'} ${projectId}\n`,
  );
}

/** An import makes development identities and may lease for a second: neither belongs into production. */
function requireDevelopment(): void {
  if (loadConfig().mode === 'production') {
    throw new StartupError(
      'Production mode refuses imports: their experts have development identities, and their leases may be short.',
      'Create the project through the API, or set TOUCHSTONE_MODE=development to try it out.',
    );
  }
}

/** Data sets come as `rte/label.csv`: the folder says more than the file. */
function nameOf(file: string): string {
  const path = resolve(file);
  const name = basename(path).replace(/\.[^.]+$/, '');
  return /^(labels?|answers?|data)$/i.test(name) ? basename(dirname(path)) || name : name;
}

function report({ items, workers, labels, answers, faults, faultCount }: CrowdSet): void {
  for (const { line, reason } of faults) {
    note(`line ${line}: ${reason}`);
  }
  if (faultCount > faults.length) {
    note(`… and ${faultCount - faults.length} more.`);
  }
  note(
    `${counted(answers, 'answer')} of ${counted(workers.size, 'worker')} to ${counted(items.size, 'item')} (${counted(labels.size, 'label')}); ${counted(faultCount, 'bad row')}.`,
  );
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}
