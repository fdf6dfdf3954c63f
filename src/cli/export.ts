import type { Command } from 'commander';
import { Option } from 'commander';
import { withStore } from './with-store.js';

interface ExportFlags {
  readonly format: 'csv' | 'jsonl';
  readonly results?: boolean;
}

/** `touchstone export PROJECT` */
export function register(program: Command): void {
  program
    .command('export')
    .description('print the answers of a project with where each comes from')
    .argument('<project>', 'id of the project')
    .addOption(new Option('--format <format>', 'what to print').choices(['csv', 'jsonl']).default('csv'))
    .option('--results', 'what the answers of each finished task amount to, by which method and version')
    .action(exportProject);
}

async function exportProject(project: string, { format, results = false }: ExportFlags): Promise<void> {
  await withStore(async ({ parts }) => {
    const { findCommandProject } = await import('./find-project.js');
    const { importViewer } = await import('../services/projects/import-operator.js');
    const { exportAnswers } = await import('../services/projects/export.js');
    const { exportResults } = await import('../services/projects/export-results.js');
    const { exportedLines, resultLines } = await import('../services/projects/export-lines.js');
    const { pipeline } = await import('node:stream/promises');
    const found = await findCommandProject(parts, project);
    const { identityId: actorId } = await importViewer(parts.db, { ...found, issuer: COMMAND_LINE });
    const request = { ...found, actorId };
    const options = { format, project, ids: parts.ids };
    const lines = results
      ? resultLines(exportResults(parts.db, request), options)
      : exportedLines(exportAnswers(parts.db, request), options);
    // Ends the pipe, not the process's output, which the shell may go on using.
    await pipeline(lines, process.stdout, { end: false }).catch(unlessReaderLeft);
  });
}

/** An issuer that no token is accepted from: it only names who read, in the access log. */
const COMMAND_LINE = 'touchstone-command-line';

/** `touchstone export … | head` has read enough; that is no failure. */
function unlessReaderLeft(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') {
    throw error;
  }
}
