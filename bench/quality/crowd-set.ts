import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A public set: answers to items whose truth is known. */
export interface CrowdSet {
  readonly labels: readonly string[];
  readonly answers: readonly { readonly item: string; readonly worker: string; readonly label: string }[];
  readonly truth: ReadonlyMap<string, string>;
}

/** The public sets are not part of the repository: TOUCHSTONE_DATA names the directory that holds them. */
const DATA = resolve(process.env.TOUCHSTONE_DATA ?? '../shared/data');

/** Reads `label.csv` (item,worker,label) and `truth.csv` (item,truth) of a set; null where it is not there. */
export function readCrowdSet(name: string): CrowdSet | null {
  const directory = join(DATA, name);
  if (!existsSync(join(directory, 'label.csv'))) {
    return null;
  }
  const answers = rowsOf(join(directory, 'label.csv')).map(([item = '', worker = '', label = '']) => ({
    item,
    worker,
    label,
  }));
  const truth = new Map(rowsOf(join(directory, 'truth.csv')).map(([item = '', label = '']) => [item, label]));
  const labels = [...new Set([...answers.map(({ label }) => label), ...truth.values()])].sort();
  return { labels, answers, truth };
}

function rowsOf(file: string): string[][] {
  const [, ...lines] = readFileSync(file, 'utf8').trim().split(/\r?\n/);
  return lines.map((line) => line.split(','));
}
