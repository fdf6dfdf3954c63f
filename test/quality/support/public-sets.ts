import { createReadStream, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'vitest';
import { type AnswerSet, readAnswerSet, readTruthSet } from '../../../src/cli/infer/answer-set.js';
import type { Known } from '../../../src/services/quality/inference/choose.js';
import { credit, type Posterior } from '../../../src/services/quality/inference/posterior.js';

// The public sets are not part of the repository: TOUCHSTONE_DATA names the directory that holds them.
const DATA = resolve(process.env.TOUCHSTONE_DATA ?? '../shared/data');

export interface PublicSet {
  readonly set: AnswerSet;
  readonly known: readonly Known[];
}

/** The path of a file of a set, whether it is there or not. */
export const publicFile = (name: string, file = 'label.csv') => join(DATA, name, file);

/** What `test` and `test.each` are to tests of public sets. */
export interface TestWithSets {
  (name: string, run: () => Promise<void> | void, timeoutMs?: number): void;
  each(
    cases: readonly string[],
  ): (name: string, run: (one: string) => Promise<void> | void, timeoutMs?: number) => void;
}

/** `test` for what needs these sets, or a file of one (`set/file`): skipped, with a line that says why, where one of them is not there. */
export function testWithSets(...names: readonly string[]): TestWithSets {
  const paths = names.map((name) => (name.includes('/') ? join(DATA, name) : publicFile(name)));
  const missing = paths.filter((path) => !existsSync(path));
  for (const path of missing) {
    console.log(`not run: ${path} is not there (set TOUCHSTONE_DATA to the directory of the public sets)`);
  }
  return missing.length === 0 ? test : Object.assign(notRun, { each: () => notRun });
}

/** By the end of the name scripts/test.mjs knows that nothing is wrong: of all that is skipped only this is no fault in CI. */
const notRun = (name: string) =>
  test.skipIf(true)(`${name} (not run: a public set is not there)`, () => undefined);

/** A set that is there, with its truths (none where it has no file of them). */
export async function publicSet(name: string): Promise<PublicSet> {
  const set = await readAnswerSet(createReadStream(publicFile(name)));
  const truths = publicFile(name, 'truth.csv');
  const known = existsSync(truths) ? (await readTruthSet(createReadStream(truths), set)).known : [];
  return { set, known };
}

export function accuracyOf(posterior: Posterior, { set, known }: PublicSet): number {
  const credits = known.map((truth) => credit(posterior, set.table.classes, truth));
  return credits.reduce((sum, one) => sum + one, 0) / credits.length;
}
