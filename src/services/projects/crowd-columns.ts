import { DomainError } from '../platform/errors.js';
import { cellsOf } from './intake-csv.js';
import { MAX_RECORD_BYTES, type RawRecord, records } from './intake-records.js';
import { type IntakeFault, RowFault, textOf } from './intake-row.js';
import { StartFault } from './intake-start.js';

/** The file as a whole has no meaning: what the rows are is not said, or not the same twice. */
export class CrowdFileError extends DomainError {
  readonly code = 'CROWD_FILE_UNREADABLE';
}

/** A column that the header must name. */
export interface CrowdColumn {
  /** Other names it may have, tried in this order where its own is not there. */
  readonly also?: readonly string[];
  /** Characters a cell may have. */
  readonly longest: number;
}

/** The cells of one row by column, exactly as they stand in the file, and the line where it begins. */
export interface CrowdCells<Column extends string> {
  readonly line: number;
  readonly cells: Readonly<Record<Column, string>>;
}

/**
 * Reads a CSV row by row: the cells of the named columns, or one fault, for each row that is not blank. The header must name
 * the columns, in any order, in any case; other columns are ignored. A faulty row costs only itself; an empty cell is a
 * fault. Throws CrowdFileError where the header gives the rows no meaning.
 */
export async function* readColumns<Column extends string>(
  source: AsyncIterable<Uint8Array>,
  columns: Readonly<Record<Column, CrowdColumn>>,
): AsyncGenerator<CrowdCells<Column> | IntakeFault> {
  let header: Header<Column> | null = null;
  for await (const record of readable(source)) {
    if (header === null) {
      header = headerOf(record, columns);
      continue;
    }
    yield rowOf(record, header);
  }
  if (header === null) {
    throw new CrowdFileError(
      `The file is empty. It must begin with a header such as ${Object.keys(columns).join(',')}.`,
    );
  }
}

async function* readable(source: AsyncIterable<Uint8Array>): AsyncGenerator<RawRecord> {
  try {
    yield* records(source, 'CSV');
  } catch (error) {
    throw error instanceof StartFault ? new CrowdFileError(error.message) : error;
  }
}

interface Header<Column extends string> {
  readonly width: number;
  readonly at: readonly (readonly [Column, number, CrowdColumn])[];
}

function headerOf<Column extends string>(
  record: RawRecord,
  columns: Readonly<Record<Column, CrowdColumn>>,
): Header<Column> {
  const names = cellsOrFault(record, (fault) => {
    throw new CrowdFileError(`The header ${fault.message}.`);
  }).map((name) => name.trim().toLowerCase());
  const wanted = Object.entries(columns) as [Column, CrowdColumn][];
  const at = wanted.map(
    ([name, column]) => [name, placeOf(names, [name, ...(column.also ?? [])], wanted), column] as const,
  );
  return { width: names.length, at };
}

function placeOf(
  names: readonly string[],
  spellings: readonly string[],
  wanted: readonly (readonly [string, CrowdColumn])[],
): number {
  const name = spellings.find((spelling) => names.includes(spelling));
  if (name === undefined) {
    throw new CrowdFileError(
      `The header has no column "${spellings[0]}". It must name ${listed(wanted.map(([column]) => column))}, in any order.`,
    );
  }
  if (names.indexOf(name) !== names.lastIndexOf(name)) {
    throw new CrowdFileError(`The header has the column "${name}" twice.`);
  }
  return names.indexOf(name);
}

function rowOf<Column extends string>(
  record: RawRecord,
  header: Header<Column>,
): CrowdCells<Column> | IntakeFault {
  try {
    return { line: record.line, cells: cellsOfRow(record, header) };
  } catch (error) {
    if (error instanceof RowFault) {
      return { line: record.line, reason: `The row ${error.message}.` };
    }
    throw error;
  }
}

function cellsOfRow<Column extends string>(
  record: RawRecord,
  { width, at }: Header<Column>,
): Record<Column, string> {
  const cells = cellsOrFault(record, (fault) => {
    throw fault;
  });
  if (cells.length !== width) {
    throw new RowFault(`has ${cells.length} columns where the header has ${width}`);
  }
  const row: Partial<Record<Column, string>> = {};
  for (const [name, place, { longest }] of at) {
    row[name] = checked(name, cells[place] ?? '', longest);
  }
  return row as Record<Column, string>;
}

function cellsOrFault(record: RawRecord, refuse: (fault: RowFault) => never): string[] {
  try {
    if (record.openQuote !== null) {
      throw new RowFault(
        `has a quote that is opened in line ${record.openQuote} and never closed, so nothing after it could be read`,
      );
    }
    if (record.bytes === null) {
      throw new RowFault(`is longer than ${MAX_RECORD_BYTES} bytes`);
    }
    return cellsOf(textOf(record.bytes));
  } catch (error) {
    if (error instanceof RowFault) {
      return refuse(error);
    }
    throw error;
  }
}

function checked(column: string, value: string, longest: number): string {
  if (value.trim() === '') {
    throw new RowFault(`has an empty ${column}`);
  }
  if (value.length > longest) {
    throw new RowFault(`has a ${column} of more than ${longest} characters`);
  }
  return value;
}

/** a, b and c */
function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}
