import type { Command } from 'commander';
import { InvalidArgumentError, Option } from 'commander';
import { StartupError } from '../runtime/startup-error.js';
import { counted } from '../services/platform/counted.js';
import type { AnswerSet, TruthSet } from './infer/answer-set.js';
import { readableFile } from './readable-file.js';
import { reportFaults } from './report-faults.js';

interface InferFlags {
  readonly scale: (typeof SCALES)[number];
  readonly truth?: string;
  readonly gold: number;
  readonly seed: number;
  readonly json?: boolean;
  readonly strict?: boolean;
}

const SCALES = ['nominal', 'ordinal', 'interval'] as const;

/** `touchstone infer FILE` */
export function register(program: Command): void {
  program
    .command('infer')
    .description('infer the truth of a CSV of crowd labels (columns item, worker, label) by every method')
    .argument('<file>', 'the file; a pair of item and worker that is repeated counts each time')
    .addOption(
      new Option(
        '--scale <scale>',
        'what labels are: classes, classes in the order of their numbers, or numbers',
      )
        .choices(SCALES)
        .default('nominal'),
    )
    .option('--truth <file>', 'a CSV of known truths (columns item, truth) to measure by')
    .option('--gold <share>', 'share of the truths that may be looked at, to choose a method by', share, 0.1)
    .option('--seed <number>', 'which truths those are', seed, 1)
    .option('--json', 'print the result as one line of JSON')
    .option('--strict', `end with ${ROWS_SKIPPED}, after the result, where rows were left out`)
    .action(inferFile);
}

async function inferFile(file: string, flags: InferFlags): Promise<void> {
  const result = await (flags.scale === 'interval' ? inferNumbers : inferClasses)(file, flags);
  process.stdout.write(flags.json ? `${JSON.stringify(result.json)}\n` : result.table);
  if (result.skipped > 0) {
    note(`The result is one of the other rows: ${counted(result.skipped, 'row')} left out.`);
    process.exitCode = flags.strict === true ? ROWS_SKIPPED : 0;
  }
}

/** The exit code of a result that some rows of its files are not in: in a pipe it would look like one of all. */
const ROWS_SKIPPED = 3;

/** What is printed: the result, and the table of it for people. */
interface Printable {
  readonly json: object;
  readonly table: string;
  /** Rows of both files that were left out. */
  readonly skipped: number;
}

async function inferClasses(file: string, flags: InferFlags): Promise<Printable> {
  const { areNumbers, readAnswerSet, readTruthSet } = await import('./infer/answer-set.js');
  const { sampleGold } = await import('./infer/gold-sample.js');
  const { printed, printedOrdinal } = await import('./infer/print.js');
  const body = await readableFile(file);
  const truthBody = flags.truth === undefined ? null : await readableFile(flags.truth);
  const set = await named(file, () => readAnswerSet(body));
  requireAnswers(file, set);
  const truths = truthBody && (await named(flags.truth ?? '', () => readTruthSet(truthBody, set)));
  requireTruths(flags.truth ?? '', truths);
  const known = truths?.known ?? [];
  const isUsable = ({ truth }: { truth: number }) => truth >= 0;
  const gold = sampleGold(set.items, known, { share: flags.gold, seed: flags.seed, isUsable });
  const skipped = set.faults.length + (truths?.faults.length ?? 0);
  tellGold(flags, {
    known: known.length,
    unusable: known.filter((one) => !isUsable(one)).length,
    gold: gold.length,
  });
  if (flags.scale === 'nominal') {
    const { resultOf } = await import('./infer/result.js');
    const json = resultOf(set, { known, gold });
    return { json, table: printed(json), skipped };
  }
  if (!areNumbers(set.labels)) {
    throw new StartupError(
      `${file} has labels that are no numbers.`,
      'The order of ordinal labels is that of their numbers: number them.',
    );
  }
  const { ordinalResultOf } = await import('./infer/ordinal-result.js');
  const json = ordinalResultOf(set, { known, gold });
  return { json, table: printedOrdinal(json), skipped };
}

interface GoldCounts {
  /** Truths of items that were answered. */
  readonly known: number;
  /** Those among them that no answer can say. */
  readonly unusable: number;
  readonly gold: number;
}

