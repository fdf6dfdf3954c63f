import type { Command } from 'commander';
import { withDatabase } from './with-database.js';

/** `touchstone refold` */
export function register(program: Command): void {
  program
    .command('refold')
    .description('throw away what is kept of how answers agree, and make it anew from the answers')
    .action(refold);
}

const CHANGES_A_STEP = 500;

async function refold(): Promise<void> {
  const folded = await withDatabase(async ({ database }) => {
    const { keepAgreement, refoldAgreement } = await import('../services/quality/agreement/keep.js');
    await refoldAgreement(database);
    let all = 0;
    for (let step = 1; step > 0; all += step) {
      step = await keepAgreement(database, CHANGES_A_STEP);
    }
    return all;
  });
  process.stdout.write(`${folded.toLocaleString('en')} ${folded === 1 ? 'task' : 'tasks'} folded.\n`);
}
