import { writeFile } from 'node:fs/promises';

/** What a set of crowd labels looks like. */
export interface SetShape {
  readonly items: number;
  readonly workers: number;
  /** Answers an item. */
  readonly answers: number;
}

const LABELS = ['yes', 'no', 'so, "so"', 'ja\nnein'];

/** Writes a set in which every worker answers about as much, with a few bad rows; the same shape gives the same file. */
export async function writeSmallSet(file: string, { items, workers, answers }: SetShape): Promise<void> {
  const rows = Array.from({ length: items * answers }, (_, n) => {
    const item = Math.floor(n / answers);
    const worker = (item * 7 + (n % answers) * 3) % workers;
    const label = LABELS[(item + worker) % LABELS.length] ?? '';
    return `item ${item},w${worker},"${label.replaceAll('"', '""')}"`;
  });
  const repeated = rows.slice(0, 3);
  await writeFile(file, `item,worker,label\n${[...rows, ...repeated, ',w1,yes', 'a,b'].join('\n')}\n`);
}