/** Says which truths could be no gold, and where the share that was asked for gives none. */
function tellGold({ truth, gold: share }: InferFlags, { known, unusable, gold }: GoldCounts): void {
  if (share === 0 || known === 0) {
    return;
  }
  if (unusable > 0) {
    const [are, those] = unusable === 1 ? ['is', 'that label'] : ['are', 'those labels'];
    note(
      `${truth}: ${counted(unusable, 'truth')} of ${known} ${are} never gold: nobody gave ${those} to any item, so no method can.`,
    );
  }
  const asked = Math.round(known * share);
  if (gold < Math.max(1, asked)) {
    note(`${truth}: ${gold} of the ${Math.max(1, asked)} truths that --gold ${share} asks for are gold.`);
  }
}

async function inferNumbers(file: string, flags: InferFlags): Promise<Printable> {
  const { readNumberSet, readNumberTruths } = await import('./infer/number-set.js');
  const { sampleGold } = await import('./infer/gold-sample.js');
  const { numberResultOf } = await import('./infer/number-result.js');
  const { printedNumbers } = await import('./infer/print.js');
  const body = await readableFile(file);
  const truthBody = flags.truth === undefined ? null : await readableFile(flags.truth);
  const set = await named(file, () => readNumberSet(body));
  reportFaults(file, set.faults);
  requireRows(file, set.table.value.length);
  const truths = truthBody && (await named(flags.truth ?? '', () => readNumberTruths(truthBody, set)));
  requireTruths(flags.truth ?? '', truths);
  const known = truths?.known ?? [];
  const gold = sampleGold(set.items, known, { share: flags.gold, seed: flags.seed });
  tellGold(flags, { known: known.length, unusable: 0, gold: gold.length });
  const json = numberResultOf(set, { known, gold });
  return { json, table: printedNumbers(json), skipped: set.faults.length + (truths?.faults.length ?? 0) };
}

function requireRows(file: string, answers: number): void {
  if (answers === 0) {
    throw new StartupError(
      `${file} has no answers.`,
      'Each row after the header is one: item, worker, label.',
    );
  }
}

function requireAnswers(file: string, { table, faults }: AnswerSet): void {
  reportFaults(file, faults);
  requireRows(file, table.worker.length);
  if (table.items * table.classes > SHARES_MAX) {
    throw new StartupError(
      `${file} has ${table.classes} different labels: a share of each for ${counted(table.items, 'item')} is more than fits into memory.`,
      'Inference is for labels that come from a list; free text has no truth to be inferred.',
    );
  }
}

/** Six arrays of so many numbers are kept: 128 MiB each. 100,000 items may have 167 labels. */
const SHARES_MAX = 2 ** 24;

function requireTruths(
  file: string,
  truths: (Pick<TruthSet, 'faults' | 'unanswered'> & { readonly known: readonly unknown[] }) | null,
): void {
  if (truths === null) {
    return;
  }
  reportFaults(file, truths.faults);
  if (truths.known.length === 0) {
    throw new StartupError(
      `${file} has no truth of any item that was answered.`,
      'Its column item must name items as the file of answers does.',
    );
  }
  if (truths.unanswered > 0) {
    const { unanswered } = truths;
    note(
      `${file}: ${counted(unanswered, 'truth')} ${unanswered === 1 ? 'is of an item that has' : 'are of items that have'} no answers.`,
    );
  }
}

/** Says in which of the two files a header is wrong. */
async function named<T>(file: string, read: () => Promise<T>): Promise<T> {
  const { CrowdFileError } = await import('../services/projects/crowd-columns.js');
  try {
    return await read();
  } catch (error) {
    throw error instanceof CrowdFileError ? new CrowdFileError(`${file}: ${error.message}`) : error;
  }
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

function share(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && value <= 1)) {
    throw new InvalidArgumentError('Give a share from 0 to 1, such as .1.');
  }
  return value;
}

function seed(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(Number.isInteger(value) && value >= 0 && value < 2 ** 32)) {
    throw new InvalidArgumentError('Give a whole number below 2^32.');
  }
  return value;
}
