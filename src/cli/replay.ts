import type { Command } from 'commander';
import { InvalidArgumentError } from 'commander';

interface ReplayFlags {
  readonly vanish: number;
  readonly double: number;
  readonly leaseSeconds?: number;
  readonly url?: string;
  readonly seed?: number;
  readonly concurrency: number;
  readonly patience: number;
  readonly json?: boolean;
}

/** `touchstone replay PROJECT` */
export function register(program: Command): void {
  program
    .command('replay')
    .description(
      'answer an imported project again: every recorded worker becomes a client of the API, all at once',
    )
    .argument('<project>', 'id of a project imported with --replay')
    .option(
      '--vanish <share>',
      'share of clients that vanish in the middle of a task and come back',
      share,
      0,
    )
    .option('--double <share>', 'share of requests that are sent twice at once', share, 0)
    .option('--lease-seconds <seconds>', "set the project's lease first", positive)
    .option(
      '--url <url>',
      'address of the server (default: the one that runs beside us, else one of our own)',
    )
    .option('--seed <number>', 'who vanishes, and what is doubled (default: another one each time)', seed)
    .option('--concurrency <clients>', 'clients at once: a number or all', clients, Number.POSITIVE_INFINITY)
    .option('--patience <seconds>', 'how long there may be no progress at all', positive, 300)
    .option('--json', 'print the result as one line of JSON')
    .action(async (project: string, flags: ReplayFlags) => {
      const { replay } = await import('./replay/replay.js');
      await replay(project, { ...flags, seed: flags.seed ?? Math.floor(Math.random() * 2 ** 31) });
    });
}

function share(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError('Give a share from 0 to 1, such as .2.');
  }
  return value;
}

function positive(text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value >= 1 && value <= 86_400)) {
    throw new InvalidArgumentError('Give whole seconds from 1.');
  }
  return value;
}

function seed(text: string): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value >= 0 && value < 2 ** 32)) {
    throw new InvalidArgumentError('Give a whole number below 2^32.');
  }
  return value;
}

function clients(text: string): number {
  const value = text === 'all' ? Number.POSITIVE_INFINITY : Number(text);
  if (!(value >= 1)) {
    throw new InvalidArgumentError('Give a number of clients from 1, or all.');
  }
  return value;
}
