import { parse } from 'csv-parse/browser/esm/sync';

/** One row of an upload as it would be read. */
export interface PreviewRow {
  /** From 1; of CSV without the header. */
  readonly line: number;
  readonly text: string;
  /** Why it is no task; null where it looks like one. The server looks more closely. */
  readonly fault: string | null;
}

/** What a file looks like before it is sent. */
export interface Preview {
  readonly format: 'jsonl' | 'csv';
  readonly rows: number;
  /** Not all of a large file was looked at. */
  readonly isPart: boolean;
  readonly faults: readonly PreviewRow[];
  readonly first: readonly PreviewRow[];
  readonly columns: readonly string[];
}

/** So much of a file is looked at; the server reads all of it. */
export const LOOKED_AT_BYTES = 4 * 1024 * 1024;
const FIRST = 5;

/** CSV by its name or by what it begins with; JSONL otherwise. */
export function formatOf(name: string, text: string): 'jsonl' | 'csv' {
  if (/\.(jsonl|ndjson|json)$/i.test(name)) {
    return 'jsonl';
  }
  return /\.csv$/i.test(name) || !text.trimStart().startsWith('{') ? 'csv' : 'jsonl';
}

/** Looks at the beginning of a file. `isPart`: the last row may be half of one, and is left out. */
export function previewOf(name: string, text: string, isPart: boolean): Preview {
  const format = formatOf(name, text);
  const clean = text.replace(/^\uFEFF/, '');
  const fault = unreadable(format, clean);
  if (fault !== null) {
    return { format, isPart, ...asOneRow(clean, fault) };
  }
  try {
    const records = format === 'csv' ? csvRecords(clean, isPart) : jsonLines(clean);
    return { format, isPart, ...rowsOf(format, isPart ? records.slice(0, -1) : records) };
  } catch (error) {
    const fault = error instanceof Error ? `cannot be read: ${error.message}` : 'cannot be read';
    return { format, isPart, ...asOneRow(clean, fault) };
  }
}

const TEXT_MAX = 300;

/** What nobody could upload so, and what to do instead; null where it may be rows. */
function unreadable(format: Preview['format'], text: string): string | null {
  if (text.includes('\0')) {
    return 'is no text: save the sheet as CSV (UTF-8) first';
  }
  return format === 'jsonl' && /^\s*\[/.test(text)
    ? 'begins a JSON list: write one object a line instead, without brackets and commas around them'
    : null;
}

function asOneRow(text: string, fault: string): Omit<Preview, 'format' | 'isPart'> {
  const row = { line: 1, text: text.slice(0, TEXT_MAX).replaceAll('\0', '\uFFFD'), fault };
  return { rows: 1, columns: [], faults: [row], first: [row] };
}

function rowsOf(format: Preview['format'], records: readonly Row[]): Omit<Preview, 'format' | 'isPart'> {
  const columns = format === 'csv' ? (records[0]?.fields ?? []) : [];
  const rows = (format === 'csv' ? records.slice(1) : records).map(({ text, fields }, n) => ({
    line: n + 1,
    text: text.slice(0, TEXT_MAX),
    fault: format === 'csv' ? csvFault(fields, columns) : jsonFault(text),
  }));
  const faults = rows.filter(({ fault }) => fault !== null);
  return { rows: rows.length, columns, faults, first: rows.slice(0, FIRST) };
}

interface Row {
  readonly text: string;
  readonly fields: readonly string[];
}

const jsonLines = (text: string): Row[] =>
  text.split(/\r?\n/).flatMap((line) => (line.trim() === '' ? [] : [{ text: line, fields: [] }]));

function jsonFault(text: string): string | null {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? null : 'is not a JSON object';
  } catch {
    return 'is not valid JSON';
  }
}

function csvFault(fields: readonly string[], columns: readonly string[]): string | null {
  return fields.length === columns.length
    ? null
    : `has ${fields.length} fields where the header has ${columns.length}`;
}

/** Records as the server reads them (RFC 4180). Throws CsvError where a quote is never closed; of a part that is no fault. */
function csvRecords(text: string, isPart: boolean): Row[] {
  const options = {
    relax_column_count: true,
    skip_empty_lines: true,
    raw: true,
    relax_quotes: isPart,
  } as const;
  const parsed = parse(text, options) as unknown as { raw: string; record: string[] }[];
  return parsed.map(({ raw, record }) => ({ text: raw.trim(), fields: record }));
}
