import { type CsvHeader, HeaderFault, headerOf, MAX_HEADER_BYTES, taskOfCsvRow } from './intake-csv.js';
import { taskOfJsonLine } from './intake-jsonl.js';
import { MAX_RECORD_BYTES, type RawRecord, type RecordFormat, records } from './intake-records.js';
import { type IntakeRow, type IntakeTask, RowFault } from './intake-row.js';
import { StartFault } from './intake-start.js';

/** How an upload is written, and how many of its rows are to be passed over because they were dealt with before. */
export interface IntakeOptions {
  readonly format: RecordFormat;
  readonly skipRows?: number;
}

/** The upload as a whole has no meaning. The message is for the customer. */
export class UploadUnreadableError extends Error {
  override readonly name = 'UploadUnreadableError';
}

/** A row with what it was read from. */
export interface ReadRow {
  readonly row: IntakeRow;
  readonly record: RawRecord;
  /** Null of JSONL, which has none. */
  readonly header: CsvHeader | null;
}

/**
 * Reads an upload row by row: one task or one fault for every row that is not blank, in the order of the file, with
 * the number of the line where it begins. Memory holds one row (at most 8 MiB) and one chunk of the source, never the
 * upload.
 *
 * JSONL: one object a line (see `taskOfJsonLine`). CSV: comma, RFC 4180 quotes, a header (see `headerOf`). Both:
 * UTF-8, with or without byte order mark, `\n` or `\r\n`.
 *
 * A faulty row never sinks the upload. The exceptions are what is no text by its first bytes, a CSV header that gives no
 * meaning to the rows, and an upload with no rows at all: UploadUnreadableError. A quote that is never closed swallows the
 * rest of the file by the rules of CSV; that is one fault, which says so. External ids that occur twice are not noticed
 * here, where nothing remembers a million of them, but by the unique index they would break.
 */
export async function* parseIntake(
  source: AsyncIterable<Uint8Array>,
  options: IntakeOptions,
): AsyncGenerator<IntakeRow> {
  for await (const { row } of readIntake(source, options)) {
    yield row;
  }
}

/** {@link parseIntake} with what each row was read from. Runs in browsers too, which show before what the server will say. */
export async function* readIntake(
  source: AsyncIterable<Uint8Array>,
  { format, skipRows = 0 }: IntakeOptions,
): AsyncGenerator<ReadRow> {
  let header: CsvHeader | null = null;
  let rows = 0;
  for await (const record of readable(source, format)) {
    if (format === 'CSV' && header === null) {
      header = readHeader(record);
      continue;
    }
    rows += 1;
    if (rows > skipRows) {
      yield { row: rowOf(record, header), record, header };
    }
  }
  if (rows === 0) {
    throw new UploadUnreadableError(
      format === 'CSV' && header === null ? 'The upload has no header.' : 'The upload has no rows.',
    );
  }
}

async function* readable(source: AsyncIterable<Uint8Array>, format: RecordFormat): AsyncGenerator<RawRecord> {
  try {
    yield* records(source, format);
  } catch (error) {
    throw error instanceof StartFault ? new UploadUnreadableError(error.message) : error;
  }
}

function readHeader({ bytes, openQuote }: RawRecord): CsvHeader {
  if (openQuote !== null) {
    throw new UploadUnreadableError(
      `The header has a quote that is opened in line ${openQuote} and never closed.`,
    );
  }
  if (bytes === null || bytes.byteLength > MAX_HEADER_BYTES) {
    throw new UploadUnreadableError(
      `The header is longer than ${MAX_HEADER_BYTES} bytes: the first row names the columns, and lines end with a newline.`,
    );
  }
  try {
    return headerOf(bytes);
  } catch (error) {
    if (error instanceof HeaderFault) {
      throw new UploadUnreadableError(error.message);
    }
    throw error;
  }
}

function rowOf(record: RawRecord, header: CsvHeader | null): IntakeRow {
  try {
    return taskOf(record, header);
  } catch (error) {
    if (error instanceof RowFault) {
      return { line: record.line, reason: `The row ${error.message}.` };
    }
    throw error;
  }
}

function taskOf({ bytes, line, openQuote }: RawRecord, header: CsvHeader | null): IntakeTask {
  if (openQuote !== null) {
    throw new RowFault(
      `has a quote that is opened in line ${openQuote} and never closed, so nothing after it could be read`,
    );
  }
  if (bytes === null) {
    throw new RowFault(`is longer than ${MAX_RECORD_BYTES} bytes`);
  }
  const task = header === null ? taskOfJsonLine(bytes, line) : taskOfCsvRow(bytes, line, header);
  if (task.payload.byteLength > MAX_RECORD_BYTES) {
    // (Written as JSON what is read may be longer.)
    throw new RowFault(`has a payload of more than ${MAX_RECORD_BYTES} bytes`);
  }
  return task;
}
