import { checkStart, START_BYTES } from './intake-start.js';

/** One record of an upload as it was sent: a line of JSONL, or a row of CSV, which may span lines. */
export interface RawRecord {
  /** Line of the file on which the record begins, from 1. */
  readonly line: number;
  /** Its bytes without the line break; null where there were more than MAX_RECORD_BYTES of them. */
  readonly bytes: Uint8Array | null;
  /** The file ended inside a quoted field, which began on this line; null: it did not. */
  readonly openQuote: number | null;
}

export type RecordFormat = 'JSONL' | 'CSV';

/** Longer records are skipped and reported; with it, memory is bounded whatever arrives. A long document is one row. */
export const MAX_RECORD_BYTES = 8 * 1024 * 1024;

const [NEWLINE, RETURN, QUOTE, COMMA] = [0x0a, 0x0d, 0x22, 0x2c];
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * Cuts a stream of bytes into records, without blank ones. Cutting is all it does: what a record means, and whether
 * it is right, is decided record by record, so that a broken one costs only itself, and skipping to where a killed
 * job went on costs no parsing.
 */
export async function* records(
  source: AsyncIterable<Uint8Array>,
  format: RecordFormat,
): AsyncGenerator<RawRecord> {
  const cutter = new RecordCutter(format);
  for await (const chunk of textFrom(source)) {
    yield* cutter.push(chunk);
  }
  yield* cutter.end();
}

/** Where in a CSV row the cutter is. A quote opens only at the start of a field (RFC 4180). */
type QuoteState = 'FIELD_START' | 'PLAIN' | 'QUOTED' | 'QUOTE_IN_QUOTED';

class RecordCutter {
  private readonly findEnd: (chunk: Uint8Array, from: number) => number;
  private parts: Uint8Array[] = [];
  private size = 0;
  private line = 1;
  private firstLine = 1;
  private quoteLine = 1;
  private state: QuoteState = 'FIELD_START';

  constructor(format: RecordFormat) {
    this.findEnd =
      format === 'CSV'
        ? (chunk, from) => this.endOfRow(chunk, from)
        : (chunk, from) => chunk.indexOf(NEWLINE, from);
  }

  push(chunk: Uint8Array): RawRecord[] {
    const found: RawRecord[] = [];
    let from = 0;
    for (let end = this.findEnd(chunk, 0); end >= 0; end = this.findEnd(chunk, from)) {
      this.keep(chunk.subarray(from, end));
      this.line += 1;
      found.push(...this.take());
      from = end + 1;
    }
    this.keep(chunk.subarray(from));
    return found;
  }

  end(): RawRecord[] {
    return this.take();
  }

  private keep(part: Uint8Array): void {
    this.size += part.byteLength;
    if (this.size <= MAX_RECORD_BYTES) {
      this.parts.push(part);
    } else {
      this.parts = [];
    }
  }

  private take(): RawRecord[] {
    const bytes = this.size <= MAX_RECORD_BYTES ? trimmed(joined(this.parts)) : null;
    const openQuote = this.state === 'QUOTED' ? this.quoteLine : null;
    const record = { line: this.firstLine, bytes, openQuote };
    this.parts = [];
    this.size = 0;
    this.state = 'FIELD_START';
    this.firstLine = this.line;
    return bytes !== null && isBlank(bytes) ? [] : [record];
  }

  private endOfRow(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.byteLength; at += 1) {
      const byte = chunk[at];
      if (byte === NEWLINE && this.state !== 'QUOTED') {
        return at;
      }
      if (byte === NEWLINE) {
        this.line += 1;
      }
      const next = nextState(this.state, byte);
      if (next === 'QUOTED' && this.state === 'FIELD_START') {
        this.quoteLine = this.line;
      }
      this.state = next;
    }
    return -1;
  }
}

function nextState(state: QuoteState, byte: number | undefined): QuoteState {
  if (state === 'QUOTED') {
    return byte === QUOTE ? 'QUOTE_IN_QUOTED' : 'QUOTED';
  }
  if (byte === QUOTE) {
    // Twice inside quotes is a quote; at the start of a field it opens; elsewhere it is a fault of this row alone.
    return state === 'PLAIN' ? 'PLAIN' : 'QUOTED';
  }
  return byte === COMMA ? 'FIELD_START' : 'PLAIN';
}

/** One part, which most records are, is not copied. */
function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) {
    return first;
  }
  const whole = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

/** Without the carriage returns of its line's end: some programs write two. */
function trimmed(bytes: Uint8Array): Uint8Array {
  let end = bytes.byteLength;
  while (end > 0 && bytes[end - 1] === RETURN) {
    end -= 1;
  }
  return bytes.subarray(0, end);
}

function isBlank(bytes: Uint8Array): boolean {
  return bytes.every((byte) => byte === 0x20 || byte === 0x09 || byte === RETURN);
}

/** All but a byte order mark, from where it is known that it is text. */
async function* textFrom(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | null = new Uint8Array(0);
  for await (const chunk of source) {
    if (start === null) {
      yield chunk;
      continue;
    }
    start = joined([start, chunk]);
    if (start.byteLength >= START_BYTES) {
      yield begun(start);
      start = null;
    }
  }
  if (start !== null && start.byteLength > 0) {
    yield begun(start);
  }
}

function begun(start: Uint8Array): Uint8Array {
  checkStart(start);
  const isMarked = BYTE_ORDER_MARK.every((byte, at) => start[at] === byte);
  return isMarked ? start.subarray(BYTE_ORDER_MARK.length) : start;
}
