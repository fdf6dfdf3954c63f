import { readColumns } from './crowd-columns.js';
import type { IntakeFault } from './intake-row.js';

/** One recorded answer: who said what about which item. Text exactly as it stands in the file. */
export interface RecordedAnswer {
  readonly line: number;
  readonly item: string;
  readonly worker: string;
  readonly label: string;
}

export type CrowdRow = RecordedAnswer | IntakeFault;

/** What becomes of each: an external id, part of an expert's handle, the value of an option. */
const COLUMNS = { item: { longest: 500 }, worker: { longest: 180 }, label: { longest: 200 } };

/**
 * Reads a CSV of crowd labels row by row: one answer or one fault for each row that is not blank, with the line where
 * it begins. The header must name `item`, `worker` and `label`, in any order, in any case; other columns are ignored.
 * A faulty row costs only itself. Throws CrowdFileError where the header gives the rows no meaning.
 */
export async function* readCrowdLabels(source: AsyncIterable<Uint8Array>): AsyncGenerator<CrowdRow> {
  for await (const row of readColumns(source, COLUMNS)) {
    yield 'reason' in row ? row : { line: row.line, ...row.cells };
  }
}

/** The truth of one item, as text. */
export interface RecordedTruth {
  readonly line: number;
  readonly item: string;
  readonly truth: string;
}

const TRUTH_COLUMNS = {
  item: { longest: COLUMNS.item.longest },
  truth: { also: ['label', 'gold', 'answer'], longest: COLUMNS.label.longest },
};

/**
 * Reads a CSV of known truths like readCrowdLabels: columns `item` and `truth`, which may also be called `label`, `gold` or
 * `answer`.
 */
export async function* readTruths(
  source: AsyncIterable<Uint8Array>,
): AsyncGenerator<RecordedTruth | IntakeFault> {
  for await (const row of readColumns(source, TRUTH_COLUMNS)) {
    yield 'reason' in row ? row : { line: row.line, ...row.cells };
  }
}
