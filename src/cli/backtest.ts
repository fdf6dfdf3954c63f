import type { Command } from 'commander';
import { StartupError } from '../runtime/startup-error.js';
import { readableFile } from './readable-file.js';
import { reportFaults } from './report-faults.js';

/** `touchstone backtest FILE` */
export function register(program: Command): void {
  program
    .command('backtest')
    .description(
      'replay a timed log of finished batches (CSV: batch, started_at, created_at) and score forecasts made on the way',
    )
    .argument('<file>', 'the file; no forecast sees anything that came after it was made')
    .option('--json', 'print the result as one line of JSON')
    .action(backtestFile);
}

/** Percents of a batch's answers at which it is forecast. */
const AT = [25, 50, 75] as const;

async function backtestFile(file: string, { json }: { json?: boolean }): Promise<void> {
  const { readTimedLog } = await import('./backtest/timed-log.js');
  const { backtest } = await import('../services/forecast/backtest/backtest.js');
  const { printedBacktest } = await import('./backtest/print.js');
  const { randomOf } = await import('../services/platform/random.js');
  const { batches, answers, faults } = await readTimedLog(await readableFile(file));
  reportFaults(file, faults);
  if (answers === 0) {
    throw new StartupError(
      `${file} has no answers.`,
      'Each row after the header is one: batch, started_at, created_at.',
    );
  }
  const results = Object.fromEntries(
    AT.map((percent) => [
      String(percent),
      backtest(batches, percent / 100, (batch) => randomOf(1, `${percent} ${batch}`)),
    ]),
  );
  if (results['50']?.ours.batches === 0) {
    process.stderr.write(
      `${file}: of no batch had five others ended when it was half done: there is nothing to score.\n`,
    );
  }
  process.stdout.write(json ? `${JSON.stringify(results)}\n` : printedBacktest(results));
}
