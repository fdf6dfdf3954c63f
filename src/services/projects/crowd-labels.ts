import { DomainError } from '../platform/errors.js';
import { cellsOf } from './intake-csv.js';
import { type RawRecord, records } from './intake-records.js';
import { type IntakeFault, RowFault, textOf } from './intake-row.js';

/** One recorded answer: who said what about which item. Text exactly as it stands in the file. */
export interface RecordedAnswer {
  readonly line: number;
  readonly item: string;
  readonly worker: string;
  readonly label: string;
}

export type CrowdRow = RecordedAnswer | IntakeFault;

/** The file as a whole is not a set of crowd labels. */
export class CrowdFileError extends DomainError {
  readonly code = 'CROWD_FILE_UNREADABLE';
}

const COLUMNS = ['item', 'worker', 'label'] as const;
type Column = (typeof COLUMNS)[number];

/** What becomes of each: an external id, part of an expert's handle, the value of an option. */
const LONGEST: Record<Column, number> = { item: 500, worker: 180, label: 200 };

/**
 * Reads a CSV of crowd labels row by row: one answer or one fault for each row that is not blank, with the line where
 * it begins. The header must name `item`, `worker` and `label`, in any order, in any case; other columns are ignored.
 * A faulty row costs only itself. Throws CrowdFileError where the header gives the rows no meaning.
 */
export async function* readCrowdLabels(source: AsyncIterable<Uint8Array>): AsyncGenerator<CrowdRow> {
  let header: Header | null = null;
  for await (const record of records(source, 'CSV')) {
    if (header === null) {
      header = headerOf(record);
      continue;
    }
    yield rowOf(record, header);
  }
  if (header === null) {
    throw new CrowdFileError('The file is empty. It must begin with a header such as item,worker,label.');
  }
}

interface Header {
  readonly width: number;
  readonly at: Record<Column, number>;
}

function headerOf(record: RawRecord): Header {
  const names = cellsOrFault(record, (fault) => {
    throw new CrowdFileError(`The header ${fault.message}.`);
  }).map((name) => name.trim().toLowerCase());
  const at = Object.fromEntries(COLUMNS.map((column) => [column, columnOf(names, column)]));
  return { width: names.length, at: at as Record<Column, number> };
}

function columnOf(names: readonly string[], column: Column): number {
  const at = names.indexOf(column);
  if (at < 0) {
    throw new CrowdFileError(
      `The header has no column "${column}". It must name item, worker and label, in any order.`,
    );
  }
  if (names.indexOf(column, at + 1) >= 0) {
    throw new CrowdFileError(`The header has the column "${column}" twice.`);
  }
  return at;
}

function rowOf(record: RawRecord, header: Header): CrowdRow {
  try {
    return answerOf(record, header);
  } catch (error) {
    if (error instanceof RowFault) {
      return { line: record.line, reason: `The row ${error.message}.` };
    }
    throw error;
  }
}

function answerOf(record: RawRecord, { width, at }: Header): RecordedAnswer {
  const cells = cellsOrFault(record, (fault) => {
    throw fault;
  });
  if (cells.length !== width) {
    throw new RowFault(`has ${cells.length} columns where the header has ${width}`);
  }
  const [item, worker, label] = COLUMNS.map((column) => checked(column, cells[at[column]] ?? '')) as [
    string,
    string,
    string,
  ];
  return { line: record.line, item, worker, label };
}

function cellsOrFault(record: RawRecord, refuse: (fault: RowFault) => never): string[] {
  try {
    if (record.openQuote) {
      throw new RowFault('has a quote that is never closed, so nothing after this line could be read');
    }
    if (record.bytes === null) {
      throw new RowFault('is longer than a mebibyte');
    }
    return cellsOf(textOf(record.bytes));
  } catch (error) {
    if (error instanceof RowFault) {
      return refuse(error);
    }
    throw error;
  }
}

function checked(column: Column, value: string): string {
  if (value.trim() === '') {
    throw new RowFault(`has an empty ${column}`);
  }
  if (value.length > LONGEST[column]) {
    throw new RowFault(`has a ${column} of more than ${LONGEST[column]} characters`);
  }
  return value;
}
