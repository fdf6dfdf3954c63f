import { CsvError, parse } from 'csv-parse/sync';
import { NO_WISHES, payloadOf } from './intake-jsonl.js';
import {
  checkContentType,
  checkCritical,
  checkExperts,
  checkExternalId,
  checkRedundancy,
  type IntakeTask,
  RowFault,
  textOf,
} from './intake-row.js';

/** Columns with a meaning of their own where there is a `payload` column. `id` is another word for `external_id`. */
const COLUMNS = ['payload', 'external_id', 'id', 'content_type', 'redundancy', 'critical', 'allow', 'block'];
const MAX_COLUMNS = 1000;
/** Names of columns go into each row's payload. */
export const MAX_HEADER_BYTES = 64 * 1024;

/** The upload's first row cannot be used, so nothing after it has a meaning. */
export class HeaderFault extends Error {
  override readonly name = 'HeaderFault';
}

/** What the header says about every row. */
export interface CsvHeader {
  readonly columns: readonly string[];
  readonly hasPayload: boolean;
}

/**
 * Reads the first row. With a column `payload`, that cell's text is the payload and the other columns must be among
 * `external_id` (or `id`), `content_type`, `redundancy`, `critical` (true or false), `allow` and `block` (experts separated by spaces). Without it,
 * each row becomes a JSON object of all its columns but `external_id`; `external_id`, else `id`, names the item.
 * Throws HeaderFault: no names, an empty or doubled one, an unknown column beside `payload`, and what spreadsheets write
 * that is not CSV: other characters than commas between columns, or a carriage return alone at the end of a line.
 */
export function headerOf(bytes: Uint8Array): CsvHeader {
  const columns = headerCells(bytes).map((name) => name.trim());
  if (columns.some((name) => name === '')) {
    throw new HeaderFault('The header has a column without a name.');
  }
  if (columns.length > MAX_COLUMNS) {
    throw new HeaderFault(`The header has more than ${MAX_COLUMNS} columns.`);
  }
  const doubled = columns.find((name, index) => columns.indexOf(name) !== index);
  if (doubled !== undefined) {
    throw new HeaderFault(`The header has the column ${JSON.stringify(doubled.slice(0, 50))} twice.`);
  }
  const hasPayload = columns.includes('payload');
  const unknown = hasPayload ? columns.find((name) => !COLUMNS.includes(name)) : undefined;
  if (unknown !== undefined) {
    throw new HeaderFault(
      `The header has an unknown column ${JSON.stringify(unknown.slice(0, 50))} beside payload. Known are: ${COLUMNS.join(', ')}.`,
    );
  }
  return { columns, hasPayload };
}

/** One row of CSV as a task. Throws RowFault. */
export function taskOfCsvRow(bytes: Uint8Array, line: number, header: CsvHeader): IntakeTask {
  const cells = cellsOf(textOf(bytes));
  if (cells.length !== header.columns.length) {
    throw new RowFault(`has ${cells.length} columns where the header has ${header.columns.length}`);
  }
  const row = Object.fromEntries(header.columns.map((name, index) => [name, cells[index] ?? '']));
  const name = row.external_id || row.id;
  const externalId = name ? checkExternalId(name) : null;
  if (header.hasPayload) {
    return { line, externalId, ...envelopeOf(row) };
  }
  const { external_id: _named, ...payload } = row;
  return { line, externalId, ...payloadOf(payload), ...NO_WISHES };
}

function envelopeOf(row: Record<string, string>): Omit<IntakeTask, 'line' | 'externalId'> {
  if (!row.payload) {
    throw new RowFault('has no payload');
  }
  const { payload, contentType } = payloadOf(row.payload);
  return {
    payload,
    contentType: row.content_type ? checkContentType(row.content_type) : contentType,
    redundancy: row.redundancy ? checkRedundancy(Number(row.redundancy)) : null,
    isCritical: row.critical ? checkCritical(row.critical) : false,
    allow: row.allow ? checkExperts('allow', wordsOf(row.allow)) : null,
    block: row.block ? checkExperts('block', wordsOf(row.block)) : null,
  };
}

function wordsOf(cell: string): string[] {
  return cell.split(/\s+/).filter((word) => word !== '');
}

/** What some spreadsheets put between columns instead of commas. */
const OTHER_DELIMITERS: readonly (readonly [character: string, name: string])[] = [
  [';', 'semicolons'],
  ['\t', 'tabs'],
];

/** Taken as it is, such a file would be one column of text that nobody meant. In quotes a name may be anything. */
function checkWritten(text: string): void {
  const bare = text.replace(/"(?:[^"]|"")*"/g, '').trim();
  if (bare.includes('\r')) {
    throw new HeaderFault(
      'The header has a carriage return in it: save the file with lines that end with a newline.',
    );
  }
  const other = bare.includes(',')
    ? undefined
    : OTHER_DELIMITERS.find(([character]) => bare.includes(character));
  if (other !== undefined) {
    throw new HeaderFault(
      `The header has ${other[1]} and no comma: save the file with commas between its columns. A single column whose name has such a character is written in quotes.`,
    );
  }
}

function headerCells(bytes: Uint8Array): string[] {
  try {
    const text = textOf(bytes);
    checkWritten(text);
    return cellsOf(text);
  } catch (error) {
    if (error instanceof RowFault) {
      throw new HeaderFault(`The header ${error.message}.`);
    }
    throw error;
  }
}

/** The cells of one row; throws RowFault. Most rows have no quote, and splitting those is ten times faster than the parser. */
export function cellsOf(text: string): string[] {
  if (!text.includes('"')) {
    return text.split(',');
  }
  try {
    const rows: string[][] = parse(text, { relax_column_count: true, record_delimiter: '\n' });
    const [row] = rows;
    if (row !== undefined && rows.length === 1) {
      return row;
    }
    throw new RowFault('is not valid CSV');
  } catch (error) {
    if (error instanceof CsvError) {
      throw new RowFault(QUOTING_FAULTS[error.code] ?? 'is not valid CSV');
    }
    throw error;
  }
}

const QUOTING_FAULTS: Readonly<Record<string, string>> = {
  CSV_INVALID_CLOSING_QUOTE: 'has text after a closing quote',
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is never closed',
  INVALID_OPENING_QUOTE: 'has a quote in the middle of an unquoted field',
};
