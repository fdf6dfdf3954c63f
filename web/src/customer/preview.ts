import {
  type ReadRow,
  readIntake,
  UploadUnreadableError,
} from '../../../src/services/projects/intake-parse.js';
import { type IntakeTask, isFault, RowFault } from '../../../src/services/projects/intake-row.js';
import { type Asking, wantedByAble } from '../../../src/services/projects/intake-wants.js';

/** One row of an upload as it will be read. */
export interface PreviewRow {
  /** Of the file on which it begins, from 1: the server tells rows by the same number. */
  readonly line: number;
  readonly text: string;
  /** Why it is no task, in the server's words; null where it is one. */
  readonly fault: string | null;
}

/** What a file looks like before it is sent. */
export interface Preview {
  readonly format: 'jsonl' | 'csv';
  /** Why nothing of it can be read, in the server's words; null where something can. */
  readonly unreadable: string | null;
  readonly rows: number;
  /** Rows that are no tasks … */
  readonly faultCount: number;
  /** … and the first of them. */
  readonly faults: readonly PreviewRow[];
  readonly first: readonly PreviewRow[];
  readonly columns: readonly string[];
  /** Not all of a large file was looked at. */
  readonly isPart: boolean;
  /** It begins one JSON list, and has not an object a line. */
  readonly isList: boolean;
}

/** What a project asks of the rows. */
export type AskingProject = Pick<Asking, 'redundancy' | 'isAdaptive'>;

/** So much of a file is looked at where there are tasks in it; the server reads all of it. */
const LOOKED_AT_BYTES = 4 * 1024 * 1024;
/** Where there are none, so much: nobody waits for more. */
const LOOKED_AT_MOST_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const FIRST = 5;
const FAULTS = 10;
const TEXT_MAX = 300;

/** CSV by its name or by what it begins with; JSONL otherwise. */
export function formatOf(name: string, text: string): 'jsonl' | 'csv' {
  if (/\.(jsonl|ndjson|json)$/i.test(name)) {
    return 'jsonl';
  }
  return /\.csv$/i.test(name) || !text.trimStart().startsWith('{') ? 'csv' : 'jsonl';
}

/**
 * Looks at a file as the server will, with the server's own reader: to its end, or to where enough of it was looked at. What only the database knows is left to the server: whether the experts that rows name are there.
 * @throws where the file cannot be read
 */
export async function previewOf(file: File, project: AskingProject): Promise<Preview> {
  const start = letters.decode(await file.slice(0, TEXT_MAX).arrayBuffer());
  const format = formatOf(file.name, start);
  const look = new Look(project);
  let unreadable: string | null = null;
  let isPart = false;
  const way = { bytes: 0 };
  const options = { format: format === 'csv' ? ('CSV' as const) : ('JSONL' as const) };
  try {
    for await (const read of readIntake(chunksOf(file, way), options)) {
      look.at(read);
      const enough = look.faultCount < look.rows ? LOOKED_AT_BYTES : LOOKED_AT_MOST_BYTES;
      isPart = way.bytes > enough && way.bytes < file.size;
      if (isPart) {
        break;
      }
    }
  } catch (error) {
    if (!(error instanceof UploadUnreadableError)) {
      throw error;
    }
    unreadable = error.message;
  }
  const { rows, faultCount, faults, first, columns } = look;
  const isList = format === 'jsonl' && faultCount > 0 && /^\s*\[/.test(start);
  return { format, unreadable, rows, faultCount, faults, first, columns, isPart, isList };
}

/** What to do with what some write instead of JSONL. */
export const A_LIST =
  'This file begins a JSON list: write one object a line instead, without brackets and commas around them.';

/** Why there is nothing to upload, where that is certain; else null. */
export function nothingIn({ unreadable, rows, faultCount, isList, isPart }: Preview): string | null {
  if (unreadable !== null) {
    return 'Nothing of this file can be read, so there is nothing to upload.';
  }
  if (rows > faultCount || isPart) {
    return null;
  }
  return isList ? A_LIST : 'No row of this file is a task, so there is nothing to upload.';
}

const letters = new TextDecoder();

async function* chunksOf(file: File, way: { bytes: number }): AsyncGenerator<Uint8Array> {
  while (way.bytes < file.size) {
    const chunk = await file.slice(way.bytes, way.bytes + CHUNK_BYTES).arrayBuffer();
    way.bytes += chunk.byteLength;
    yield new Uint8Array(chunk);
  }
}

/** What was seen of the rows. */
class Look {
  rows = 0;
  faultCount = 0;
  readonly faults: PreviewRow[] = [];
  readonly first: PreviewRow[] = [];
  columns: readonly string[] = [];
  private readonly names = new Set<string>();

  constructor(private readonly project: AskingProject) {}

  at({ row, record: { line, bytes }, header }: ReadRow): void {
    const fault = isFault(row) ? row.reason : this.faultOf(row);
    const text = bytes === null ? '(too long to be shown)' : letters.decode(bytes.subarray(0, TEXT_MAX));
    const seen = { line, text: text.replace(/\uFFFD$/, '').trim(), fault };
    this.columns = header?.columns ?? [];
    this.rows += 1;
    if (fault !== null) {
      this.faultCount += 1;
      this.faults.push(...(this.faults.length < FAULTS ? [seen] : []));
    }
    this.first.push(...(this.first.length < FIRST ? [seen] : []));
  }

  /** What the server says of a row beside the others, and of what it asks for. */
  private faultOf(row: IntakeTask): string | null {
    try {
      wantedByAble(row, { batch: { ...this.project, origin: 'API' }, allow: row.allow, block: row.block });
    } catch (error) {
      if (error instanceof RowFault) {
        return `The row ${error.message}.`;
      }
      throw error;
    }
    if (row.externalId === null) {
      return null;
    }
    const isTaken = this.names.has(row.externalId);
    this.names.add(row.externalId);
    return isTaken ? 'Another row of this batch has the same id.' : null;
  }
}
