import { createReadStream, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type AnswerSet, readAnswerSet, readTruthSet } from '../../../src/cli/infer/answer-set.js';
import type { Known } from '../../../src/services/quality/inference/choose.js';
import { credit, type Posterior } from '../../../src/services/quality/inference/posterior.js';

// The public sets are not part of the repository: TOUCHSTONE_DATA names the directory that holds them.
const DATA = resolve(process.env.TOUCHSTONE_DATA ?? '../shared/data');

export interface PublicSet {
  readonly set: AnswerSet;
  readonly known: readonly Known[];
}

/** The path of a file of a set; null, with a line that says so, where it is not there. */
export function publicFile(name: string, file: string): string | null {
  const path = join(DATA, name, file);
  if (existsSync(path)) {
    return path;
  }
  console.log(`not run: ${path} is not there (set TOUCHSTONE_DATA to the directory of the public sets)`);
  return null;
}

/** A set with its truths (none where it has no file of them); null where it is not there. */
export async function publicSet(name: string): Promise<PublicSet | null> {
  const labels = publicFile(name, 'label.csv');
  if (labels === null) {
    return null;
  }
  const set = await readAnswerSet(createReadStream(labels));
  const truths = join(DATA, name, 'truth.csv');
  const known = existsSync(truths) ? (await readTruthSet(createReadStream(truths), set)).known : [];
  return { set, known };
}

export function accuracyOf(posterior: Posterior, { set, known }: PublicSet): number {
  const credits = known.map((truth) => credit(posterior, set.table.classes, truth));
  return credits.reduce((sum, one) => sum + one, 0) / credits.length;
}
